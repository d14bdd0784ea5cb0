"""One session with a server that keeps to ``docs/openapi.yaml``: its calls, and their failures."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mabench.contract.answers import AgentError
from mabench.errors import MabenchError
from mabench.redact import redact

if TYPE_CHECKING:
    import httpx2

_WAITS = (0.2, 0.4)  # Seconds before the second and the third attempt.
_CONNECT = 10.0  # Seconds; how long a call may take is the run's to say.
_RESET = 60.0
# Seconds that a connection may lie idle. Servers close theirs, often after 5 s, and what is sent
# at that instant is lost.
_IDLE = 2.0
_SHOWN = 300


class RemoteError(MabenchError):
    """A server failed at a call, or could not be reached for it."""


class Session:
    """The calls of one row to a server; all in one event loop.

    Args:
        url: the server, without a slash at its end.
        name: what the server calls the session.
    """

    def __init__(self, url: str, name: str) -> None:
        import httpx2

        self._url = url
        self._name = name
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(None, connect=_CONNECT),
            limits=httpx2.Limits(keepalive_expiry=_IDLE),
        )

    async def call(self, path: str, body: Mapping[str, object], *, again: bool = False) -> Any:
        """Return the reply to a call.

        It is sent again when no connection was made; ``again`` says that it may be carried out
        twice, so that it is also sent again when a connection broke.

        Raises:
            RemoteError: when there is no reply, or the server says that it failed.
        """
        import httpx2

        content = _content({"session": self._name, **body})
        for wait in _attempts():
            try:
                reply = await self._client.post(self._url + path, **content)
                break
            except httpx2.RequestError as error:
                if wait is None or not (again or _unsent(error)):
                    raise _no_reply(self._url + path, error) from error
                await asyncio.sleep(wait)
        return _read(reply)

    async def field(self, path: str, body: Mapping[str, object], name: str) -> dict[str, Any]:
        """Return the reply to a call that may be repeated, an object that has ``name``.

        Raises:
            AgentError: when the reply is something else.
            RemoteError: when there is none.
        """
        reply = await self.call(path, body, again=True)
        if not isinstance(reply, dict) or name not in reply:
            raise AgentError(
                f"{without_user(self._url)}{path} replied with {shown(reply)}; "
                f"expected an object with {name!r} (see docs/remote.md)"
            )
        return reply

    async def close(self) -> None:
        """End the session on the server and give connections back."""
        try:
            await self.call("/close", {}, again=True)
        finally:
            await self._client.aclose()


def reset(url: str) -> Any:
    """Ask a server for a session, and return its reply.

    Raises:
        RemoteError: when there is none, or the server says that it failed.
    """
    import httpx2

    timeout = httpx2.Timeout(_RESET, connect=_CONNECT)
    for wait in _attempts():
        try:
            reply = httpx2.post(f"{url}/reset", timeout=timeout, **_content({}))
            break
        except httpx2.RequestError as error:
            if wait is None or not _unsent(error):
                raise _no_reply(f"{url}/reset", error) from error
            time.sleep(wait)
    return _read(reply)


def without_user(url: str) -> str:
    """Return ``url`` without the user and password that it may hold."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def shown(reply: object) -> str:
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
    said = body.get("error") if isinstance(body, dict) else None
    message = " ".join((said if isinstance(said, str) else reply.text[:_SHOWN]).split())
    where = f"{without_user(str(reply.url))} replied with status {reply.status_code}"
    raise RemoteError(f"{redact(message)} ({where})" if message else where)


def _no_reply(url: str, error: Exception) -> RemoteError:
    reason = redact(str(error)) or type(error).__name__
    return RemoteError(f"no reply from {without_user(url)}: {reason}")
