"""The floor agent, told something: whole, in lines, or as the published chunker leaves it."""

import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mabench.contract import Agent, answer_of
from mabench.lookup import resolve
from mabench.specs import AgentSpec
from tests.agents.queries import ask

_DATA = tomllib.loads(Path(__file__).with_name("texts.toml").read_text("utf-8"))
TEXTS: dict[str, Any] = _DATA["texts"]
# Of each kind the questions with their answers, most of them behind a text.
QUESTIONS: dict[str, list[list[str]]] = {
    kind: [[TEXTS.get(first, first), *others] for first, *others in listed]
    for kind, listed in _DATA["questions"].items()
}


def informed(chunks: Iterable[str], **settings: object) -> Agent:
    """Make a floor agent that was told ``chunks``."""
    agent = resolve(AgentSpec(agent="floor", settings=settings)).make_agent()
    for chunk in chunks:
        agent.memorize(chunk)
    return agent


def reply(agent: Agent, question: str, max_tokens: int = 50, *, prompt: str | None = None) -> str:
    return answer_of(agent.answer(ask(question, max_tokens, prompt=prompt))).text


def flat(text: str) -> str:
    """Return ``text`` as the published chunker leaves it: a space between sentences."""
    return re.sub(r"(?<=[.?!])\s+", " ", text)


def cut(text: str, size: int = 600) -> list[str]:
    """Cut ``text`` between words, as chunks cut a history."""
    return re.findall(rf"(?s).{{1,{size}}}(?:\s|$)", text)


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def in_lines(context: str, size: int = 2000) -> list[str]:
    """Cut at line ends."""
    chunks = [""]
    for line in context.splitlines(keepends=True):
        if len(chunks[-1]) + len(line) > size:
            chunks.append("")
        chunks[-1] += line
    return [chunk.strip("\n") for chunk in chunks if chunk.strip()]


def in_sentences(context: str, size: int = 2000) -> list[str]:
    """Cut behind full stops, those of serial numbers too, and join by spaces."""
    chunks = [""]
    for sentence in _SENTENCE_END.split(context.strip()):
        if chunks[-1] and len(chunks[-1]) + len(sentence) > size:
            chunks.append("")
        chunks[-1] = f"{chunks[-1]} {sentence}".strip()
    return chunks


WAYS: tuple[Callable[[str], list[str]], ...] = (in_lines, in_sentences)


def told(chunks: Iterable[str]) -> Callable[..., str]:
    """Return how a floor agent that was told ``chunks`` answers a question."""
    agent = informed(chunks)
    return lambda question, max_tokens=10: reply(agent, question, max_tokens)
