"""An agent made of a memory and a reader."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace

from mabench.contract.answers import answer_of, passages_of
from mabench.contract.interfaces import Answer, Memory, Passage, Query, Reader


class RetrievalAgent:
    """An agent made of a memory and a reader: it stores every chunk, searches, and reads.

    Its methods return an awaitable where those of the memory or the reader do.

    Args:
        memory: stores the chunks.
        reader: answers from the passages found.
        k: how many passages are searched for (10 in the published configuration of BM25).
    """

    def __init__(self, memory: Memory, reader: Reader, k: int = 10) -> None:
        self.memory = memory
        self.reader = reader
        self.k = k
        for name in ("save", "load"):  # Optional: an agent has them only if its memory has.
            if callable(getattr(memory, name, None)):
                setattr(self, name, getattr(memory, name))

    def memorize(self, chunk: str) -> Awaitable[None] | None:
        """Add the chunk to the memory."""
        return self.memory.add(chunk)

    def answer(self, query: Query) -> Answer | Awaitable[Answer]:
        """Answer from the passages that the memory finds for ``query.search_query``.

        Raises:
            AgentError: when the memory or the reader returns something unusable.
        """
        found = self.memory.search(query.search_query, self.k)
        if inspect.isawaitable(found):
            return self._search_first(query, found)
        return self._read(query, passages_of(found))

    def stats(self) -> Mapping[str, int] | Awaitable[Mapping[str, int]]:
        """Return what the memory's ``stats`` returns; an empty mapping where it has none."""
        stats = getattr(self.memory, "stats", None)
        told: Mapping[str, int] | Awaitable[Mapping[str, int]] = stats() if callable(stats) else {}
        return told

    def close(self) -> Awaitable[None] | None:
        """Close the memory and the reader where they can be closed."""
        closing = [part.close() for part in (self.memory, self.reader) if hasattr(part, "close")]
        pending = [closed for closed in closing if inspect.isawaitable(closed)]
        return _wait_for(pending) if pending else None

    async def _search_first(self, query: Query, search: Awaitable[object]) -> Answer:
        answer = self._read(query, passages_of(await search))
        return await answer if inspect.isawaitable(answer) else answer

    def _read(self, query: Query, passages: list[Passage]) -> Answer | Awaitable[Answer]:
        passages = passages[: self.k]
        result = self.reader.read(query, passages)
        if inspect.isawaitable(result):
            return _read_later(result, passages)
        return _with_passages(answer_of(result), passages)


async def _wait_for(pending: Sequence[Awaitable[None]]) -> None:
    for closing in pending:
        await closing


async def _read_later(reading: Awaitable[object], passages: list[Passage]) -> Answer:
    return _with_passages(answer_of(await reading), passages)


def _with_passages(answer: Answer, passages: list[Passage]) -> Answer:
    """Report what was retrieved unless the reader did."""
    return answer if answer.retrieved else replace(answer, retrieved=passages)
