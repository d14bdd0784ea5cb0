"""An agent and a memory that live in another process; to the engine they are like any other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mabench.contract.interfaces import Answer, Passage, Query
from mabench.errors import UsageError
from mabench.remote.process import Connection, WorkerError

_STARTING = 600.0  # Seconds in which a program must be ready; some load models for minutes.
_CLOSING = 30.0


class _Remote:
    """What an agent and a memory have in common: a process, and the optional methods it offers.

    A call that is given up, because its time is over, ends the process: it may hang, and there is
    no other way to stop it. Later calls then fail at once.
    """

    def __init__(self, connection: Connection, offered: Sequence[str]) -> None:
        self._connection = connection
        optional: dict[str, Callable[..., Any]] = {
            "stats": self._stats,
            "save": self._save,
            "load": self._load,
        }
        for name in offered:
            if name in optional:
                setattr(self, name, optional[name])

    async def _call(self, method: str, **params: object) -> Any:
        try:
            return await asyncio.wrap_future(self._connection.send(method, params))
        except asyncio.CancelledError:
            self._connection.kill(f"it was ended: {method} took too long")
            raise

    async def close(self) -> None:
        """Let the other side put its things away, and end the process."""
        try:
            async with asyncio.timeout(_CLOSING):
                await self._call("close")
        except (TimeoutError, WorkerError):
            pass
        await asyncio.to_thread(self._connection.close)

    async def _stats(self) -> Mapping[str, int]:
        stats: Mapping[str, int] = await self._call("stats")
        return stats

    async def _save(self, folder: Path) -> None:
        await self._call("save", folder=str(folder))

    async def _load(self, folder: Path) -> None:
        await self._call("load", folder=str(folder))


class RemoteAgent(_Remote):
    """An agent in another process."""

    async def memorize(self, chunk: str) -> None:
        """Send a chunk."""
        await self._call("memorize", chunk=chunk)

    async def answer(self, query: Query) -> str | Answer:
        """Send a question; the engine checks what comes back."""
        answer: str | Answer = await self._call(
            "answer",
            prompt=str(query),
            question=query.question,
            search_query=query.search_query,
            max_tokens=query.max_tokens,
        )
        return answer


class RemoteMemory(_Remote):
    """A memory in another process."""

    async def add(self, text: str) -> None:
        """Send a text."""
        await self._call("add", text=text)

    async def search(self, query: str, k: int) -> Sequence[str | Passage]:
        """Send a search; the engine checks what comes back."""
        found: Sequence[str | Passage] = await self._call("search", query=query, k=k)
        return found


class Unstarted:
    """Stands for an agent of which the program did not start; each call fails with the reason."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def memorize(self, chunk: str) -> None:
        """Fail."""
        raise WorkerError(self._reason)

    async def answer(self, query: Query) -> str:
        """Fail."""
        raise WorkerError(self._reason)


def started(command: Sequence[str], **make: object) -> RemoteAgent | RemoteMemory:
    """Start a program and let it make its agent or memory.

    Args:
        command: the program and its arguments.
        make: the parameters of its method ``make``.

    Raises:
        UsageError: when it cannot be started, fails to make one, or is not ready in time.
    """
    name = str(make.get("factory") or " ".join(command))
    connection = None
    try:
        connection = Connection(command)
        said = connection.send("make", make).result(_STARTING)
        kind, offered = said["kind"], said.get("methods") or ()
    except TimeoutError as error:
        problem: object = f"not ready within {_STARTING:.0f} s"
        cause: Exception = error
    except (WorkerError, KeyError, TypeError, AttributeError) as error:
        problem, cause = error, error
    else:
        if kind in ("agent", "memory"):
            remote = RemoteAgent if kind == "agent" else RemoteMemory
            return remote(connection, offered)
        problem, cause = f"it is of the unknown kind {kind!r}", WorkerError(kind)
    if connection:
        connection.kill("it could not be used")
        connection.close()
    raise UsageError(f"{name} cannot be used: {problem}") from cause
