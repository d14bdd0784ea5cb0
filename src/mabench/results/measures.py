"""A figure with its 95 % intervals, and how it is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mabench.printable import write_number

if TYPE_CHECKING:
    from mabench.uncertainty.score_intervals import Intervals, Limits

# Marks an interval that says nothing about other histories.
THESE = "†"


class Measure(NamedTuple):
    """A figure with its 95 % intervals."""

    value: float
    these: Limits | None = None  # For other questions about the same histories.
    new: Limits | None = None  # For other histories of the same kind; counts where there is one.
    letters: str = ""  # It is not shown to differ from what has one of them.
    best: bool = False  # Higher than all others of its column.

    @classmethod
    def of(cls, score: float | None, intervals: Intervals | None) -> Measure | None:
        """Return a score of a summary with its intervals; None without a score."""
        if score is None or intervals is None:
            return None if score is None else cls(score)
        return cls(score, intervals.these_histories, intervals.new_histories)

    def opposite(self) -> Measure:
        """Return the same difference as the other of two runs has it, with the other sign."""
        return self._replace(value=-self.value, these=_negated(self.these), new=_negated(self.new))

    @property
    def limits(self) -> Limits | None:
        """The interval that counts."""
        return self.new or self.these

    @property
    def mark(self) -> str:
        """What follows an interval: the mark of one for these histories alone, or nothing."""
        return "" if self.new else THESE

    def range(self, spec: str = ".1f") -> str:
        """Return the interval that counts, its ends written as ``format`` takes it."""
        limits = self.limits
        if not limits:
            return "-"
        low, high = (write_number(limit, spec) for limit in limits)
        return f"{low} to {high}{self.mark}"

    def spread_out(self) -> tuple[float, float | None, float | None, str | None]:
        """Return the figure, the ends of its interval, and for which histories that is."""
        if not self.limits:
            return self.value, None, None, None
        return self.value, *self.limits, "new histories" if self.new else "these histories"

    def __format__(self, spec: str) -> str:
        """Return the value alone by a format, or by none with its interval.

        That is half its width, but the limits themselves where the value ± that would leave the
        range of scores.
        """
        if spec:
            return write_number(self.value, spec)
        value = write_number(self.value, ".1f")
        letters = f" {self.letters}" if self.letters else ""
        if self.limits is None:
            return f"{value}{letters}"
        low, high = self.limits
        half = (high - low) / 2
        if half <= self.value <= 100 - half:
            return f"{value} ±{write_number(half, '.1f')}{self.mark}{letters}"
        return f"{value} [{_write_end(low)}, {_write_end(high)}]{self.mark}{letters}"


def _negated(limits: Limits | None) -> Limits | None:
    return None if limits is None else (-limits[1], -limits[0])


def _write_end(limit: float) -> str:
    """Return an end of an interval with one decimal, but for the ends of the range of scores."""
    text = write_number(limit, ".1f")
    return {"0.0": "0", "100.0": "100"}.get(text, text)
