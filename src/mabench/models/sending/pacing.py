"""When requests are sent: how many at a time, and after which waits failed ones are sent again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from random import uniform


class AdaptiveLimit:
    """Admits at most ``current`` requests at a time, between 1 and ``highest``.

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
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for a free slot and hold it; yields when the request was admitted."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._in_flight < self.current)
            self._in_flight += 1
        try:
            while (wait := self._open_at - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            yield time.monotonic()
        finally:
            self._in_flight -= 1
            async with self._changed:
                self._changed.notify_all()

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


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Back-off between attempts, in seconds.

    Attributes:
        attempts: how often a request is sent at most.
        first: the wait after the first failure; it doubles with each further one.
        longest: the longest wait of our own choice.
        longest_requested: the longest wait that a server may request; after a longer one the
            request fails.
        timeout: how long a reply may take.
        connect: how long connecting to the server may take.
        patience: how long the server may answer no request at all before we stop asking.
    """

    attempts: int = 8
    first: float = 0.5
    longest: float = 30.0
    longest_requested: float = 600.0
    timeout: float = 300.0
    connect: float = 10.0
    patience: float = 300.0

    def wait(self, failures: int) -> float:
        """Return the wait after so many failures, drawn at random from its upper half.

        Jitter keeps clients that failed together from coming back together.
        """
        whole = min(self.longest, self.first * 2.0 ** min(failures - 1, 60))
        return uniform(whole / 2, whole)  # noqa: S311 - nothing here is secret


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the wait that a response asks for, in seconds; None if it asks for none.

    ``Retry-After`` holds seconds or a date (RFC 9110 §10.2.3); some servers send
    ``retry-after-ms`` beside it.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(KeyError, ValueError):
            return max(0.0, float(headers[name]) * unit)
    with suppress(KeyError, ValueError):
        return max(0.0, parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time())
    return None
