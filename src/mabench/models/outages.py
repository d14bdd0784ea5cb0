"""Tracks whether a server answers at all: when it last did, and how long it has been silent."""

from __future__ import annotations

import time

# Seconds without a reply after which we tell the user that the server is slow.
_SLOW = 30.0
# Seconds of failing requests after which we tell the user that the server is failing.
_FAILING = 5.0


class AnswerWatch:
    """When a server last answered.

    ``failing`` says why the latest request got no answer; it is empty if it got one.
    """

    def __init__(self) -> None:
        self.failing = ""
        self.answered_at = float("-inf")
        self.no_answer_at = float("-inf")
        self._silent_since = float("-inf")

    def begin(self, others_wait: bool) -> None:
        """Note that a request begins; the silence starts now unless others already wait."""
        if not others_wait and not self.failing:
            self._silent_since = time.monotonic()

    def answered(self) -> None:
        """Note that the server has answered a request, even with an error."""
        self._silent_since = self.answered_at = time.monotonic()
        self.failing = ""

    def measure_silence(self, is_awaited: bool) -> float:
        """Return for how many seconds the server has answered nothing; 0 if nothing is awaited."""
        if is_awaited or self.failing:
            return time.monotonic() - self._silent_since
        return 0.0

    def describe(self, is_awaited: bool, patience: float) -> str | None:
        """Return a message that the server does not answer; None while there is no problem.

        Args:
            is_awaited: whether a request is under way.
            patience: after how many seconds of failing requests we stop asking.
        """
        seconds = self.measure_silence(is_awaited)
        if self.failing and seconds >= _FAILING:
            return (
                f"the model server has not answered for {seconds:.0f} s, retrying until "
                f"{patience:.0f} s ({self.failing})"
            )
        if seconds >= _SLOW:
            return f"the model server has sent no reply for {seconds:.0f} s, waiting"
        return None
