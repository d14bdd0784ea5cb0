"""The channel to agents and memories on HTTP servers, by ``docs/reference/openapi.yaml``.

It follows no redirect, and never sends a call again that must not be carried out twice.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn
from urllib.parse import urlsplit

import httpx2

from mabench.contract.answers import AgentError
from mabench.contract.methods import Takes
from mabench.errors import UsageError
from mabench.models.address import ModelAddress
from mabench.models.failure import Failure, describe_excess
from mabench.redact import redact, redact_url
from mabench.remote.channel import CONVERSATION, LONGEST_REPLY, Remote, RemoteError
from mabench.specs.model import check_server

# Methods that may be sent again, because carrying them out twice does no harm.
_REPEATABLE = ("answer", "search", "list", "ready", "stats", "close")
# Seconds before the second and the third attempt.
_WAITS = (0.2, 0.4)
# Only connecting has a limit here: the run limits the time of each call.
_CONNECT_SECONDS = 10.0
_RESET_SECONDS = 60.0
# Seconds after which an idle connection is closed. Servers close theirs, often after 5 s, and a
# request that is sent at that moment is lost.
_IDLE_SECONDS = 2.0
# Characters of a reply that an error shows.
_LONGEST_SHOWN = 300
# The field that the reply to a method must have.
_REQUIRED_FIELDS = {"answer": "text", "search": "passages", "list": "passages"}


def http_factory(url: str) -> Callable[..., object]:
    """Return a factory of agents or memories on a server; each call opens a session there.

    Raises:
        UsageError: when the URL is invalid; by the factory, when no server answers as it should.
    """
    check_server(url)
    return partial(_open, url.rstrip("/"))


def _open(url: str, address: ModelAddress | None = None) -> Remote:
    """Open a session on a server; ``address`` is for its memory's own model calls."""
    server = without_user(url)
    body: dict[str, object] = {}
    if address:
        body["model"] = {name: value for name, value in address._asdict().items() if value}

    async def reset() -> Any:
        try:
            async with _client() as client, asyncio.timeout(_RESET_SECONDS):
                return await _post(client, f"{url}/reset", body, repeatable=False)
        except TimeoutError as error:
            reason = f"no reply from {server}/reset within {_RESET_SECONDS:g} s"
            raise RemoteError(reason) from error

    try:
        # The caller may be in an event loop, and a thread can run only one: use another thread.
        with ThreadPoolExecutor(1) as thread:
            reply = thread.submit(asyncio.run, reset()).result()
    except RemoteError as error:
        raise UsageError(f"{error}; start the server at {server} or correct the URL") from error
    match reply:
        case {"kind": "agent" | "memory" as kind, "session": str(session)}:
            takes = Takes.of_reply(reply, ["stats"], session=CONVERSATION)
            return Remote(_HttpChannel(url, session, takes), kind)
    raise UsageError(
        f"{server}/reset replied with {_excerpt(reply)}; expected "
        '{"session": "...", "kind": "agent" or "memory"} (see docs/guides/remote-memories.md)'
    )


def _client(**settings: Any) -> httpx2.AsyncClient:
    """Return an HTTP client with our limits; ``settings`` are others of ``AsyncClient``."""
    timeout = httpx2.Timeout(None, connect=_CONNECT_SECONDS)
    client = httpx2.AsyncClient(timeout=timeout, **settings)
    limit_replies(client)
    return client


class _HttpChannel:
    """A session on a server."""

    def __init__(self, url: str, session: str, takes: Takes) -> None:
        self._url = url
        self._session = session
        self.takes = takes
        self._client = _client(limits=httpx2.Limits(keepalive_expiry=_IDLE_SECONDS))

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        url = f"{self._url}/{method}"
        body = {"session": self._session}
        for name, value in params.items():
            if name == "session":  # Here that is the name of the row's session.
                body[CONVERSATION] = value
            else:
                body[name] = value
        try:
            reply = await _post(self._client, url, body, repeatable=method in _REPEATABLE)
        except RemoteError:
            if method == "stats":  # Optional for servers.
                return {}
            raise
        field = _REQUIRED_FIELDS.get(method)
        if field and not (isinstance(reply, dict) and field in reply):
            raise AgentError(
                f"{without_user(url)} replied with {_excerpt(reply)}; "
                f"expected an object with {field!r} (see docs/guides/remote-memories.md)"
            )
        if method in ("add", "memorize"):
            return reply.get("id") if isinstance(reply, dict) else None
        # A list may say that it has more.
        return reply["passages"] if method == "search" else reply

    async def close(self) -> None:
        try:
            await self.call("close", {})
        finally:
            await self._client.aclose()


