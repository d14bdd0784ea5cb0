"""Agents and memories behind a URL, by the contract in ``docs/openapi.yaml``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from mabench.contract.interfaces import Query
from mabench.errors import UsageError
from mabench.remote.http_channel import RemoteError, Session, reset, shown, without_user


def http_factory(url: str) -> Callable[[], object]:
    """Return a factory of agents, or memories, on the server at ``url``.

    Each call of the factory opens a session there, and the server says what kind it is. The
    factory raises a ``UsageError`` when nothing answers, or not by the contract.

    Raises:
        UsageError: when ``url`` is no address of a server.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.query or parts.fragment:
        raise UsageError(f"{url!r} is no address of a server; write it as http://HOST:PORT")
    return partial(_opened, url.rstrip("/"))


def _opened(url: str) -> HttpAgent | HttpMemory:
    """An agent or a memory on a server that keeps to mabench's HTTP contract."""
    server = without_user(url)
    try:
        told = reset(url)
    except RemoteError as error:
        raise UsageError(f"{error}; start the server at {server} or correct the URL") from error
    match told:
        case {"kind": "agent", "session": str(name)}:
            return HttpAgent(Session(url, name))
        case {"kind": "memory", "session": str(name)}:
            return HttpMemory(Session(url, name))
    raise UsageError(
        f"{server}/reset replied with {shown(told)}; expected "
        '{"session": "...", "kind": "agent" or "memory"} (see docs/remote.md)'
    )


class _Remote:
    """What agents and memories on a server have in common."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def stats(self) -> dict[str, int]:
        """Return what the server tells of its size; nothing where it does not."""
        try:
            told = await self._session.call("/stats", {}, again=True)
        except RemoteError:  # The contract leaves it open.
            return {}
        known = told if isinstance(told, dict) else {}
        return {
            name: known[name] for name in ("memories", "bytes") if isinstance(known.get(name), int)
        }

    async def close(self) -> None:
        """End the session."""
        await self._session.close()


class HttpAgent(_Remote):
    """An agent on a server."""

    async def memorize(self, chunk: str) -> None:
        """Have the server take in a chunk; sent once only, lest it be taken in twice."""
        await self._session.call("/memorize", {"chunk": chunk})

    async def answer(self, query: Query) -> Any:
        """Return the server's answer: an object with ``text``.

        Raises:
            AgentError: when the server replies with something else.
            RemoteError: when it fails.
        """
        asked = {
            "prompt": str(query),
            "question": query.question,
            "search_query": query.search_query,
            "max_tokens": query.max_tokens,
        }
        return await self._session.field("/answer", asked, "text")


class HttpMemory(_Remote):
    """A memory on a server."""

    async def add(self, text: str) -> None:
        """Have the server store a text; sent once only, lest it be stored twice."""
        await self._session.call("/add", {"text": text})

    async def search(self, query: str, k: int) -> Any:
        """Return the passages that the server finds.

        Raises:
            AgentError: when the server replies with something else.
            RemoteError: when it fails.
        """
        found = await self._session.field("/search", {"query": query, "k": k}, "passages")
        return found["passages"]
