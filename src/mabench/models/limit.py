"""One limit on the requests in flight, which adapts to what the server takes.

Additive increase, multiplicative decrease, as in TCP's congestion avoidance (Chiu and Jain,
1989): a server that pushes back halves the limit, and every round of successes adds one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class AdaptiveLimit:
    """Admits at most ``current`` requests at a time, between 1 and ``highest``."""

    def __init__(self, highest: int) -> None:
        self.highest = highest
        self.current = highest
        self._in_flight = 0
        self._successes = 0
        self._open_at = 0.0
        self._shrunk_at = 0.0
        self._changed: asyncio.Condition | None = None

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for a free slot and hold it; yields when the request was admitted."""
        changed = self._condition()
        async with changed:
            await changed.wait_for(lambda: self._in_flight < self.current)
            self._in_flight += 1
        try:
            while (wait := self._open_at - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            yield time.monotonic()
        finally:
            self._in_flight -= 1
            async with changed:
                changed.notify_all()

    def succeeded(self) -> None:
        """Grow by one after as many successes as the limit admits at a time."""
        self._successes += 1
        if self._successes >= self.current and self.current < self.highest:
            self.current += 1
            self._successes = 0

    def pushed_back(self, admitted: float, wait: float) -> None:
        """Halve the limit and admit nothing for ``wait`` seconds: the server demands less.

        Requests that were under way when the limit shrank do not shrink it again.
        """
        now = time.monotonic()
        self._open_at = max(self._open_at, now + wait)
        if admitted >= self._shrunk_at:
            self.current = max(1, self.current // 2)
            self._successes = 0
            self._shrunk_at = now

    def _condition(self) -> asyncio.Condition:
        if self._changed is None:  # Made where the event loop runs.
            self._changed = asyncio.Condition()
        return self._changed
