"""The floor agent, told something."""

import re
from collections.abc import Iterable

from mabench.contract import Agent, answer_of
from mabench.lookup import resolve
from tests.agents.queries import ask


def informed(chunks: Iterable[str], **settings: object) -> Agent:
    """Make a floor agent that was told ``chunks``."""
    agent = resolve("floor", settings=settings).make_agent()
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
