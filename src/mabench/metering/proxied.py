"""Passes one call of a memory on to the model's server, and its reply back.

The call is reported when it begins and when it ends. What the memory gets differs from the server's
reply only by the token counts that were asked for on its behalf.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mabench.errors import require
from mabench.metering.headers import select_reply_headers, select_request_headers, set_headers
from mabench.metering.refusals import refuse
from mabench.metering.requests import ProxiedRequest
from mabench.metering.scans import BodyScan, StreamScan
from mabench.models import CallLog, KeptReply, Price, ResponseCache
from mabench.models.failure import INVALID_REQUEST, PAYMENT_REQUIRED, Failure
from mabench.models.server import LostReplyError, ModelServer
from mabench.models.server_message import parse_error_body

if TYPE_CHECKING:
    from aiohttp import ClientResponse
    from aiohttp.web import BaseRequest, Response, StreamResponse

# Bytes. Batches of embeddings are long.
_LONGEST_REPLY = 1024**3
# Bytes below which a reply is read as a whole before it is passed on.
_SMALL_BYTES = 1024**2
# Bytes of a cached stream that are sent at a time.
_PIECE_BYTES = 64 * 1024
_HUNG_UP = "the memory closed the connection"
_STREAM = "text/event-stream"
_OK = 200
# Asks for the token counts of a stream.
_USAGE_OPTION = b'"stream_options":{"include_usage":true}'


class ProxiedCall:
    """One call of a memory, which may be sent several times.

    ``refusal`` is what the memory gets if the last attempt fails. ``keep`` is set to the cache and
    the key for its reply; ``kept_as`` is that key once the reply is cached.
    """

    def __init__(
        self,
        http: BaseRequest,
        path: str,
        body: bytes,
        log: CallLog,
        server: ModelServer,
        prices: Mapping[str, Price],
    ) -> None:
        query = http.rel_url.raw_query_string
        self.request = ProxiedRequest(path, body, http.method, query, http.headers)
        self.refusal: Response | None = None
        self.keep: tuple[ResponseCache, str] | None = None
        self.kept_as: str | None = None
        self._web = require("aiohttp.web", "openai")
        self._http = http
        self._log = log
        self._server = server
        self._prices = prices
        self._asks_usage = self.request.hides_usage
        self._end: Callable[..., None] = lambda **outcome: None

    async def send(self) -> StreamResponse | Failure:
        """Send the call once and pass the reply on; return a ``Failure`` if there is none."""
        request = self.request
        body = request.body
        if self._asks_usage:
            start = body.index(b"{") + 1
            body = body[:start] + _USAGE_OPTION + b"," + body[start:]
        self._end = self._log.begin(request.path, request.model, (request.path, request.body))
        headers = select_request_headers(self._http.headers)
        try:
            reply = await self._server.send(request.method, request.target, headers, body)
        except LostReplyError as lost:
            self._end(error=str(lost))
            if lost.failure.unavailable:
                return lost.failure
            return self._fail(f"the server of the model gave no reply: {lost}", str(lost))
        except BaseException:
            self._end(error=_HUNG_UP)
            raise
        if reply.status < 300:
            return await self._pass_on(reply)
        return await self._pass_error_on(reply)

    async def probe(self) -> Failure | None:
        """Ask the server for its list of models, to see whether it answers at all."""
        end = self._log.begin("models", None, b"")
        error, status = "no reply in time", None
        try:
            reply = await self._server.send("GET", "models", [], b"")
            reply.close()
            status, error = reply.status, ""
        except LostReplyError as lost:
            error = str(lost)
        finally:
            end(status=status, error=error or None)
        answers = status is not None and status < 500
        return None if answers else Failure(error or f"HTTP {status}", silent=True)

    async def give_back(self, kept: KeptReply) -> StreamResponse:
        """Send the memory a cached reply in its original form: a stream as a stream."""
        named = [("Content-Type", kept.type), ("Content-Encoding", kept.encoding)]
        headers = [(name, value) for name, value in named if value]
        media_type = kept.type.partition(";")[0].strip().lower()
        if media_type != _STREAM:
            response = self._web.Response(body=kept.body)
            set_headers(response, headers)
            return response  # type: ignore[no-any-return]
        stream = self._web.StreamResponse()
        set_headers(stream, headers)
        await stream.prepare(self._http)
        for start in range(0, len(kept.body), _PIECE_BYTES):
            await stream.write(kept.body[start : start + _PIECE_BYTES])
        await stream.write_eof()
        return stream  # type: ignore[no-any-return]

    def _fail(self, message: str, reason: str) -> Failure:
        """Note what the memory gets if the call is not sent again; return the failure."""
        self.refusal = refuse(502, message)
        return Failure(reason, silent=True)

    async def _pass_error_on(self, reply: ClientResponse) -> StreamResponse | Failure:
        """Pass an error reply on, or return a ``Failure`` if sending the call again may help."""
        error: str | None = _HUNG_UP  # Unless one of the others below.
        try:
            body = await self._read_whole(reply)
            error = None
        except LostReplyError as lost:
            error = str(lost)
            reason = "the server of the model broke off its reply"
            return self._fail(reason, reason)
        finally:
            self._end(status=reply.status, error=error)
            reply.release()
        if reply.status < 400:
            return refuse(502, "the server of the model redirects, which is not followed")
        self.refusal = response = self._respond(reply, body)
        if self._asks_usage and reply.status in INVALID_REQUEST and b"stream_options" in body:
            self._asks_usage = False
            return Failure("stream_options is refused", adapted=True)
        message = parse_error_body(body)
        if message.wants_payment or reply.status == PAYMENT_REQUIRED:
            return Failure.unpaid(message.after(f"HTTP {reply.status}"))
        # Without the server's message: the memory gets that in the reply itself.
        failure = Failure.of_status(f"HTTP {reply.status}", reply.status, reply.headers)
        return failure if failure.again else response

    async def _pass_on(self, reply: ClientResponse) -> StreamResponse | Failure:
        """Pass a reply on, and report the end of the call.

        A small reply is read as a whole first, so that it can be asked for again if it breaks off.
        A long one is passed on as it comes; if it breaks off, so does the memory's connection.
        """
        if reply.content_type == _STREAM:
            return await self._pass_on_in_pieces(reply, StreamScan(self._asks_usage))
        scan = BodyScan(reply.headers.get("Content-Encoding", ""))
        if reply.content_length and reply.content_length < _SMALL_BYTES:
            return await self._pass_on_whole(reply, scan)
        return await self._pass_on_in_pieces(reply, scan)

    async def _pass_on_whole(
        self, reply: ClientResponse, scan: BodyScan
    ) -> StreamResponse | Failure:
        """Read a reply and pass it on; return a ``Failure`` if it breaks off."""
        error = _HUNG_UP  # Unless it ends otherwise.
        try:
            body = await self._read_whole(reply)
            scan.feed(body)
            response = self._respond(reply, self._keep_reply(reply, scan, body))
            error = ""
            return response
        except (LostReplyError, OSError) as lost:
            error = str(lost)
            return self._fail(error, error)
        finally:
            _let_go(reply, error)
            self._report_end(reply, scan, error)

    async def _pass_on_in_pieces(
        self, reply: ClientResponse, scan: StreamScan | BodyScan
    ) -> StreamResponse:
        """Pass a reply on as it comes; abort the memory's connection if it breaks off."""
        passed = bytearray()
        error = _HUNG_UP  # Unless it ends otherwise.
        try:
            response = await self._stream(reply, scan, passed)
            error = ""
            return response
        except (LostReplyError, OSError) as lost:
            error = str(lost)
            return self._web.Response()  # type: ignore[no-any-return]  # The connection is aborted: nobody gets it.
        finally:
            _let_go(reply, error)
            if error and self._http.transport is not None:
                self._http.transport.abort()
            # Clients hang up as soon as they see the end of a stream, which is no error.
            if isinstance(scan, StreamScan) and scan.is_whole():
                error = ""
            if not error:
                self._keep_reply(reply, scan, bytes(passed))
            self._report_end(reply, scan, error)

    def _report_end(self, reply: ClientResponse, scan: StreamScan | BodyScan, error: str) -> None:
        """Report the end of the call with what it took; ``error`` is empty if all went well."""
        usage = scan.usage(self.request.asked)
        price = Price.of(self.request.model or "", self._prices)
        self._end(
            status=reply.status,
            error=error or None,
            usage=usage,
            cost=price.cost(usage) if price and usage else None,
            reply=self.kept_as,
        )

    async def _stream(
        self, reply: ClientResponse, scan: StreamScan | BodyScan, passed: bytearray
    ) -> StreamResponse:
        """Pass a reply on as it comes; collect what was passed in ``passed`` for the cache."""
        response = self._web.StreamResponse(status=reply.status, reason=reply.reason)
        set_headers(response, select_reply_headers(reply.headers))
        if reply.content_length is not None and not self._asks_usage:
            response.content_length = reply.content_length
        await response.prepare(self._http)

        async def write(content: bytes) -> None:
            # Collect the reply for the cache, until it is too long to be cached.
            if self.keep and len(passed) <= ResponseCache.longest:
                passed.extend(content)
            if content:
                await response.write(content)

        async for content in self._server.read(reply, _LONGEST_REPLY):
            await write(scan.feed(content))
        await write(scan.finish())
        await response.write_eof()
        return response  # type: ignore[no-any-return]

    def _keep_reply(self, reply: ClientResponse, scan: StreamScan | BodyScan, body: bytes) -> bytes:
        """Cache a complete reply; return the body to pass on.

        That is the body of another process if it cached a reply to the same request first.
        """
        framed = reply.content_length is not None or "Transfer-Encoding" in reply.headers
        if self.keep is None or reply.status != _OK or not scan.is_whole(framed):
            return body
        cache, key = self.keep
        encoding = reply.headers.get("Content-Encoding", "").lower()
        media = reply.headers.get("Content-Type", "")
        kept = cache.put(key, KeptReply(body, scan.usage(self.request.asked), media, encoding))
        if kept is None:
            return body
        self.kept_as = key
        return kept.body

    async def _read_whole(self, reply: ClientResponse) -> bytes:
        return b"".join([part async for part in self._server.read(reply, _SMALL_BYTES)])

    def _respond(self, reply: ClientResponse, body: bytes) -> Response:
        """Return a response to the memory with the status and headers of a reply."""
        response = self._web.Response(status=reply.status, reason=reply.reason, body=body)
        set_headers(response, select_reply_headers(reply.headers))
        return response  # type: ignore[no-any-return]


def _let_go(reply: ClientResponse, error: str) -> None:
    """Give the connection of a reply back for further requests; close it after an error."""
    if error:
        reply.close()
    else:
        reply.release()
