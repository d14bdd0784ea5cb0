"""Agents and memories behind a URL, by the contract in ``docs/openapi.yaml``."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mabench.contract.answers import AgentError
from mabench.errors import UsageError
from mabench.redact import redact
from mabench.remote.channel import RemoteAgent, RemoteError, RemoteMemory, remote

if TYPE_CHECKING:
    import httpx2

_WAITS = (0.2, 0.4)  # Seconds before the second and the third attempt.
_CONNECT_SECONDS = 10.0  # How long a call may take is the run's to say.
_RESET_SECONDS = 60.0
# Seconds that a connection may lie idle. Servers close theirs, often after 5 s, and what is sent
# at that instant is lost.
_IDLE_SECONDS = 2.0
_SHOWN = 300  # Characters of a reply in a message.
# What the reply to a call must have.
_FIELDS: Mapping[str, str] = {"answer": "text", "search": "passages"}


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
    return partial(_open, url.rstrip("/"))


def _open(url: str) -> RemoteAgent | RemoteMemory:
    """Open a session with a server that keeps to mabench's HTTP contract."""
    server = without_user(url)
    try:
        reply = _reset(url)
    except RemoteError as error:
        raise UsageError(f"{error}; start the server at {server} or correct the URL") from error
    match reply:
        case {"kind": "agent" | "memory" as kind, "session": str(session)}:
            return remote(kind, _HttpChannel(url, session))
    raise UsageError(
        f"{server}/reset replied with {_shown(reply)}; expected "
        '{"session": "...", "kind": "agent" or "memory"} (see docs/remote.md)'
    )


class _HttpChannel:
    """The calls of one row to a server; all in one event loop.

    Args:
        url: the server, without a slash at its end.
        session: what the server calls the session.
    """

    optional = ("stats",)

    def __init__(self, url: str, session: str) -> None:
        import httpx2

        self._url = url
        self._session = session
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
            limits=httpx2.Limits(keepalive_expiry=_IDLE_SECONDS),
        )

    async def call(
        self, method: str, params: Mapping[str, object], *, repeatable: bool = False
    ) -> Any:
        try:
            reply = await self._post(method, params, repeatable)
        except RemoteError:
            if method == "stats":  # The contract leaves it open whether a server has it.
                return {}
            raise
        field = _FIELDS.get(method)
        if field and not (isinstance(reply, dict) and field in reply):
            raise AgentError(
                f"{without_user(self._url)}/{method} replied with {_shown(reply)}; "
                f"expected an object with {field!r} (see docs/remote.md)"
            )
        return reply["passages"] if method == "search" else reply

    async def close(self) -> None:
        """End the session on the server and give connections back."""
        try:
            await self._post("close", {}, repeatable=True)
        finally:
            await self._client.aclose()

    async def _post(self, method: str, params: Mapping[str, object], repeatable: bool) -> Any:
        """Return the reply to a request.

        It is sent again when no connection was made; when one broke, only if it is repeatable.

        Raises:
            RemoteError: when there is no reply, or the server says that it failed.
        """
        import httpx2

        url = f"{self._url}/{method}"
        content = _content({"session": self._session, **params})
        for wait in _attempts():
            try:
                reply = await self._client.post(url, **content)
                break
            except httpx2.RequestError as error:
                if wait is None or not (repeatable or _unsent(error)):
                    raise _no_reply(url, error) from error
                await asyncio.sleep(wait)
        return _read(reply)


def _reset(url: str) -> Any:
    """Ask a server for a session, and return its reply.

    Raises:
        RemoteError: when there is none, or the server says that it failed.
    """
    import httpx2

    url = f"{url}/reset"
    timeout = httpx2.Timeout(_RESET_SECONDS, connect=_CONNECT_SECONDS)
    for wait in _attempts():
        try:
            reply = httpx2.post(url, timeout=timeout, **_content({}))
            break
        except httpx2.RequestError as error:
            if wait is None or not _unsent(error):
                raise _no_reply(url, error) from error
            time.sleep(wait)
    return _read(reply)


def without_user(url: str) -> str:
    """Return ``url`` without the user and password that it may hold."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _shown(reply: object) -> str:
    """Return the start of a reply, fit for a message."""
    return redact(json.dumps(reply))[:_SHOWN]


def _attempts() -> Iterator[float | None]:
    """Yield for each attempt how long to wait after it; None after the last."""
    yield from _WAITS
    yield None


def _unsent(error: Exception) -> bool:
    import httpx2

    return isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)


def _content(body: Mapping[str, object]) -> dict[str, Any]:
    # ASCII with escapes can also carry a lone surrogate, which UTF-8 cannot.
    content = json.dumps(body).encode("ascii")
    return {"content": content, "headers": {"Content-Type": "application/json"}}


def _read(reply: httpx2.Response) -> Any:
    """Return what a reply holds: parsed where it is JSON, else as text.

    Raises:
        RemoteError: when the status says that the call failed, with the server's message.
    """
    try:
        body = json.loads(reply.text)
    except ValueError:
        body = reply.text
    if reply.is_success:
        return body
    error = body.get("error") if isinstance(body, dict) else None
    message = " ".join((error if isinstance(error, str) else reply.text[:_SHOWN]).split())
    where = f"{without_user(str(reply.url))} replied with status {reply.status_code}"
    raise RemoteError(f"{redact(message)} ({where})" if message else where)


def _no_reply(url: str, error: Exception) -> RemoteError:
    reason = redact(str(error)) or type(error).__name__
    return RemoteError(f"no reply from {without_user(url)}: {reason}")
