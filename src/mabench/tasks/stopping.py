"""Stopping a run early so that it can be resumed: a signal, errors, cost, or an outage."""

from __future__ import annotations

import asyncio
import math
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent import futures
from contextlib import asynccontextmanager, contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from mabench.metering import Meter
from mabench.models import ReadingModel
from mabench.progress import Progress
from mabench.tasks.loops import run_to_end
from mabench.tasks.outages import tell_outages
from mabench.tasks.signals import collect_signals
from mabench.tasks.waits import Waits

_T = TypeVar("_T")

# Seconds that a request which is with a model's server has to end after a signal.
_GRACE = 0.5
# Seconds that what is under way has to end after a signal, and once it is cancelled.
_LAST_SECONDS, _CANCEL_SECONDS = 10.0, 3.0


class Stop:
    """Says whether the run is to stop, and why; nothing new begins once it is."""

    def __init__(self) -> None:
        self.reason: str | None = None  # In words; None while the run continues.
        self.by_signal = False  # Whether a signal stops it.
        self.by_cost = False  # Whether it stops because it has cost as much as it may.
        self.not_kept = False  # Whether it stops because a reply that it needs is not cached.
        self.signal: int = signal.SIGINT  # The number of the signal, if one stops it.
        # Called when the run is asked to stop, and again at the first signal.
        self.listeners: list[Callable[[], object]] = []
        self._waits = Waits()
        self.waiting_for = self._waits.waiting_for

    def ask(self, reason: str) -> None:
        """Begin nothing new; what is under way is finished and stored."""
        if self.reason is None:
            self.reason = reason
            self._notify()

    @contextmanager
    def after(self, minutes: float | None) -> Iterator[None]:
        """Ask the run to stop once this block has taken some minutes; None is no limit."""
        if minutes is None:
            yield
            return
        why = f"{minutes:g} minutes have passed (`max_minutes`)"
        timer = threading.Timer(60 * minutes, self.ask, [why])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _interrupt(self, number: int = signal.SIGINT) -> None:
        """Stop because of a signal: nothing is waited for any more that can be asked again."""
        if not self.by_signal:
            self.by_signal, self.signal = True, number
            self.reason = self.reason or "stopped by a signal"
            self._notify()

    @contextmanager
    def halt_on_stop(self, *servers: ReadingModel | Meter | None) -> Iterator[None]:
        """Let nothing more be sent to servers of models once the run stops.

        What is with one then is awaited, since it is paid for; after a signal for a moment only.
        """

        def halt() -> None:
            for server in servers:
                if server is not None:
                    server.gate.halt(_GRACE if self.by_signal else None)

        self.listeners.append(halt)
        if self.reason is not None:
            halt()
        try:
            yield
        finally:
            self.listeners.remove(halt)

    @asynccontextmanager
    async def supervise(
        self, progress: Progress, work: str, *servers: ReadingModel | Meter | None
    ) -> AsyncIterator[None]:
        """Halt servers as ``halt_on_stop`` does, and say how they fare, beside ``work``.

        That is: how long one has not answered, and when that ends; in the end, what was not cached.
        """
        present = [server for server in servers if server is not None]
        if not present:
            yield
            return
        with self.halt_on_stop(*present):
            watching = asyncio.create_task(tell_outages(present, progress, work))
            try:
                yield
            finally:
                watching.cancel()
                await asyncio.wait([watching])
                problem = _find_cache_problem(present)
                if problem:
                    progress.say(f"not every reply was cached for later runs: {problem}")

    def _notify(self) -> None:
        """Call the listeners, any of which may take itself off the list."""
        for listener in [*self.listeners]:
            listener()

    def follow(self, stopping: Connection, interrupted: Connection) -> None:
        """Stop when the other end of ``stopping`` is closed, from a thread of its own.

        Once the other end of ``interrupted`` is closed as well, stop as at a signal.
        """

        def wait_for_both() -> None:
            wait([stopping])
            self.ask("the run is stopping")
            wait([interrupted])
            self._interrupt()

        threading.Thread(target=wait_for_both, daemon=True).start()

    def run(self, work: Coroutine[Any, Any, _T], progress: Progress, remedy: str) -> _T:
        """Run async work to its end, or until ten seconds after Ctrl-C or SIGTERM.

        At the first signal, requests to a model that wait are given up, and ``progress`` says what
        is waited for. A second signal ends the ten seconds. What goes on then is cancelled, and
        left behind if that does not end it.
        Where something keeps Python from handling signals, ``remedy`` says how to resume.

        Raises:
            CancelledError: when it was ended, of ``asyncio`` or ``concurrent.futures``.
        """
        loop: asyncio.AbstractEventLoop
        task: asyncio.Task[_T]
        cancel_at, abandon_at = math.inf, math.inf  # By the clock of ``time.monotonic``.

        async def cancellable() -> _T:
            nonlocal loop, task
            loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
            return await task

        def watch() -> None:
            nonlocal cancel_at, abandon_at
            now = time.monotonic()
            if signals and not self.by_signal:
                self._interrupt(signals[0])
                cancel_at = now + _LAST_SECONDS
                progress.say(
                    f"Stopping: waiting for {self._waits.describe()}; ends in "
                    f"{_LAST_SECONDS:.0f} s, or press Ctrl-C again."
                )
            is_cancelled = abandon_at < math.inf
            if not is_cancelled and (len(signals) > 1 or now > cancel_at):
                abandon_at = now + _CANCEL_SECONDS
                loop.call_soon_threadsafe(task.cancel)
            if now > abandon_at:
                raise futures.CancelledError

        with collect_signals(self._waits, remedy) as signals:
            try:
                return run_to_end(cancellable(), watch)
            finally:
                if signals:  # One may have come at the very end.
                    self._interrupt(signals[0])


def _find_cache_problem(servers: Sequence[ReadingModel | Meter]) -> str | None:
    """Return in words why a reply of the servers was not cached; None if all were."""
    for server in servers:
        problem = server.cache.not_kept if server.cache else None
        if problem:
            return problem
    return None
