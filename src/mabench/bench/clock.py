"""The clock of a test: how long a call may take, and until when work may begin.

``check`` gives every call the same limit. ``stress`` observes how long calls take at first, and
from then on allows a multiple of the longest. The clock must never interrupt anything: whoever
makes a call passes its limit on, and whoever works in a loop asks a ``TimeBudget``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

# A call hangs when it takes this many times as long as the longest that was observed.
_SLOWNESS = 20
# With this many more calls at a time, each may take twice as long: where one waits for all others,
# each takes as long as all together.
_SHARED_CALLS = 16


@dataclass(slots=True)
class Clock:
    """Limits how long calls may take, and says whether a test was stopped."""

    make_seconds: float  # How long making an instance may take.
    least_call_seconds: float  # Within this time no other call hangs.
    longest_call: float = 0.0  # Seconds, of the calls that were observed.
    is_stopped: bool = field(default=False, init=False)

    def observe_call(self, seconds: float) -> None:
        """Allow calls more time if this one, made with no other under way, took longer than all."""
        self.longest_call = max(self.longest_call, seconds)

    def call_seconds(self, clients: int = 1) -> float:
        """Return the seconds after which a call hangs while ``clients`` make calls at a time."""
        shared = 1 + (clients - 1) / _SHARED_CALLS
        return max(self.least_call_seconds, _SLOWNESS * self.longest_call * shared)

    def budget(self, seconds: float) -> TimeBudget:
        """Return a budget of time that begins now; infinity lasts until the clock is stopped."""
        return TimeBudget(self, seconds)

    def stop(self) -> None:
        """End all budgets, so that nothing more begins."""
        self.is_stopped = True


class TimeBudget:
    """The time in which a piece of work may begin something new."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._end = time.monotonic() + seconds

    def is_over(self) -> bool:
        """Return whether its time has passed, or its clock was stopped."""
        return self._clock.is_stopped or time.monotonic() > self._end

    def seconds_left(self) -> float:
        """Return how much of it is left, at least 0."""
        return 0.0 if self._clock.is_stopped else max(0.0, self._end - time.monotonic())
