"""The agent that is made of a memory and a reader: it stores, searches and reads."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from mabench.contract.answers import answer_of, passages_of
from mabench.contract.interfaces import Answer, Memory, Passage, Query, Reader
from mabench.contract.methods import OPTIONAL, Takes
from mabench.text.times import write_time

_T = TypeVar("_T")


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
        self.takes = Takes.of(memory)
        for name in OPTIONAL:  # An agent has them only if its memory has.
            if callable(getattr(memory, name, None)):
                setattr(self, name, getattr(memory, name))

    def memorize(self, chunk: str, **fields: object) -> object:
        """Add the chunk to the memory, with what it takes of ``fields``; return what that does."""
        add: Callable[..., object] = self.memory.add
        return add(chunk, **self.takes.chosen("add", fields))

    def answer(self, query: Query) -> Answer | Awaitable[Answer]:
        """Search, and read what was found; raises as ``search_for`` and ``read`` do."""
        return _then(self.search_for(query), partial(self.read, query))

    def search_for(self, query: Query) -> list[Passage] | Awaitable[list[Passage]]:
        """Return at most ``k`` passages that the memory finds for ``query.search_query``.

        The memory is passed the query's time and user where it takes them.

        Raises:
            AgentError: when the memory returns something unusable.
        """

        def keep(found: object) -> list[Passage]:
            return passages_of(found)[: self.k]

        fields = self.takes.chosen("search", {"time": query.time, "user": query.user})
        search: Callable[..., object] = self.memory.search
        return _then(search(query.search_query, self.k, **fields), keep)

    def read(self, query: Query, passages: list[Passage]) -> Answer | Awaitable[Answer]:
        """Let the reader answer from passages.

        One that says its time apart is read with it: ``[1 May 2024, 09:30] text``.

        Raises:
            AgentError: when the reader returns something unusable.
        """

        def complete(result: object) -> Answer:
            answer = answer_of(result)
            return answer if answer.retrieved else replace(answer, retrieved=passages)

        dated = [
            replace(one, text=f"[{write_time(one.time)}] {one.text}") if one.time else one
            for one in passages
        ]
        return _then(self.reader.read(query, dated), complete)

    def close(self) -> Awaitable[None] | None:
        """Close the memory and the reader where they can be closed."""
        closing = [part.close() for part in (self.memory, self.reader) if hasattr(part, "close")]
        pending = [closed for closed in closing if inspect.isawaitable(closed)]

        async def wait() -> None:
            for closed in pending:
                await closed

        return wait() if pending else None


def _then(value: object, proceed: Callable[[Any], _T | Awaitable[_T]]) -> _T | Awaitable[_T]:
    """Go on with a value, at once or after it was awaited."""
    if not inspect.isawaitable(value):
        return proceed(value)

    async def wait() -> _T:
        result = proceed(await value)
        return await result if inspect.isawaitable(result) else result

    return wait()
