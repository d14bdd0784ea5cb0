"""Means over sources with their intervals, and the columns and categories of the paper's table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from mabench.data.inventory import BY_NAME, CATEGORIES, SOURCES
from mabench.results.summaries import Intervals, Limits, MeanScore, SourceScores
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


def column_weights(columns: Sequence[str]) -> dict[str, float]:
    """Return the weight of each source in the mean of some columns; they add up to 1."""
    members = {
        column: [source.name for source in SOURCES if source.column == column] for column in columns
    }
    return {name: 1 / (len(columns) * len(names)) for names in members.values() for name in names}


def overall_weights() -> dict[str, float]:
    """Return the weight of each source in the mean of the categories."""
    return {
        name: weight / len(CATEGORIES)
        for category in CATEGORIES
        for name, weight in column_weights(category.columns).items()
    }


def column_means(
    sources: Mapping[str, SourceScores], official: Scores, corrected: Scores
) -> dict[str, MeanScore]:
    """Return the columns that sources feed.

    A column has scores only when every question of its sources in the inventory is there.

    Args:
        sources: the scores of sources, by name.
        official: the official scores of their questions, by name.
        corrected: their corrected scores.
    """
    names = dict.fromkeys(BY_NAME[name].column for name in sources if name in BY_NAME)
    return {name: _column(name, sources, official, corrected) for name in names if name}


def category_means(
    columns: Mapping[str, MeanScore], official: Scores, corrected: Scores
) -> dict[str, MeanScore]:
    """Return all categories; one has scores only when all its columns have."""
    return {
        category.name: _category(category.columns, columns, official, corrected)
        for category in CATEGORIES
    }


def mean_of_all(scores: Iterable[float | None]) -> float | None:
    """Return the mean of scores; None unless there are any and all are known."""
    listed = list(scores)
    known = [score for score in listed if score is not None]
    return fmean(known) if known and len(known) == len(listed) else None


def _column(
    column: str, sources: Mapping[str, SourceScores], official: Scores, corrected: Scores
) -> MeanScore:
    members = [source for source in SOURCES if source.column == column]
    present = [sources[member.name] for member in members if member.name in sources]
    expected = sum(member.questions for member in members)
    complete = sum(source.n for source in present) == expected
    weights = column_weights([column])
    return MeanScore(
        official=mean_of_all(source.official for source in present) if complete else None,
        corrected=mean_of_all(source.corrected for source in present) if complete else None,
        interval=mean_intervals(weights, official) if complete else None,
        interval_corrected=mean_intervals(weights, corrected) if complete else None,
        complete=complete,
        coverage=sum(source.n - source.missing for source in present) / expected,
    )


def _category(
    names: Sequence[str], columns: Mapping[str, MeanScore], official: Scores, corrected: Scores
) -> MeanScore:
    present = [columns[name] for name in names if name in columns]
    complete = len(present) == len(names) and all(column.complete for column in present)
    weights = column_weights(names)
    return MeanScore(
        official=mean_of_all(column.official for column in present) if complete else None,
        corrected=mean_of_all(column.corrected for column in present) if complete else None,
        interval=mean_intervals(weights, official) if complete else None,
        interval_corrected=mean_intervals(weights, corrected) if complete else None,
        complete=complete,
        coverage=sum(column.coverage for column in present) / len(names),
    )
