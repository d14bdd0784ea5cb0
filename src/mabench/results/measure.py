"""A figure with its 95 % intervals, and the words for what becomes of a question, as printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mabench.results.scored import Intervals, Limits

# Marks an interval that says nothing about other histories.
THESE = "†"


class _PartWords(NamedTuple):
    """What may become of a question, in words, and as the head of a column."""

    words: str
    head: str
    by_mention: str = ""  # What is said where a hit is a mention, which need not answer.
    lost: str = ""  # How points are lost by it, where a run can lose some.

    def describe(self, hit_by: str | None) -> str:
        """Return it in words, by what a hit is for the question."""
        return self.by_mention if hit_by == "mention" and self.by_mention else self.words


# What becomes of questions; each has one part, so that their counts add up.
PARTS: Mapping[str, _PartWords] = {
    "right": _PartWords("right", "Right"),
    "right_unretrieved": _PartWords(
        "right, although its support was not retrieved",
        "Right anyway",
        "right, although no passage mentions the gold",
    ),
    "missed": _PartWords(
        "wrong: its support was not retrieved",
        "Missed",
        "wrong: no passage mentions the gold",
        "missed",
    ),
    "misread": _PartWords(
        "wrong, although its support was retrieved",
        "Misread",
        "wrong, although a passage mentions the gold",
        "misread",
    ),
    "failed": _PartWords("failed: there is no answer", "Failed", lost="failed"),
    "no_form": _PartWords(
        "wrong: not an answer of the form asked for", "No form", lost="without the form asked for"
    ),
    "unclear": _PartWords("wrong or without a score, and nothing tells why", "Unclear"),
}
UNTOLD = frozenset({"right", "unclear"})  # Parts that say nothing of why.


class Measure(NamedTuple):
    """A figure with its 95 % intervals."""

    value: float
    these: Limits | None = None  # For other questions about the same histories.
    new: Limits | None = None  # For other histories of the same kind; counts where there is one.
    letters: str = ""  # It is not shown to differ from what has one of them.
    best: bool = False  # Not shown to differ from the best of its column.

    @classmethod
    def of(cls, score: float | None, intervals: Intervals | None) -> Measure | None:
        """Return a score of a summary with its intervals; None without a score."""
        if score is None or intervals is None:
            return None if score is None else cls(score)
        return cls(score, intervals.these_histories, intervals.new_histories)

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
        return f"{limits[0]:{spec}} to {limits[1]:{spec}}{self.mark}" if limits else "-"

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
        limits, letters = self.limits, f" {self.letters}" * bool(self.letters)
        if spec or limits is None:
            return format(self.value, spec or ".1f") + letters * (not spec)
        half = (limits[1] - limits[0]) / 2
        if half <= self.value <= 100 - half:
            return f"{self.value:.1f} ±{half:.1f}{self.mark}{letters}"
        ends = [f"{limit:.1f}" for limit in limits]
        low, high = ({"0.0": "0", "100.0": "100"}.get(end, end) for end in ends)
        return f"{self.value:.1f} [{low}, {high}]{self.mark}{letters}"
