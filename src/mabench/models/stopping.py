"""Keeps track of the requests under way, and ends them when the run stops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from mabench.models.errors import ModelStoppedError


@dataclass(eq=False, slots=True)
class RequestUnderWay:
    """A request, from the first attempt to send it until it has a reply or has failed."""

    deadline: asyncio.Timeout = field(default_factory=lambda: asyncio.timeout(None))
    at_server: bool = False  # Whether it was sent and has no reply yet.
    sent_at: float = 0.0  # When it was sent last, by ``time.monotonic``.
    failures: int = 0  # How many attempts have failed.
    # Whether the server answered a probe after an attempt had failed: the next one is the last.
    had_last_chance: bool = False


class RequestsUnderWay:
    """All requests that one event loop has under way, until ``halt`` is called."""

    def __init__(self) -> None:
        self._open: set[RequestUnderWay] = set()
        self._halted = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def __bool__(self) -> bool:
        return bool(self._open)

    def check(self) -> None:
        """Raise a ``ModelStoppedError`` if ``halt`` was called."""
        if self._halted:
            raise ModelStoppedError

    def halt(self, grace: float | None) -> None:
        """Let no request begin, and end those that wait to be sent; may be called from any thread.

        Requests already sent may take ``grace`` more seconds for their replies; None: as long as
        they need.
        """
        self._halted = True
        if self._loop is not None:
            with suppress(RuntimeError):  # The loop has ended, and every request with it.
                self._loop.call_soon_threadsafe(self._expire, self._loop, grace)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[RequestUnderWay]:
        """Yield a new request; ``halt`` ends the block with a ``ModelStoppedError``."""
        self._loop = asyncio.get_running_loop()
        request = RequestUnderWay()
        try:
            async with request.deadline:
                self._open.add(request)
                yield request
        except TimeoutError as error:
            if not request.deadline.expired():
                raise
            raise ModelStoppedError from error
        finally:
            self._open.discard(request)

    def _expire(self, loop: asyncio.AbstractEventLoop, grace: float | None) -> None:
        """Set the deadlines of all requests, as ``halt`` describes."""
        for request in self._open:
            if request.deadline.expired():
                continue
            if not request.at_server:
                request.deadline.reschedule(loop.time())
            elif grace is not None:
                request.deadline.reschedule(loop.time() + grace)
