"""The meter: a local server that passes the model calls of memories on and counts them.

It listens only on the loopback interface, in a thread of the process that runs the rows. It has an
event loop of its own: a memory may block the engine's loop until its model replies, and would
otherwise wait for ever.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Self

from mabench.errors import MabenchError, require
from mabench.metering.endpoint import RowEndpoint, make_token
from mabench.metering.proxied import ProxiedCall
from mabench.metering.refusals import refuse
from mabench.models import (
    Call,
    KeptReply,
    ModelAddress,
    ModelError,
    ModelStoppedError,
    ModelUnavailableError,
    Price,
    ReplyNotKeptError,
    RequestGate,
    ResponseCache,
)
from mabench.models.server import ModelServer

if TYPE_CHECKING:
    from aiohttp.web import BaseRequest, StreamResponse

_HOST = "127.0.0.1"
_VERSION = "v1"
# Bytes.
_LONGEST_REQUEST = 64 * 1024**2
_BACKLOG = 1024
# Seconds that the thread may take to start, or to end.
_PATIENCE = 30.0
_STOPPING = "the run is stopping and sends no more requests"
# Parts of a path that could lead out of the server's address.
_STEPS = {"", ".", "..", "%2e", "%2e%2e", ".%2e", "%2e."}


class Meter:
    """Passes calls on to a model's server, whose real key stays here.

    It listens while it is used as a context manager. ``on_unavailable`` is called with the reason
    when no further call can succeed, such as after a long outage.
    """

    def __init__(
        self,
        address: ModelAddress,
        prices: Mapping[str, Price],
        gate: RequestGate | None = None,
        cache: ResponseCache | None = None,
        on_unavailable: Callable[[str], object] = lambda reason: None,
    ) -> None:
        require("aiohttp", "openai")
        self._address = address
        self._prices = prices
        self.gate = gate or RequestGate()
        self.cache = cache
        self._on_unavailable = on_unavailable
        self._endpoints: dict[str, RowEndpoint] = {}
        self._port = 0
        self._problem: Exception | None = None
        self._listening = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._serve, name="meter", daemon=True)

    def __enter__(self) -> Self:
        """Start to listen.

        Raises:
            MabenchError: when no port of the loopback interface is free.
        """
        self._thread.start()
        self._listening.wait(_PATIENCE)
        if self._problem or not self._port:
            raise MabenchError(f"the meter cannot listen on {_HOST}: {self._problem}")
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the calls under way and stop listening; may be called more than once."""
        if self._loop is not None and not self._loop.is_closed():
            with suppress(RuntimeError):  # The loop was closed just now.
                self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(_PATIENCE)
        if self.cache is not None:
            self.cache.close()

    def endpoint(
        self, tell: Callable[[Call], object], miss: Callable[[str], object] = lambda message: None
    ) -> RowEndpoint:
        """Return an address for one row; ``tell`` and ``miss`` are called from another thread."""
        token = make_token()
        url = f"http://{_HOST}:{self._port}/{token}/{_VERSION}"
        address = ModelAddress(self._address.name, url, token)
        self._endpoints[token] = RowEndpoint(address, tell, miss)
        return self._endpoints[token]

    def _serve(self) -> None:
        """Run the event loop of the thread, and keep the error if it cannot listen."""
        try:
            asyncio.run(self._listen())
        except Exception as error:
            self._problem = error
        finally:
            self._listening.set()

    async def _listen(self) -> None:
        """Listen on a free port until ``close`` is called."""
        web = require("aiohttp.web", "openai")
        self._loop, self._closing = asyncio.get_running_loop(), asyncio.Event()
        self._server = ModelServer(self._address, self.gate.retry)
        server = web.Server(
            self._answer, handler_cancellation=True, access_log=None, auto_decompress=False
        )
        runner = web.ServerRunner(server, shutdown_timeout=0.0)
        await runner.setup()
        try:
            site = web.TCPSite(runner, _HOST, 0, backlog=_BACKLOG)
            await site.start()
            self._port = runner.addresses[0][1]
            self._listening.set()
            await self._closing.wait()
        finally:
            self.gate.halt(0.0)
            await runner.cleanup()
            await self._server.close()

    async def _answer(self, http: BaseRequest) -> StreamResponse:
        """Answer one HTTP request of a memory."""
        token, _, path = http.rel_url.raw_path.removeprefix("/").partition("/")
        endpoint = self._endpoints.get(token)
        if endpoint is None:
            return refuse(401, "this address is for a run's memories, which have a token")
        version, _, path = path.partition("/")
        if version != _VERSION or not _STEPS.isdisjoint(path.rstrip("/").lower().split("/")):
            return refuse(404, f"there is nothing here; the address ends with /{_VERSION}")
        body = bytearray()
        async for content in http.content.iter_any():
            body += content
            if len(body) > _LONGEST_REQUEST:
                return refuse(413, f"a request of more than {_LONGEST_REQUEST} bytes")
        call = ProxiedCall(http, path, bytes(body), endpoint, self._server, self._prices)
        reason = _STOPPING
        try:
            if self.cache is None:
                return await self.gate.send_with_retries(call.send, call.probe)
            return await self._answer_from_cache(self.cache, call, endpoint)
        except ReplyNotKeptError as error:
            reason = str(error)
            endpoint.miss(reason)
        except ModelUnavailableError as error:
            self.gate.halt(None)
            self._on_unavailable(str(error))
        except ModelStoppedError:
            pass
        except ModelError as error:
            response = call.refusal or refuse(502, str(error))
            response.headers["x-should-retry"] = "false"  # We have retried already.
            return response
        endpoint.refused += 1
        return refuse(403, reason)

    async def _answer_from_cache(
        self, cache: ResponseCache, call: ProxiedCall, endpoint: RowEndpoint
    ) -> StreamResponse:
        """Answer a call with the cached reply, or with the server's, which is then cached.

        Equal requests wait for the first one and share its reply. But if the replies are sampled,
        the equal requests of one row are numbered and each gets a reply of its own; another row, or
        another run, gets the same replies in the same order.
        """
        request = call.request
        path, model = request.path, request.model
        request_hash = request.hash(self._address.own or self._address.base_url)
        if not request.can_be_kept:
            if cache.reads_only:
                raise cache.missing(request_hash.hex(), path, model)
            return await self.gate.send_with_retries(call.send, call.probe)
        numbers = endpoint.drawn[request_hash] if request.samples else set()
        number = next(number for number in count() if number not in numbers)  # The lowest free one.
        numbers.add(number)
        key = hashlib.sha256(request_hash + number.to_bytes(8)).hexdigest()
        kept: KeptReply | None = None
        try:
            async with cache.lookup(key, path, model) as kept:
                if kept is None:
                    call.keep = cache, key
                    return await self.gate.send_with_retries(call.send, call.probe)
            endpoint.replay(path, model, usage=kept.usage, reply=key, status=200)
            return await call.give_back(kept)
        finally:
            if kept is None and call.kept_as is None:  # No reply: another request may use it.
                numbers.discard(number)
