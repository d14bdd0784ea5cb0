"""The agent that is made of a memory and a reader: it stores, searches and reads.

The methods of a memory and a reader may be asynchronous or not, and so are the agent's.
"""

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
        for name in OPTIONAL:  # An agent has these methods only if its memory has.
            method = getattr(memory, name, None)
            if callable(method):
                setattr(self, name, method)

    def memorize(self, chunk: str, **fields: object) -> object:
        """Add a chunk to the memory, and return what its ``add`` returns.

        ``fields`` are what is known of the chunk, such as its time; ``add`` gets those it takes.
        """
        add: Callable[..., object] = self.memory.add
        return add(chunk, **self.takes.chosen("add", fields))

    def answer(self, query: Query) -> Answer | Awaitable[Answer]:
        """Search, and read what was found; raises as ``search_for`` and ``read`` do."""
        return _call_with(self.search_for(query), partial(self.read, query))

    def search_for(self, query: Query) -> list[Passage] | Awaitable[list[Passage]]:
        """Return at most ``k`` passages that the memory finds for ``query.search_query``.

        The memory is passed the query's time and user where it takes them.

        Raises:
            AgentError: when the memory returns something unusable.
        """

        def first_k_passages(result: object) -> list[Passage]:
            return passages_of(result)[: self.k]

        fields = self.takes.chosen("search", {"time": query.time, "user": query.user})
        search: Callable[..., object] = self.memory.search
        return _call_with(search(query.search_query, self.k, **fields), first_k_passages)

    def read(self, query: Query, passages: list[Passage]) -> Answer | Awaitable[Answer]:
        """Let the reader answer from passages.

        A passage with a time is read with it: ``[1 May 2024, 09:30] text``. The answer says what
        was retrieved, also if the reader does not.

        Raises:
            AgentError: when the reader returns something unusable.
        """

        def with_passages(result: object) -> Answer:
            answer = answer_of(result)
            return answer if answer.retrieved else replace(answer, retrieved=passages)

        dated = [_with_time_in_text(passage) for passage in passages]
        return _call_with(self.reader.read(query, dated), with_passages)

    def close(self) -> Awaitable[None] | None:
        """Close the memory and the reader if they can be closed.

        Return what is to be awaited, if closing is asynchronous.
        """
        results = [part.close() for part in (self.memory, self.reader) if hasattr(part, "close")]
        pending = [result for result in results if inspect.isawaitable(result)]

        async def wait_for_pending() -> None:
            for result in pending:
                await result

        return wait_for_pending() if pending else None


def _with_time_in_text(passage: Passage) -> Passage:
    """Return a passage with its time before its text, if it has one."""
    if not passage.time:
        return passage
    return replace(passage, text=f"[{write_time(passage.time)}] {passage.text}")


def _call_with(value: object, function: Callable[[Any], _T | Awaitable[_T]]) -> _T | Awaitable[_T]:
    """Call a function with a value, which is awaited first if it is awaitable.

    Return what the function returns; if the value is awaitable, what is to be awaited for it.
    """
    if not inspect.isawaitable(value):
        return function(value)

    async def wait_and_call() -> _T:
        result = function(await value)
        return await result if inspect.isawaitable(result) else result

    return wait_and_call()
