"""Ways to tell a history: as whole lines, and as the published chunker leaves it."""

import re
from collections.abc import Callable, Iterable

from tests.floor.informed import informed, reply

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
