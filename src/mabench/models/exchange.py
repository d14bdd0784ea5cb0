"""Requests over HTTP that have an end: limits of bytes, and words for what servers do to HTTP.

Models, memories that call them, and agents and memories on servers all use this, so that whatever
a server sends, or does not send, is a failed request.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx2

from mabench.errors import MabenchError
from mabench.models.spec import Failure
from mabench.redact import redact

LONGEST_REPLY = 1 << 25  # Bytes; 32 MiB.
# What is packed cannot be measured before it is unpacked.
PLAIN_REPLIES = {"Accept-Encoding": "identity"}
_REASON_LENGTH = 300
_ERROR_NUMBER = re.compile(r"\[Errno -?\d+\] ")
# What aiohttp and httpx2 call a connection that was never made.
_UNREACHED = {
    "ClientConnectorError",
    "ConnectionTimeoutError",
    "ConnectError",
    "ConnectTimeout",
}
# What they raise for an address to which nothing can be sent.
_NO_ADDRESS = {"InvalidURL", "UnsupportedProtocol", "LocalProtocolError"}


class RefusedReplyError(MabenchError):
    """A reply is longer than a reply may be, or packed."""


def too_long(sender: str, longest: int = LONGEST_REPLY) -> str:
    """Return in words that a reply is too long."""
    return f"{sender} sent a reply of more than {longest:,} bytes"


def limit_reply(
    response: httpx2.Response, report: Callable[[str], object] = lambda reason: None
) -> None:
    """Let a reply whose body is not read fail with a ``RefusedReplyError`` once it is too long.

    ``report`` is called with the reason first, for clients that do not pass on what fails.

    Raises:
        RefusedReplyError: when the reply is packed.
    """
    url = response.url.copy_with(userinfo=b"", query=None, fragment=None)
    packed = response.headers.get("Content-Encoding", "identity")
    if packed != "identity":
        reason = f"{url} sent a reply packed as {packed[:20]}, unasked"
        report(reason)
        raise RefusedReplyError(reason)
    response.stream = _Limited(response.stream, str(url), report)


def limiting_hooks() -> dict[str, list[Any]]:
    """Return the hooks of an async client that limit all its replies."""

    async def limit(response: httpx2.Response) -> None:
        limit_reply(response)

    return {"response": [limit]}


class _Limited(httpx2.AsyncByteStream):
    def __init__(self, stream: Any, sender: str, report: Callable[[str], object]) -> None:
        self._stream = stream
        self._sender = sender
        self._report = report

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for piece in self._stream:
            length += len(piece)
            if length > LONGEST_REPLY:
                reason = too_long(self._sender)
                self._report(reason)
                raise RefusedReplyError(reason)
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


def parse_json(body: bytes) -> Any:
    """Return what a body holds.

    Raises:
        ValueError: when it is not JSON, or JSON that is too deep or holds numbers too long.
    """
    try:
        return json.loads(body)
    except RecursionError as error:
        raise ValueError("JSON that is too deep") from error


def lost_reply(error: Exception, seconds: float | None = None) -> Failure:
    """Return the failure of a request that an HTTP client could not carry out, by its error.

    ``seconds`` is how long it may take, where it was ended after that time.
    """
    if isinstance(error, RefusedReplyError):
        return Failure(str(error), again=False)
    causes = [*_causes(error)]
    kinds = {kind.__name__ for cause in causes for kind in type(cause).__mro__}
    if not kinds.isdisjoint(_NO_ADDRESS):
        return Failure("nothing can be sent to this address", again=False, unreached=True)
    own = [cause for cause in causes if type(cause).__module__.startswith("aiohttp")]
    raised = {kind.__name__ for cause in own or causes for kind in type(cause).__mro__}
    if not raised.isdisjoint(_UNREACHED):
        return Failure(_why_unreached(causes), silent=True, unreached=True)
    if isinstance(error, TimeoutError) and seconds is not None:
        return Failure(f"no whole reply within {seconds:g} s", silent=True)
    reason = f"the reply broke off or is no HTTP: {_describe_error(causes[-1])}"
    return Failure(reason, silent=True)


def _describe_error(error: BaseException) -> str:
    """Return what a client says of an error, in one line."""
    text = getattr(error, "message", str(error))  # aiohttp's, without status and address.
    text = text if isinstance(text, str) else ""  # A head, where the rest was cut off.
    line = " ".join(_ERROR_NUMBER.sub("", redact(text)).split())
    return line[:_REASON_LENGTH] or type(error).__name__


def _why_unreached(causes: list[BaseException]) -> str:
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "the name of the host cannot be resolved"
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return "the connection is refused"
    return f"no connection: {_describe_error(causes[-1])}"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