async def _post(
    client: httpx2.AsyncClient, url: str, body: Mapping[str, object], *, repeatable: bool
) -> Any:
    """Send a request and return the reply; send it again if that may help and does no harm."""
    # Escapes in ASCII can hold lone surrogates; UTF-8 cannot.
    content = json.dumps(body).encode("ascii")
    headers = {"Content-Type": "application/json"}
    waits = iter(_WAITS)
    while True:
        try:
            reply = await client.post(url, content=content, headers=headers)
            break
        except RemoteError:  # The reply is too long, or compressed.
            raise
        except Exception as error:
            failure = Failure.of_error(error)
            does_no_harm = repeatable or failure.unreached
            wait = next(waits, None)  # None if that was the last attempt.
            if wait is None or not failure.again or not does_no_harm:
                reason = f"no reply from {without_user(url)}: {failure.reason}"
                raise RemoteError(reason) from error
        await asyncio.sleep(wait)
    return _parse_reply(reply)


def without_user(url: str) -> str:
    """Return a URL without user and password."""
    try:
        parts = urlsplit(url)
    except ValueError:  # It is no valid URL.
        return redact_url(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _excerpt(reply: object) -> str:
    return redact(json.dumps(reply))[:_LONGEST_SHOWN]


def _parse_reply(reply: httpx2.Response) -> Any:
    """Return the JSON, or else the text, of a reply.

    Raises:
        RemoteError: when the status of the reply is an error or a redirect.
    """
    text = reply.content.decode("utf-8", "replace")  # Whatever encoding its headers name.
    try:
        body = json.loads(reply.content)
    except (ValueError, RecursionError):
        body = text
    if reply.is_success:
        return body
    url = without_user(str(reply.url))
    if reply.has_redirect_location:
        with suppress(httpx2.InvalidURL, ValueError):
            there = without_user(str(reply.url.join(reply.headers["location"])))
            raise RemoteError(
                f"{url} redirects to {there}, and redirects are not followed; give the final URL"
            )
        raise RemoteError(f"{url} redirects to an invalid address")
    error = body.get("error") if isinstance(body, dict) else None
    message = redact(error) if isinstance(error, str) else redact(text)[:_LONGEST_SHOWN]
    message = " ".join(message.split())
    status = f"{url} replied with status {reply.status_code}"
    raise RemoteError(f"{message} ({status})" if message else status)


def limit_replies(
    client: httpx2.AsyncClient, report: Callable[[str], object] = lambda reason: None
) -> None:
    """Make a client raise a ``RemoteError`` for replies that are compressed or too long.

    The reason is also passed to ``report``, because some clients hide errors.
    """

    def fail(reason: str) -> NoReturn:
        report(reason)
        raise RemoteError(reason)

    async def limit(response: httpx2.Response) -> None:
        url = response.url.copy_with(userinfo=b"", query=None, fragment=None)
        encoding = response.headers.get("Content-Encoding", "identity")
        if encoding != "identity":
            fail(f"{url} sent a reply packed as {encoding[:20]}, unasked")
        fail_as_too_long = partial(fail, describe_excess(str(url), LONGEST_REPLY))
        response.stream = _Limited(response.stream, fail_as_too_long)

    # The length of a compressed reply is not known before it is unpacked.
    client.headers["Accept-Encoding"] = "identity"
    client.event_hooks = {"response": [limit]}


class _Limited(httpx2.AsyncByteStream):
    """The body of a reply, which fails when it is too long."""

    def __init__(self, stream: Any, fail: Callable[[], object]) -> None:
        self._stream, self._fail = stream, fail

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for piece in self._stream:
            length += len(piece)
            if length > LONGEST_REPLY:
                self._fail()
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
