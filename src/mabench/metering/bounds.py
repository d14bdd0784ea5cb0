"""What bounds the calls of all memories and of the reader: how many, how patiently, how long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mabench.metering.passing import Again, Passing
from mabench.metering.saying import refusal
from mabench.metering.seats import Seat
from mabench.models import RetryPolicy
from mabench.models.sending.outage import Outage
from mabench.models.sending.pacing import AdaptiveLimit

if TYPE_CHECKING:
    from aiohttp.web import StreamResponse

_IN_FLIGHT = 16
_STOPPING = "the run is stopping, and nothing more is asked"


class Bounds:
    """Sends calls while they may be sent, and again while that may help.

    Args:
        limit: how many are under way; the reader's requests share it.
        retry: how often and how slowly calls are sent again that failed in passing.
        gone: told why, once the server has answered nothing for longer than we wait.

    Attributes:
        outage: since when the server has answered no call.
        retry: as given.
    """

    def __init__(
        self,
        limit: AdaptiveLimit | None = None,
        retry: RetryPolicy | None = None,
        gone: Callable[[str], object] = lambda reason: None,
    ) -> None:
        self.outage = Outage()
        self._gone = gone
        self._limit = limit or AdaptiveLimit(_IN_FLIGHT)
        self.retry = retry or RetryPolicy()
        self._halted = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._open: set[asyncio.Task[object]] = set()
        self._sent: set[asyncio.Task[object]] = set()

    def halt(self, grace: float | None) -> None:
        """Send nothing more; from any thread. ``grace`` as for ``Meter.halt``."""
        self._halted = True
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._end, loop, grace)

    async def carry_out(self, passing: Passing, seat: Seat) -> StreamResponse:
        """Send a call until there is a reply that can be passed on, and pass it on."""
        self._loop = asyncio.get_running_loop()
        try:
            with _among(self._open), self.outage.awaited():
                response = await self._sent_until_answered(passing)
        except asyncio.CancelledError:
            seat.refused += self._halted
            raise
        seat.refused += response is None
        return refusal(403, _STOPPING) if response is None else response

    async def _sent_until_answered(self, passing: Passing) -> StreamResponse | None:
        """Return the reply, or the last error; None where the run stops before."""
        failures, began = 0, time.monotonic()
        while not self._halted:
            async with self._limit.slot() as admitted:
                if self._is_halted():
                    break
                with _among(self._sent):
                    outcome = await passing.send()
                if not isinstance(outcome, Again):
                    self.outage.answered()
                    self._limit.succeeded()
                    return outcome
                self._note(outcome)
                failures += not outcome.changed
                wait = 0.0 if outcome.changed else self._wait(outcome, failures)
                if wait > self.retry.longest_requested:
                    return _last(outcome)
                if failures >= self.retry.attempts and not await self._is_away(
                    passing, outcome, began
                ):
                    return _last(outcome)
                if outcome.pushed_back:
                    self._limit.pushed_back(admitted, wait)
                    wait = 0.0
            await asyncio.sleep(0.0 if self._is_halted() else wait)
        return None

    def _is_halted(self) -> bool:
        """Whether another thread has halted it since it was looked at."""
        return self._halted

    def _note(self, outcome: Again) -> None:
        if outcome.silent:
            self.outage.failed(outcome.silent)
        else:
            self.outage.answered()

    async def _is_away(self, passing: Passing, outcome: Again, began: float) -> bool:
        """Whether the server answers nobody, so that the call is sent again however often it was.

        Once it was away for too long, nothing is sent any more.
        """
        if not outcome.silent or self.outage.answered_since(began):
            return False
        if await passing.server_answers():
            self.outage.answered()
            return False
        seconds = self.outage.seconds()
        if seconds >= self.retry.patience:
            self._halted = True
            self._gone(
                f"the server that the memory calls has answered nothing for {seconds:.0f} s "
                f"({outcome.silent})"
            )
        return True

    def _wait(self, outcome: Again, failures: int) -> float:
        return max(outcome.requested_wait, self.retry.wait(max(1, failures)))

    def _end(self, loop: asyncio.AbstractEventLoop, grace: float | None) -> None:
        for task in self._open - self._sent:
            task.cancel()
        if grace is not None:
            loop.call_later(grace, lambda: [task.cancel() for task in [*self._open]])


@contextmanager
def _among(tasks: set[asyncio.Task[object]]) -> Iterator[None]:
    """Count the task that runs among some."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - a request is answered by a task
    tasks.add(task)
    try:
        yield
    finally:
        tasks.discard(task)


def _last(outcome: Again) -> StreamResponse:
    """Let clients know that sending it once more is no use: that was done."""
    outcome.response.headers["x-should-retry"] = "false"
    return outcome.response
