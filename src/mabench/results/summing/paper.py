"""The means of the paper's table: of columns, of categories, and of all categories.

A column is the mean of its sources, a category that of its columns; all categories count alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from statistics import fmean
from typing import Any, NamedTuple

from mabench.data.inventory import BY_NAME, CATEGORIES, SOURCES
from mabench.results.summaries import MeanScore, SourceScores
from mabench.uncertainty import Grouped
from mabench.uncertainty.score_intervals import Intervals


class SourceTotals(NamedTuple):
    """The scores of a source."""

    scores: SourceScores
    # The scores of its questions by history; None unless each question has one.
    official: Grouped | None
    corrected: Grouped | None


def paper_weights(*columns: str) -> dict[str, float]:
    """Return the weight of each source in the mean of some columns, or of all categories.

    Without ``columns``, this is the mean of the categories. The weights add up to 1.
    """
    weights: dict[str, float] = {}
    if not columns:
        for category in CATEGORIES:
            for source, weight in paper_weights(*category.columns).items():
                weights[source] = weight / len(CATEGORIES)
        return weights
    for column in columns:
        sources = [source.name for source in SOURCES if source.column == column]
        for source in sources:
            weights[source] = 1 / (len(columns) * len(sources))
    return weights


def paper_means(totals: Mapping[str, SourceTotals]) -> dict[str, Any]:
    """Return the columns that sources feed, all categories, and the mean over the categories.

    ``totals`` has the scores of each source that was run. A column has scores only when every
    question of its sources in the benchmark is there, a category only when all its columns have.
    The names are those of fields of ``ScoreSummary``.
    """
    columns = dict.fromkeys(BY_NAME[name].column for name in totals if name in BY_NAME)
    overall = _mean(totals, columns=())
    return {
        "columns": {column: _mean(totals, [column]) for column in columns if column},
        "categories": {category.name: _mean(totals, category.columns) for category in CATEGORIES},
        "overall": overall.official,
        "overall_corrected": overall.corrected,
        "overall_interval": overall.interval,
        "overall_corrected_interval": overall.interval_corrected,
    }


def _mean(totals: Mapping[str, SourceTotals], columns: Sequence[str]) -> MeanScore:
    """Return the mean over some columns; without any, over the categories.

    It has scores only if every question of their sources is there.
    """
    weights = paper_weights(*columns)
    coverage = fmean(_coverage(totals, column) for column in columns) if columns else 1.0
    if not all(_is_complete(totals, source) for source in weights):
        return MeanScore(official=None, corrected=None, complete=False, coverage=coverage)
    official = [(weight, totals[source].official) for source, weight in weights.items()]
    corrected = [(weight, totals[source].corrected) for source, weight in weights.items()]
    return MeanScore(
        official=_weighted_mean(official),
        corrected=_weighted_mean(corrected),
        interval=Intervals.of(official),
        interval_corrected=Intervals.of(corrected),
        complete=True,
        coverage=coverage,
    )


def _coverage(totals: Mapping[str, SourceTotals], column: str) -> float:
    """Return the share of a column's questions that was asked, from 0 to 1."""
    sources = [source for source in SOURCES if source.column == column]
    scores = [totals[source.name].scores for source in sources if source.name in totals]
    asked = sum(source_scores.n - source_scores.missing for source_scores in scores)
    return asked / sum(source.questions for source in sources)


def _is_complete(totals: Mapping[str, SourceTotals], source: str) -> bool:
    """Return whether every question that the benchmark has of a source is there."""
    return source in totals and totals[source].scores.n == BY_NAME[source].questions


def _weighted_mean(weighted: Sequence[tuple[float, Grouped | None]]) -> float | None:
    """Return the mean, in percent, of the scores of sources by weights that add up to 1.

    Returns None unless each source has scores.
    """
    known = [weight * scores.mean for weight, scores in weighted if scores]
    return 100 * fsum(known) if len(known) == len(weighted) else None


def interval_of_mean(totals: Sequence[SourceTotals]) -> Intervals | None:
    """Return the interval of the mean official score over the sources that have one.

    Returns None if no source has one.
    """
    known = [total for total in totals if total.official is not None]
    if not known:
        return None
    if len(known) == 1:
        return known[0].scores.interval
    weight = 1 / len(known)
    return Intervals.of([(weight, total.official) for total in known])
