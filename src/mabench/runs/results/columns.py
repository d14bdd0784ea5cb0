"""The columns and categories of the paper's table, and its overall score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import TypedDict

from mabench.data.inventory import BY_NAME, CATEGORIES, SOURCES
from mabench.runs.results.summaries import MeanScore, SourceScores

_NO_SCORE = MeanScore(official=None, corrected=None, complete=False, coverage=0.0)


class Means(TypedDict):
    """The means over sources, by the field names of summaries."""

    columns: Mapping[str, MeanScore]
    categories: Mapping[str, MeanScore]
    overall: float | None
    overall_corrected: float | None


def means(sources: Mapping[str, SourceScores]) -> Means:
    """Return the means over sources.

    A column has scores only when every question of its sources in the inventory is there, a
    category only when all its columns have, and the overall score only when all categories do.
    """
    columns: dict[str, MeanScore] = {}
    for name in sources:
        column = BY_NAME[name].column if name in BY_NAME else None
        if column and column not in columns:
            columns[column] = _column(column, sources)
    categories = {
        category.name: _category([columns.get(name, _NO_SCORE) for name in category.columns])
        for category in CATEGORIES
    }
    return Means(
        columns=columns,
        categories=categories,
        overall=_mean(category.official for category in categories.values()),
        overall_corrected=_mean(category.corrected for category in categories.values()),
    )


def _column(column: str, sources: Mapping[str, SourceScores]) -> MeanScore:
    members = [source for source in SOURCES if source.column == column]
    present = [sources[member.name] for member in members if member.name in sources]
    expected = sum(member.questions for member in members)
    complete = sum(source.n for source in present) == expected
    return MeanScore(
        official=_mean(source.official for source in present) if complete else None,
        corrected=_mean(source.corrected for source in present) if complete else None,
        complete=complete,
        coverage=sum(source.n - source.missing for source in present) / expected,
    )


def _category(columns: list[MeanScore]) -> MeanScore:
    return MeanScore(
        official=_mean(column.official for column in columns),
        corrected=_mean(column.corrected for column in columns),
        complete=all(column.complete for column in columns),
        coverage=fmean(column.coverage for column in columns),
    )


def _mean(scores: Iterable[float | None]) -> float | None:
    """Return the mean of scores; None unless there are any and all are known."""
    listed = list(scores)
    known = [score for score in listed if score is not None]
    return fmean(known) if known and len(known) == len(listed) else None
