"""The meter: a server on this machine that passes the model calls of memories on and counts them.

It listens on the loopback interface alone, in a thread of the process that runs the rows, so that
it is gone when that process is, however it ended. It has an event loop of its own: a memory that
blocks the engine's loop until its model replies would otherwise wait for ever.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

from mabench.errors import MabenchError, require
from mabench.metering.asking import Asking
from mabench.metering.bounds import Bounds
from mabench.metering.calls import Call
from mabench.metering.keeping import Keeper, Place
from mabench.metering.passing import Passing
from mabench.metering.saying import refusal
from mabench.metering.seats import Seat
from mabench.metering.upstream import Upstream
from mabench.models import Price
from mabench.models.spec import ModelAddress

if TYPE_CHECKING:
    from aiohttp.web import BaseRequest, StreamResponse

_HOST = "127.0.0.1"
_VERSION = "v1"
_LONGEST_REQUEST = 64 * 1024**2  # Bytes.
_BACKLOG = 1024
_START = 30.0  # Seconds.
_STEPS = {"", ".", "..", "%2e", "%2e%2e", ".%2e", "%2e."}


class Meter:
    """Passes calls on to a server of models; a context in which it listens.

    Args:
        address: the server, with the real key, which stays here, and the model's name there.
        prices: what tokens cost, by model.
        bounds: how many calls are under way at most, and how patiently they are sent again.
        keeper: keeps replies, and gives them back; closed at the end.

    Raises:
        MissingPackageError: when aiohttp is not installed.
    """

    def __init__(
        self,
        address: ModelAddress,
        prices: Mapping[str, Price],
        bounds: Bounds | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        require("aiohttp", "openai")
        self._model = address.name
        self._address = address
        self._prices = prices
        self._bounds = bounds or Bounds()
        self._keeper = keeper
        self._seats: dict[str, Seat] = {}
        self._port = 0
        self._problem: Exception | None = None
        self._listening = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._serve, name="meter", daemon=True)

    def __enter__(self) -> Self:
        """Listen.

        Raises:
            MabenchError: when no port of the loopback interface can be had.
        """
        self._thread.start()
        self._listening.wait(_START)
        if self._problem or not self._port:
            raise MabenchError(f"the meter cannot listen on {_HOST}: {self._problem}")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End what is under way, and listen no more; further calls change nothing."""
        if self._loop is not None and not self._loop.is_closed():
            with suppress(RuntimeError):  # It was closed at this instant.
                self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(_START)
        if self._keeper is not None:
            self._keeper.close()

    @property
    def outage(self) -> str | None:
        """In words, that the server does not answer; None while there is no cause for concern."""
        return self._bounds.outage.described()

    @property
    def not_kept(self) -> str | None:
        """Why a reply could not be kept; None when all could."""
        return self._keeper.not_kept if self._keeper else None

    def seat(
        self, tell: Callable[[Call], None], miss: Callable[[str], object] = lambda what: None
    ) -> Seat:
        """Return a seat for one row; ``tell`` and ``miss`` are called from another thread."""
        seat = Seat(tell, miss)
        self._seats[seat.token] = seat
        return seat

    def address(self, seat: Seat) -> ModelAddress:
        """Return where the memory of a row calls its model."""
        return seat.address(self._port, self._model)

    def halt(self, grace: float | None) -> None:
        """Pass nothing more on, from any thread; what waits to be sent again is given up.

        Args:
            grace: after how many seconds what is with the server is given up, too; None for never.
        """
        self._bounds.halt(grace)

    def _serve(self) -> None:
        try:
            asyncio.run(self._listen())
        except Exception as error:
            self._problem = error
        finally:
            self._listening.set()

    async def _listen(self) -> None:
        web = require("aiohttp.web", "openai")
        self._loop, self._closing = asyncio.get_running_loop(), asyncio.Event()
        self._upstream = Upstream(self._address, self._bounds.retry)
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
            self._bounds.halt(0.0)
            await runner.cleanup()
            await self._upstream.close()

    async def _answer(self, request: BaseRequest) -> StreamResponse:
        """Answer one request."""
        token, _, path = request.rel_url.raw_path.removeprefix("/").partition("/")
        seat = self._seats.get(token)
        if seat is None:
            return refusal(401, "this address is for the memories of a run, which have a token")
        version, _, path = path.partition("/")
        if version != _VERSION or not _STEPS.isdisjoint(path.rstrip("/").lower().split("/")):
            return refusal(404, f"there is nothing here; the address ends with /{_VERSION}")
        body = await _body(request)
        if body is None:
            return refusal(413, f"a request of more than {_LONGEST_REQUEST} bytes")
        asking = Asking.read(path, body, request.method, request.rel_url.raw_query_string)

        async def send(place: Place | None) -> StreamResponse:
            passing = Passing(request, asking, seat, self._upstream, self._prices, place)
            return await self._bounds.carry_out(passing, seat)

        if self._keeper is None:
            return await send(None)
        return await self._keeper.answer(request, asking, seat, send)


async def _body(request: BaseRequest) -> bytes | None:
    """Return the body of a request; None for one that is too long."""
    body = bytearray()
    async for content in request.content.iter_any():
        body += content
        if len(body) > _LONGEST_REQUEST:
            return None
    return bytes(body)
