"""Passing one call on: sent again while that may help, read on the way, told of when it ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from mabench.errors import require
from mabench.metering.asking import Asking
from mabench.metering.calls import Call
from mabench.metering.headers import returned
from mabench.metering.keeping import Place
from mabench.metering.replies import BodyReading, Reading, StreamReading
from mabench.metering.saying import refusal, set_headers
from mabench.metering.seats import Seat
from mabench.metering.upstream import LostReplyError, Upstream
from mabench.models import Price, price_of
from mabench.models.replies.kept import LONGEST_BODY
from mabench.models.sending.pacing import retry_after

if TYPE_CHECKING:
    from aiohttp import ClientResponse
    from aiohttp.web import BaseRequest, Response, StreamResponse

_SMALL = 1024**2  # Bytes of a reply that is passed on in one piece.
_PROBE = 10.0  # Seconds.
_TRANSIENT = {408, 409, 425, 429}
_PUSHED_BACK = {429, 503}
_HUNG_UP = "the memory hung up"
_STREAM = "text/event-stream"
_OK = 200


class Again(NamedTuple):
    """A call that failed and may be sent again.

    Attributes:
        response: what the memory gets if it is not.
        pushed_back: whether the server demands fewer calls.
        requested_wait: the seconds that the server asks us to wait.
        changed: whether it will be put otherwise, so that the same failure will not come again.
        silent: why the server gave no answer, in words; empty where it gave one.
    """

    response: Response
    pushed_back: bool = False
    requested_wait: float = 0.0
    changed: bool = False
    silent: str = ""


class Passing:
    """One call of a memory, which may be sent several times.

    Args:
        request: as it came.
        asking: what it asks for.
        seat: whose call it is.
        upstream: where it goes.
        prices: what tokens cost, by model.
        place: where its reply is kept; None for nowhere.
    """

    def __init__(
        self,
        request: BaseRequest,
        asking: Asking,
        seat: Seat,
        upstream: Upstream,
        prices: Mapping[str, Price],
        place: Place | None = None,
    ) -> None:
        self._call: Call | None = None
        self._web = require("aiohttp.web", "openai")
        self._request = request
        self._asking = asking
        self._seat = seat
        self._upstream = upstream
        self._prices = prices
        self._place = place
        self._print = asking.print()
        self._asks_usage = asking.mute
        self._began = 0.0

    async def send(self) -> StreamResponse | Again:
        """Send the call once and pass the reply on, or say how it may be sent again."""
        reply = await self._reply()
        if isinstance(reply, str):
            self._end(None, reply)
            said = refusal(502, f"the server of the model gave no reply: {reply}")
            return Again(said, silent=reply)
        if reply.status < 300:
            return await self._pass_on(reply)
        body = await self._error_of(reply)
        if body is None:
            broken = "the server of the model broke off its reply"
            return Again(refusal(502, broken), silent=broken)
        if reply.status < 400:
            return refusal(502, "the server of the model redirects, which is not followed")
        response = self._answer(reply, body)
        if self._asks_usage and reply.status in (400, 422) and b"stream_options" in body:
            self._asks_usage = False
            return Again(response, changed=True)
        if reply.status in _TRANSIENT or reply.status >= 500:
            wait = retry_after(reply.headers) or 0.0
            silent = f"HTTP {reply.status}" if reply.status >= 500 else ""
            return Again(response, reply.status in _PUSHED_BACK, wait, silent=silent)
        return response

    async def server_answers(self) -> bool:
        """Whether the server answers anything at all: it is asked for its models."""
        call, began = self._seat.begin("models", None, b""), time.monotonic()
        status, error = None, _HUNG_UP
        try:
            async with asyncio.timeout(_PROBE):
                reply = await self._upstream.send("GET", "models", [], b"")
                reply.close()
                status, error = reply.status, ""
        except (LostReplyError, TimeoutError) as lost:
            error = str(lost) or "no reply in time"
        finally:
            seconds = time.monotonic() - began
            end = call._replace(ended=True, status=status, error=error or None, seconds=seconds)
            self._seat.end(end, b"")
        return status is not None and status < 500

    async def _reply(self) -> ClientResponse | str:
        """Send the call, and tell that it has begun; return its reply, or why there is none."""
        asking = self._asking
        body = asking.asking_usage() if self._asks_usage else asking.body
        self._call = self._seat.begin(asking.path, asking.model, self._print)
        self._began = time.monotonic()
        try:
            headers = [*self._request.headers.items()]
            return await self._upstream.send(asking.method, asking.target, headers, body)
        except LostReplyError as error:
            return str(error)
        except BaseException:
            self._end(None, _HUNG_UP)
            raise

    async def _error_of(self, reply: ClientResponse) -> bytes | None:
        """Return the body of a reply that is an error, and tell of it; None where it broke off."""
        error: str | None = _HUNG_UP
        try:
            body = await self._whole(reply)
            error = None
            return body
        except LostReplyError as lost:
            error = str(lost)
            return None
        finally:
            self._end(reply.status, error)
            reply.release()

    async def _pass_on(self, reply: ClientResponse) -> StreamResponse | Again:
        """Pass a reply on, and tell what the call took.

        Where it breaks off after the memory got its start, so does what the memory gets.
        """
        reading, error, passed = self._reading(reply), _HUNG_UP, bytearray()
        small = isinstance(reading, BodyReading) and (reply.content_length or _SMALL) < _SMALL
        try:
            if small:
                body = await self._whole(reply)
                reading.feed(body)
                body = self._kept(reply, reading, body)
                error = ""
                return self._answer(reply, body)
            response = await self._streamed(reply, reading, passed)
            error = ""
            return response
        except (LostReplyError, OSError) as lost:
            error = str(lost)
            if small:
                return Again(refusal(502, error), silent=error)
            if self._request.transport is not None:
                self._request.transport.abort()
            return self._web.Response()  # type: ignore[no-any-return]  # It reaches nobody.
        finally:
            (reply.close if error else reply.release)()
            if not small and (not error or self._has_end(reading)):
                self._kept(reply, reading, bytes(passed))
                error = ""
            self._end(reply.status, error or None, reading)

    def _has_end(self, reading: Reading) -> bool:
        """Whether the end of a stream was passed on; clients hang up as soon as they see it."""
        return isinstance(reading, StreamReading) and reading.complete(framed=True)

    def _end(self, status: int | None, error: str | None, reading: Reading | None = None) -> None:
        """Tell how the call ended."""
        if self._call is None or self._call.ended:
            return
        usage = reading.usage(self._asking) if reading else None
        price = price_of(self._call.model or "", self._prices)
        self._call = self._call._replace(
            ended=True,
            status=status,
            error=error,
            usage=usage,
            cost=price.cost(usage.input, usage.output, usage.cached) if price and usage else None,
            seconds=time.monotonic() - self._began,
            reply=self._place.key if self._place and self._place.used else None,
        )
        self._seat.end(self._call, self._print)

    def _reading(self, reply: ClientResponse) -> Reading:
        if reply.content_type == _STREAM:
            return StreamReading(hides_usage=self._asks_usage)
        return BodyReading(reply.headers.get("Content-Encoding", ""))

    async def _streamed(
        self, reply: ClientResponse, reading: Reading, whole: bytearray
    ) -> StreamResponse:
        """Pass a reply on as it comes; what was passed on is put into ``whole``, too."""
        response = self._web.StreamResponse(status=reply.status, reason=reply.reason)
        set_headers(response, returned(reply.headers.items()))
        if reply.content_length is not None and not self._asks_usage:
            response.content_length = reply.content_length
        await response.prepare(self._request)
        async for content in self._upstream.read(reply):
            if shown := reading.feed(content):
                self._gather(whole, shown)
                await response.write(shown)
        if shown := reading.rest():
            self._gather(whole, shown)
            await response.write(shown)
        await response.write_eof()
        return response  # type: ignore[no-any-return]

    def _gather(self, whole: bytearray, shown: bytes) -> None:
        """Hold a reply until it can be kept; of one that is too long, no more than shows it."""
        if self._place is not None and len(whole) <= LONGEST_BODY:
            whole += shown

    def _kept(self, reply: ClientResponse, reading: Reading, body: bytes) -> bytes:
        """Keep a reply that is whole, as the memory gets it; return what is kept."""
        if self._place is None or reply.status != _OK:
            return body
        framed = reply.content_length is not None or "Transfer-Encoding" in reply.headers
        if not reading.complete(framed):
            return body
        return self._place.put(reply, body, reading.usage(self._asking))

    async def _whole(self, reply: ClientResponse) -> bytes:
        """Return the whole of a small reply, and the start of one that claims to be small."""
        body = bytearray()
        async for content in self._upstream.read(reply, _SMALL):
            body += content
        return bytes(body)

    def _answer(self, reply: ClientResponse, body: bytes) -> Response:
        response = self._web.Response(status=reply.status, reason=reply.reason, body=body)
        set_headers(response, returned(reply.headers.items()))
        return response  # type: ignore[no-any-return]
