"""Requests that are under way, and how they end when no more are to be sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from mabench.models.errors import ModelStoppedError


@dataclass(eq=False, slots=True)
class RequestUnderWay:
    """A request from when it is wanted until it has a reply, however often it is sent."""

    deadline: asyncio.Timeout = field(default_factory=lambda: asyncio.timeout(None))
    at_server: bool = False
    sent_at: float = 0.0
    failures: int = 0
    # Whether it was sent once more after the server had answered a probe.
    had_last_chance: bool = False


class RequestsUnderWay:
    """All requests that one event loop has under way, until they are halted."""

    def __init__(self) -> None:
        self._open: set[RequestUnderWay] = set()
        self._halted = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def __bool__(self) -> bool:
        return bool(self._open)

    def check(self) -> None:
        """Raise a ``ModelStoppedError`` once they were halted."""
        if self._halted:
            raise ModelStoppedError

    def halt(self, grace: float | None) -> None:
        """Let none begin, from any thread; end those that wait.

        Those that are with the server have ``grace`` seconds; with None, as long as they take.
        """
        self._halted = True
        if self._loop is not None:
            with suppress(RuntimeError):  # The loop has ended, and every request with it.
                self._loop.call_soon_threadsafe(self._expire, self._loop, grace)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[RequestUnderWay]:
        """Yield a new request; a ``ModelStoppedError`` ends it when they are halted."""
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
        for request in self._open:
            if request.deadline.expired() or (request.at_server and grace is None):
                continue
            request.deadline.reschedule(loop.time() + (grace or 0.0 if request.at_server else 0.0))
