"""Intervals of the scores of sources, and of means over several of them, from 0 to 100."""

from __future__ import annotations

from collections.abc import Mapping

from mabench.runs.results.summaries import Intervals, Limits
from mabench.uncertainty import (
    MIN_HISTORIES,
    Grouped,
    Interval,
    Part,
    combined,
    new_histories,
    spread,
    student,
    these_histories,
)

Scores = Mapping[str, Grouped | None]


def source_intervals(scores: Grouped | None) -> Intervals | None:
    """Return the intervals of a source's mean score; None when it has none."""
    if scores is None or not scores.n:
        return None
    return Intervals(
        these_histories=_percent(these_histories(scores)),
        new_histories=_percent(new_histories(scores)),
    )


def mean_intervals(weights: Mapping[str, float], scores: Scores) -> Intervals | None:
    """Return the intervals of a weighted mean over sources.

    Args:
        weights: the weight of each source; they add up to 1.
        scores: the scores of each source.

    Returns:
        The intervals; None unless the scores of every source are known. That for new histories
        takes the sources with fewer than five histories as given, and is null where all are.
    """
    known = {name: one for name in weights if (one := scores.get(name)) is not None and one.n}
    if not known or len(known) < len(weights):
        return None
    if len(known) == 1:
        return source_intervals(*known.values())
    several = any(one.groups >= MIN_HISTORIES for one in known.values())
    return Intervals(
        these_histories=_mean_interval(weights, known, new=False),
        new_histories=_mean_interval(weights, known, new=True) if several else None,
    )


def _mean_interval(
    weights: Mapping[str, float], scores: Mapping[str, Grouped], *, new: bool
) -> Limits | None:
    parts = [Part(weights[name], one.mean, spread(one, new=new)) for name, one in scores.items()]
    return _percent(student(*combined(parts), 0.0, 1.0))


def _percent(interval: Interval | None) -> Limits | None:
    return (100 * interval.low, 100 * interval.high) if interval else None
