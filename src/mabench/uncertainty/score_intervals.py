"""The two intervals of a mean score: for other questions, and for other histories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from mabench.json_text import JsonRecord
from mabench.uncertainty import MIN_HISTORIES, Grouped, Interval, Part

Limits = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals(JsonRecord):
    """The 95 % confidence intervals of a mean score, low and high."""

    # For other questions about the same histories; null if each history has one question.
    these_histories: Limits | None
    # For other histories of the same kind; null below five histories and where almost all are
    # alike. Of a column, a category or all, sources with fewer histories are taken as given, and it
    # is null if all are.
    new_histories: Limits | None

    @classmethod
    def of(cls, scores: Sequence[tuple[float, Grouped | None]]) -> Self | None:
        """Return those of a weighted mean over sources, or of one; None unless all have scores."""
        groups = [(weight, group) for weight, group in scores if group and group.n]
        if len(groups) < len(scores):
            return None
        if len(groups) == 1:
            these, new = groups[0][1].these_histories(), groups[0][1].new_histories()
            return cls(these_histories=these and these.percent, new_histories=new and new.percent)

        def interval(*, new: bool) -> Limits:
            parts = (Part(weight, group.mean, group.spread(new=new)) for weight, group in groups)
            return Interval.student(*Part.combine(parts), 0.0, 1.0).percent

        several = any(group.groups >= MIN_HISTORIES for _, group in groups)
        others = interval(new=True) if several else None
        return cls(these_histories=interval(new=False), new_histories=others)
