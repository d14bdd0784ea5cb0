"""Ending the requests to a model early, from whichever thread decides it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from mabench.models.spec import ModelStoppedError


class OpenRequest:
    """A request that is waiting to be sent or, between two attempts, to be sent again.

    Attributes:
        deadline: when it is given up.
        sent: whether it is with the server now.
    """

    def __init__(self) -> None:
        self.deadline = asyncio.timeout(None)
        self.sent = False

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Be with the server."""
        self.sent = True
        try:
            yield
        finally:
            self.sent = False


class Halt:
    """Ends requests: those that wait at once, those that were sent after a grace.

    Attributes:
        halted: whether nothing is sent any more.
    """

    def __init__(self) -> None:
        self.halted = False
        self._open: set[OpenRequest] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def check(self) -> None:
        """Refuse to send anything once it is halted.

        Raises:
            ModelStoppedError: when it is.
        """
        if self.halted:
            raise ModelStoppedError

    @asynccontextmanager
    async def request(self) -> AsyncIterator[OpenRequest]:
        """Make a request that can be ended.

        Raises:
            ModelStoppedError: when it is.
        """
        self.check()
        self._loop = asyncio.get_running_loop()
        one = OpenRequest()
        try:
            async with one.deadline:
                self._open.add(one)
                yield one
        except TimeoutError as error:
            if not one.deadline.expired():
                raise
            raise ModelStoppedError from error
        finally:
            self._open.discard(one)

    def ask(self, grace: float | None) -> None:
        """Send nothing more; what was sent has ``grace`` seconds, or all its time when None."""
        self.halted = True
        if self._loop is not None:
            with suppress(RuntimeError):  # The loop has ended, and every request with it.
                self._loop.call_soon_threadsafe(self._end, self._loop, grace)

    def _end(self, loop: asyncio.AbstractEventLoop, grace: float | None) -> None:
        for one in self._open:
            if one.deadline.expired() or (one.sent and grace is None):
                continue
            one.deadline.reschedule(loop.time() + (grace or 0.0 if one.sent else 0.0))
