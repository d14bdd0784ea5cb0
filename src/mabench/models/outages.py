"""Whether a server answers at all: when it last did, and for how long it has been silent."""

from __future__ import annotations

import time

# Seconds after which a reply that is still awaited is worth a word.
_SLOW = 30.0
# Seconds after which requests that fail are worth a word.
_FAILING = 5.0


class AnswerWatch:
    """When a server last answered; ``failing`` says why the latest request got no answer."""

    def __init__(self) -> None:
        self.failing = ""
        self.answered_at = float("-inf")
        self.no_answer_at = float("-inf")
        self._silent_since = float("-inf")

    def begin(self, others_wait: bool) -> None:
        """Note that a request begins, perhaps while others wait."""
        if not others_wait and not self.failing:
            self._silent_since = time.monotonic()

    def answered(self) -> None:
        """Note that the server has answered a request, be it with an error."""
        self._silent_since = self.answered_at = time.monotonic()
        self.failing = ""

    def measure_silence(self, awaits: bool) -> float:
        """Return for how many seconds nothing that is awaited was answered."""
        return time.monotonic() - self._silent_since if awaits or self.failing else 0.0

    def describe(self, awaits: bool) -> str | None:
        """Return in words that the server does not answer; None as long as all seems well."""
        seconds = self.measure_silence(awaits)
        if self.failing and seconds >= _FAILING:
            return (
                f"the model server has not answered for {seconds:.0f} s, retrying ({self.failing})"
            )
        if seconds >= _SLOW:
            return f"the model server has sent no reply for {seconds:.0f} s, waiting"
        return None
