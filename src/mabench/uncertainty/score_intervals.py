"""The two intervals of a mean score: for other questions, and for other histories."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from mabench.json_text import JsonRecord

if TYPE_CHECKING:
    from mabench.uncertainty import Grouped
    from mabench.uncertainty.intervals import Interval

Limits = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals(JsonRecord):
    """The 95 % confidence intervals of a mean score, low and high."""

    # For other questions about the same histories; null if each history has one question.
    these_histories: Limits | None
    # For other histories of the same kind; null with fewer than five effective histories. Of a
    # mean over sources, null unless each of them has as many.
    new_histories: Limits | None

    @classmethod
    def of_values(cls, values: Sequence[float], histories: Iterable[Hashable]) -> Self | None:
        """Return those of the mean of values from 0 to 1, each with its history; None for none."""
        from mabench.uncertainty import Grouped

        return cls.of([(1, Grouped.of(values, histories))])

    @classmethod
    def of(cls, scores: Sequence[tuple[float, Grouped | None]]) -> Self | None:
        """Return those of a weighted mean over sources, or of one; None unless all have scores.

        ``scores`` are the weights of the sources with their scores.
        """
        # They bring numpy, which takes longer to load than stored intervals to be read.
        from mabench.uncertainty import Estimate, WeightedPart, estimate_new, speaks_of_new
        from mabench.uncertainty.shares import new_histories

        parts = [(weight, group) for weight, group in scores if group is not None and group.n]
        if len(parts) < len(scores):
            return None
        new: Interval | None = None
        if len(parts) == 1:
            ((_, group),) = parts
            these, new = group.these_histories(), new_histories(group)
        else:
            parts_of_these = [
                WeightedPart(weight, group.mean, group.spread_of_these) for weight, group in parts
            ]
            these = Estimate(*WeightedPart.combine(parts_of_these)).interval(0.0, 1.0)
            if speaks_of_new(group for _, group in parts):
                new = estimate_new(parts).interval(0.0, 1.0)
        return cls(
            these_histories=None if these is None else these.percent,
            new_histories=None if new is None else new.percent,
        )
