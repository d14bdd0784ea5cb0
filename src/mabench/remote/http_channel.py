"""Agents and memories behind a URL, by the contract in ``docs/reference/openapi.yaml``."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx2

from mabench.contract.answers import AgentError
from mabench.errors import UsageError
from mabench.models.spec import ModelAddress
from mabench.redact import redact
from mabench.remote.channel import Params, RemoteAgent, RemoteError, RemoteMemory, remote
from mabench.remote.replies import PLAIN_REPLIES, limit_reply, limit_reply_async

_ERROR_NUMBER = re.compile(r"\[Errno -?\d+\] ")
_WAITS = (0.2, 0.4)  # Seconds before the second and the third attempt.
_CONNECT_SECONDS = 10.0  # How long a call may take is the run's to say.
_RESET_SECONDS = 60.0
# Seconds that a connection may lie idle. Servers close theirs, often after 5 s, and what is sent
# at that instant is lost.
_IDLE_SECONDS = 2.0
_SHOWN = 300  # Characters of a reply in a message.
# What the reply to a call must have.
_FIELDS: Mapping[str, str] = {"answer": "text", "search": "passages"}


def http_factory(url: str) -> Callable[..., object]:
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


def _open(url: str, address: ModelAddress | None = None) -> RemoteAgent | RemoteMemory:
    server = without_user(url)
    try:
        reply = _reset(url, address)
    except RemoteError as error:
        raise UsageError(f"{error}; start the server at {server} or correct the URL") from error
    match reply:
        case {"kind": "agent" | "memory" as kind, "session": str(session)}:
            return remote(kind, _HttpChannel(url, session))
    raise UsageError(
        f"{server}/reset replied with {_shown(reply)}; expected "
        '{"session": "...", "kind": "agent" or "memory"} (see docs/guides/remote-memories.md)'
    )


class _HttpChannel:
    """The calls of one row to a server; all in one event loop."""

    optional = ("stats",)

    def __init__(self, url: str, session: str) -> None:
        self._url = url
        self._session = session
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
            limits=httpx2.Limits(keepalive_expiry=_IDLE_SECONDS),
            headers=PLAIN_REPLIES,
            event_hooks={"response": [limit_reply_async]},
        )

    async def call(self, method: str, params: Params, *, repeatable: bool = False) -> Any:
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
                f"expected an object with {field!r} (see docs/guides/remote-memories.md)"
            )
        return reply["passages"] if method == "search" else reply

    async def close(self) -> None:
        """End the session on the server and give connections back."""
        try:
            await self._post("close", {}, repeatable=True)
        finally:
            await self._client.aclose()

    async def _post(self, method: str, params: Params, repeatable: bool) -> Any:
        url = f"{self._url}/{method}"
        content = _content({"session": self._session, **params})
        waits = iter(_WAITS)
        while True:
            try:
                return _read(await self._client.post(url, **content))
            except httpx2.RequestError as error:
                await asyncio.sleep(_next_wait(waits, url, error, repeatable))


def _reset(url: str, address: ModelAddress | None) -> Any:
    """Open a session; the server is told where the calls of its memory are metered, if anywhere."""
    told = {name: part for name, part in address._asdict().items() if part} if address else None
    content = _content({"model": told} if told else {})
    url = f"{url}/reset"
    timeout = httpx2.Timeout(_RESET_SECONDS, connect=_CONNECT_SECONDS)
    waits = iter(_WAITS)
    hooks = {"response": [limit_reply]}
    while True:
        try:
            with httpx2.Client(headers=PLAIN_REPLIES, event_hooks=hooks, timeout=timeout) as client:
                return _read(client.post(url, **content))
        except httpx2.RequestError as error:
            time.sleep(_next_wait(waits, url, error))


def _next_wait(
    waits: Iterator[float], url: str, error: Exception, repeatable: bool = False
) -> float:
    """Return how long to wait before a request is sent again; raise if it must not be."""
    unsent = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
    wait = next(waits, None)
    if wait is None or not (repeatable or unsent):
        reason = _ERROR_NUMBER.sub("", redact(str(error))) or type(error).__name__
        raise RemoteError(f"no reply from {without_user(url)}: {reason}") from error
    return wait


def without_user(url: str) -> str:
    """Return ``url`` without the user and password that it may hold."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _shown(reply: object) -> str:
    return redact(json.dumps(reply))[:_SHOWN]


def _content(body: Mapping[str, object]) -> dict[str, Any]:
    # ASCII with escapes can also carry a lone surrogate, which UTF-8 cannot.
    content = json.dumps(body).encode("ascii")
    return {"content": content, "headers": {"Content-Type": "application/json"}}


def _read(reply: httpx2.Response) -> Any:
    """Return what a reply holds, parsed where it is JSON; raise what a failed call says."""
    try:
        body = json.loads(reply.text)
    except (ValueError, RecursionError):
        body = reply.text
    if reply.is_success:
        return body
    if reply.has_redirect_location:
        there = reply.url.join(reply.headers["location"])
        raise RemoteError(
            f"{without_user(str(reply.url))} redirects to {without_user(str(there))}, which is not "
            "followed; give the URL of the server itself"
        )
    error = body.get("error") if isinstance(body, dict) else None
    message = " ".join(
        (redact(error) if isinstance(error, str) else redact(reply.text)[:_SHOWN]).split()
    )
    where = f"{without_user(str(reply.url))} replied with status {reply.status_code}"
    raise RemoteError(f"{message} ({where})" if message else where)
