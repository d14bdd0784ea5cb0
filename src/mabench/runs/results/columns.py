"""The columns and categories of the paper's table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean

from mabench.data.inventory import BY_NAME, CATEGORIES, SOURCES
from mabench.runs.results.summaries import MeanScore, SourceScores

_NO_SCORE = MeanScore(official=None, corrected=None, complete=False, coverage=0.0)


def column_means(sources: Mapping[str, SourceScores]) -> dict[str, MeanScore]:
    """Return the columns that sources feed.

    A column has scores only when every question of its sources in the inventory is there.
    """
    names = dict.fromkeys(BY_NAME[name].column for name in sources if name in BY_NAME)
    return {name: _column(name, sources) for name in names if name}


def category_means(columns: Mapping[str, MeanScore]) -> dict[str, MeanScore]:
    """Return all categories; one has scores only when all its columns have."""
    return {
        category.name: _category([columns.get(name, _NO_SCORE) for name in category.columns])
        for category in CATEGORIES
    }


def mean_of_all(scores: Iterable[float | None]) -> float | None:
    """Return the mean of scores; None unless there are any and all are known."""
    listed = list(scores)
    known = [score for score in listed if score is not None]
    return fmean(known) if known and len(known) == len(listed) else None


def _column(column: str, sources: Mapping[str, SourceScores]) -> MeanScore:
    members = [source for source in SOURCES if source.column == column]
    present = [sources[member.name] for member in members if member.name in sources]
    expected = sum(member.questions for member in members)
    complete = sum(source.n for source in present) == expected
    return MeanScore(
        official=mean_of_all(source.official for source in present) if complete else None,
        corrected=mean_of_all(source.corrected for source in present) if complete else None,
        complete=complete,
        coverage=sum(source.n - source.missing for source in present) / expected,
    )


def _category(columns: list[MeanScore]) -> MeanScore:
    return MeanScore(
        official=mean_of_all(column.official for column in columns),
        corrected=mean_of_all(column.corrected for column in columns),
        complete=all(column.complete for column in columns),
        coverage=fmean(column.coverage for column in columns),
    )
