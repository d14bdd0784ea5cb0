"""Whether a model's server answers at all, as all requests to it show together."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

_SLOW = 30.0  # Seconds after which a reply that is still awaited is worth a word.
_FAILING = 5.0  # The same where requests fail.


class Outage:
    """Since when a server has answered nothing.

    Attributes:
        failing: why the latest request got no answer; empty once one is answered.
    """

    def __init__(self) -> None:
        self.failing = ""
        self._awaited = 0
        self._since = self._answered = float("-inf")

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Count a request that awaits its answer."""
        if not self._awaited and not self.failing:
            self._since = time.monotonic()
        self._awaited += 1
        try:
            yield
        finally:
            self._awaited -= 1

    def answered(self) -> None:
        """Note that the server answered, be it with a refusal."""
        self._since = self._answered = time.monotonic()
        self.failing = ""

    def failed(self, reason: str) -> None:
        """Note that a request got no answer."""
        self.failing = reason

    def answered_since(self, then: float) -> bool:
        """Whether the server has answered any request since then."""
        return self._answered > then

    def seconds(self) -> float:
        """Return for how long the server has answered nothing that is awaited."""
        return time.monotonic() - self._since if self._awaited or self.failing else 0.0

    def described(self) -> str | None:
        """Return in words that the server does not answer; None while there is no cause."""
        seconds = self.seconds()
        if self.failing and seconds >= _FAILING:
            return (
                f"the model server does not answer since {seconds:.0f} s, retrying ({self.failing})"
            )
        if seconds >= _SLOW:
            return f"the model server has sent no reply for {seconds:.0f} s, waiting"
        return None
