"""The columns and categories of the paper's table: means over sources, with their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from mabench.data.inventory import BY_NAME, CATEGORIES, SOURCES
from mabench.results.scored import Metric
from mabench.results.summaries import Intervals, MeanScore, SourceScores
from mabench.results.tally import source_intervals
from mabench.uncertainty import (
    MIN_HISTORIES,
    Grouped,
    Part,
    combine,
    spread,
    student,
)

Scores = Mapping[str, Grouped | None]


class PaperMeans(NamedTuple):
    """The means of the paper's table, in the fields of ``ScoreSummary``."""

    columns: Mapping[str, MeanScore]
    categories: Mapping[str, MeanScore]
    overall: float | None
    overall_corrected: float | None
    overall_interval: Intervals | None
    overall_corrected_interval: Intervals | None


def column_weights(columns: Sequence[str]) -> dict[str, float]:
    """Return the weight of each source in the mean of some columns; they add up to 1."""
    members = [[source.name for source in SOURCES if source.column == name] for name in columns]
    return {name: 1 / (len(columns) * len(names)) for names in members for name in names}


def overall_weights() -> dict[str, float]:
    """Return the weight of each source in the mean of the categories."""
    return {
        name: weight / len(CATEGORIES)
        for category in CATEGORIES
        for name, weight in column_weights(category.columns).items()
    }


def paper_means(
    sources: Mapping[str, SourceScores], official: Scores, corrected: Scores
) -> PaperMeans:
    """Return the columns that sources feed, all categories, and the mean over the categories.

    A column has scores only when every question of its sources in the inventory is there, a
    category only when all its columns have. ``official`` and ``corrected`` are the scores of the
    sources' questions.
    """
    columns, categories = {}, {}
    for column in dict.fromkeys(BY_NAME[name].column for name in sources if name in BY_NAME):
        if column:
            members = [source for source in SOURCES if source.column == column]
            present = [sources[member.name] for member in members if member.name in sources]
            expected = sum(member.questions for member in members)
            complete = sum(source.n for source in present) == expected
            coverage = sum(source.n - source.missing for source in present) / expected
            columns[column] = _mean([column], present, complete, coverage, official, corrected)
    for category in CATEGORIES:
        names = category.columns
        parts = [columns[name] for name in names if name in columns]
        complete = len(parts) == len(names) and all(column.complete for column in parts)
        coverage = sum(column.coverage for column in parts) / len(names)
        mean = _mean(names, parts, complete, coverage, official, corrected)
        categories[category.name] = mean
    overall = _mean_of_all(category.official for category in categories.values())
    overall_corrected = _mean_of_all(category.corrected for category in categories.values())
    weights = overall_weights()
    return PaperMeans(
        columns,
        categories,
        overall,
        overall_corrected,
        _mean_intervals(weights, official) if overall is not None else None,
        _mean_intervals(weights, corrected) if overall_corrected is not None else None,
    )


def _mean_of_all(scores: Iterable[float | None]) -> float | None:
    """Return the mean of scores; None unless there are any and all are known."""
    scores = [*scores]
    known = [score for score in scores if score is not None]
    return fmean(known) if known and len(known) == len(scores) else None


def _mean(
    columns: Sequence[str],
    parts: Sequence[SourceScores | MeanScore],
    complete: bool,
    coverage: float,
    official: Scores,
    corrected: Scores,
) -> MeanScore:
    if not complete:
        return MeanScore(official=None, corrected=None, complete=False, coverage=coverage)
    weights = column_weights(columns)
    return MeanScore(
        official=_mean_of_all(part.official for part in parts),
        corrected=_mean_of_all(part.corrected for part in parts),
        interval=_mean_intervals(weights, official),
        interval_corrected=_mean_intervals(weights, corrected),
        complete=True,
        coverage=coverage,
    )


def _mean_intervals(weights: Mapping[str, float], scores: Scores) -> Intervals | None:
    """Return the intervals of a weighted mean over sources; the weights add up to 1.

    None unless the scores of every source are known. That for new histories takes the sources
    with fewer than five histories as given, and is null where all are.
    """
    groups = {name: group for name in weights if (group := scores.get(name)) and group.n}
    if not groups or len(groups) < len(weights):
        return None
    if len(groups) == 1:
        return source_intervals(*groups.values())
    these, new = (
        student(
            *combine(
                Part(weights[name], group.mean, spread(group, new=over_new))
                for name, group in groups.items()
            ),
            Metric.low,
            Metric.high,
        )
        for over_new in (False, True)
    )
    several = any(group.groups >= MIN_HISTORIES for group in groups.values())
    return Intervals(these_histories=these.percent, new_histories=new.percent if several else None)
