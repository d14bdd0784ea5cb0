"""Adapts the number of requests in flight: fewer when the server pushes back, more on success."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager


class AdaptiveLimit:
    """Admits at most ``current`` requests at a time, which is between 1 and ``highest``.

    Requests may come from any number of event loops.

    Additive increase, multiplicative decrease, as in TCP's congestion avoidance (Chiu and Jain,
    1989): a server that pushes back halves the limit, and every round of successes adds one.
    """

    def __init__(self, highest: int) -> None:
        self.highest = highest
        self.current = highest
        self._in_flight = 0
        self._successes = 0
        self._open_at = 0.0
        self._shrunk_at = 0.0
        self._lock = threading.Lock()
        self._waiting: deque[Future[None]] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for a free slot and hold it; yield the time at which the request was admitted."""
        turn: Future[None] = Future()
        with self._lock:
            self._waiting.append(turn)
            self._admit()
        try:
            await asyncio.wrap_future(turn)
        except asyncio.CancelledError:
            if not turn.cancel():  # It was admitted at this instant.
                self._release()
            raise
        try:
            while (wait := self._open_at - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            yield time.monotonic()
        finally:
            self._release()

    def succeeded(self) -> None:
        """Note a success; after ``current`` of them the limit grows by one."""
        with self._lock:
            self._successes += 1
            if self._successes >= self.current and self.current < self.highest:
                self.current += 1
                self._successes = 0
                self._admit()

    def pushed_back(self, admitted: float, wait: float) -> None:
        """Halve the limit and admit nothing for ``wait`` seconds.

        ``admitted`` is the time that ``slot`` yielded. A request that was already under way when
        the limit last shrank does not shrink it again.
        """
        now = time.monotonic()
        with self._lock:
            self._open_at = max(self._open_at, now + wait)
            if admitted >= self._shrunk_at:
                self.current = max(1, self.current // 2)
                self._successes = 0
                self._shrunk_at = now

    def _release(self) -> None:
        """Give a slot back."""
        with self._lock:
            self._in_flight -= 1
            self._admit()

    def _admit(self) -> None:
        """Admit waiting requests while there are free slots; the caller holds the lock."""
        while self._waiting and self._in_flight < self.current:
            turn = self._waiting.popleft()
            if turn.set_running_or_notify_cancel():
                self._in_flight += 1
                turn.set_result(None)
