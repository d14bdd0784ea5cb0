"""One call of a memory: what it asks, passed on and told of when it begins and when it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mabench.errors import require
from mabench.metering.headers import select_reply_headers, select_request_headers, set_headers
from mabench.metering.refusals import refuse
from mabench.metering.requests import ProxiedRequest
from mabench.metering.scans import BodyScan, StreamScan
from mabench.models import CallLog, KeptReply, Price, ResponseCache
from mabench.models.failure import PAYMENT_REQUIRED, Failure
from mabench.models.server import LostReplyError, ModelServer
from mabench.models.server_words import read_words

if TYPE_CHECKING:
    from aiohttp import ClientResponse
    from aiohttp.web import BaseRequest, Response, StreamResponse

# Bytes; a batch of embeddings is long.
_LONGEST_REPLY = 1024**3
# Bytes of a reply that is passed on in one piece.
_SMALL = 1024**2
# Bytes of a kept stream that are given back at a time.
_PIECE = 64 * 1024
_HUNG_UP = "the memory closed the connection"
_STREAM = "text/event-stream"
_OK = 200
_OPTIONS = b'"stream_options":{"include_usage":true}'


class ProxiedCall:
    """One call of a memory, which may be sent several times.

    The memory gets ``refusal`` if the call failed and is not sent again. ``keep`` is the cache of
    its reply, and the key; ``kept_as`` the name under which it is kept now.
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
        """Send the call once and pass the reply on, or say why there is none."""
        request = self.request
        body = request.body
        if self._asks_usage:  # Otherwise it goes on as it came.
            start = body.index(b"{") + 1
            body = body[:start] + _OPTIONS + b"," + body[start:]
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
        return await (self._pass_on(reply) if reply.status < 300 else self._pass_error_on(reply))

    async def probe(self) -> Failure | None:
        """Ask the server for its models, to see whether it answers anything at all."""
        end, error, status = self._log.begin("models", None, b""), "no reply in time", None
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
        """Give a kept reply back in the form in which it came: a stream as a stream."""
        headers = [("Content-Type", kept.type), ("Content-Encoding", kept.encoding)]
        headers = [(name, value) for name, value in headers if value]
        streams = kept.type.partition(";")[0].strip().lower() == _STREAM
        response = self._web.StreamResponse() if streams else self._web.Response(body=kept.body)
        set_headers(response, headers)
        if streams:
            await response.prepare(self._http)
            for start in range(0, len(kept.body), _PIECE):
                await response.write(kept.body[start : start + _PIECE])
            await response.write_eof()
        return response  # type: ignore[no-any-return]

    def _fail(self, message: str, reason: str) -> Failure:
        self.refusal = refuse(502, message)
        return Failure(reason, silent=True)

    async def _pass_error_on(self, reply: ClientResponse) -> StreamResponse | Failure:
        error: str | None = _HUNG_UP
        try:
            body = await self._read_whole(reply)
            error = None
        except LostReplyError as lost:
            error = str(lost)
            broken = "the server of the model broke off its reply"
            return self._fail(broken, broken)
        finally:
            self._end(status=reply.status, error=error)
            reply.release()
        if reply.status < 400:
            return refuse(502, "the server of the model redirects, which is not followed")
        self.refusal = response = self._respond(reply, body)
        if self._asks_usage and reply.status in (400, 422) and b"stream_options" in body:
            self._asks_usage = False
            return Failure("stream_options is refused", adapted=True)
        words = read_words(body)
        reason = words.after(f"HTTP {reply.status}")
        if words.wants_payment or reply.status == PAYMENT_REQUIRED:
            return Failure.unpaid(reason)
        failure = Failure.of_status(f"HTTP {reply.status}", reply.status, reply.headers)
        return failure if failure.again else response

    async def _pass_on(self, reply: ClientResponse) -> StreamResponse | Failure:
        """Pass a reply on; where it breaks off on the way, so does what the memory gets."""
        scan: StreamScan | BodyScan
        if reply.content_type == _STREAM:
            scan = StreamScan(self._asks_usage)
        else:
            scan = BodyScan(reply.headers.get("Content-Encoding", ""))
        small = isinstance(scan, BodyScan) and (reply.content_length or _SMALL) < _SMALL
        error, passed = _HUNG_UP, bytearray()
        try:
            if small:
                body = await self._read_whole(reply)
                scan.feed(body)
                response: StreamResponse = self._respond(reply, self._keep(reply, scan, body))
            else:
                response = await self._stream(reply, scan, passed)
            error = ""
            return response
        except (LostReplyError, OSError) as lost:
            error = str(lost)
            if small:
                return self._fail(error, error)
            return self._web.Response()  # type: ignore[no-any-return]  # It reaches nobody.
        finally:
            (reply.close if error else reply.release)()
            if not small:
                if error and self._http.transport is not None:
                    self._http.transport.abort()
                # Clients hang up as soon as they see the end of a stream.
                if not error or (isinstance(scan, StreamScan) and scan.is_whole()):
                    self._keep(reply, scan, bytes(passed))
                    error = ""
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
        response = self._web.StreamResponse(status=reply.status, reason=reply.reason)
        set_headers(response, select_reply_headers(reply.headers))
        if reply.content_length is not None and not self._asks_usage:
            response.content_length = reply.content_length
        await response.prepare(self._http)

        async def write(content: bytes) -> None:
            # Of a reply that is too long to be kept, no more than shows it.
            if self.keep and len(passed) <= ResponseCache.longest:
                passed.extend(content)
            if content:
                await response.write(content)

        async for content in self._server.read(reply, _LONGEST_REPLY):
            await write(scan.feed(content))
        await write(scan.finish())
        await response.write_eof()
        return response  # type: ignore[no-any-return]

    def _keep(self, reply: ClientResponse, scan: StreamScan | BodyScan, body: bytes) -> bytes:
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
        return b"".join([part async for part in self._server.read(reply, _SMALL)])

    def _respond(self, reply: ClientResponse, body: bytes) -> Response:
        response = self._web.Response(status=reply.status, reason=reply.reason, body=body)
        set_headers(response, select_reply_headers(reply.headers))
        return response  # type: ignore[no-any-return]
