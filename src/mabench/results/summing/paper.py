"""The means of the paper's table: of columns, of categories, and of all categories."""

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
    """A source's scores, and those of its questions by history; None unless each has one."""

    scores: SourceScores
    official: Grouped | None
    corrected: Grouped | None


def paper_weights(*columns: str) -> dict[str, float]:
    """Return the weight of each source in the mean of some columns; they add up to 1.

    Without ``columns``, in the mean of the categories.
    """
    weights: dict[str, float] = {}
    if not columns:
        for category in CATEGORIES:
            for name, weight in paper_weights(*category.columns).items():
                weights[name] = weight / len(CATEGORIES)
        return weights
    for column in columns:
        names = [source.name for source in SOURCES if source.column == column]
        for name in names:
            weights[name] = 1 / (len(columns) * len(names))
    return weights


def paper_means(totals: Mapping[str, SourceTotals]) -> dict[str, Any]:
    """Return the columns that sources feed, all categories, and the mean over the categories.

    A column has scores only when every question of its sources in the inventory is there, a
    category only when all its columns have.
    """

    def cover(column: str) -> float:
        """Return the share of a column's questions that was asked, from 0 to 1."""
        members = [source for source in SOURCES if source.column == column]
        present = [totals[source.name].scores for source in members if source.name in totals]
        asked = sum(source.n - source.missing for source in present)
        return asked / sum(source.questions for source in members)

    def is_whole(name: str) -> bool:
        """Return whether every question of a source is there."""
        return name in totals and totals[name].scores.n == BY_NAME[name].questions

    def mean(*columns: str) -> MeanScore:
        """Return the mean over some columns; without any, over the categories."""
        weights = paper_weights(*columns)
        coverage = fmean(map(cover, columns)) if columns else 1.0
        if not all(map(is_whole, weights)):
            return MeanScore(official=None, corrected=None, complete=False, coverage=coverage)

        def score(groups: Sequence[tuple[float, Grouped | None]]) -> float | None:
            known = [weight * group.mean for weight, group in groups if group]
            return 100 * fsum(known) if len(known) == len(groups) else None

        official = [(weight, totals[name].official) for name, weight in weights.items()]
        corrected = [(weight, totals[name].corrected) for name, weight in weights.items()]
        return MeanScore(
            official=score(official),
            corrected=score(corrected),
            interval=Intervals.of(official),
            interval_corrected=Intervals.of(corrected),
            complete=True,
            coverage=coverage,
        )

    fed = dict.fromkeys(BY_NAME[name].column for name in totals if name in BY_NAME)
    overall = mean()
    return {
        "columns": {column: mean(column) for column in fed if column},
        "categories": {category.name: mean(*category.columns) for category in CATEGORIES},
        "overall": overall.official,
        "overall_corrected": overall.corrected,
        "overall_interval": overall.interval,
        "overall_corrected_interval": overall.interval_corrected,
    }


def interval_of_mean(totals: Sequence[SourceTotals]) -> Intervals | None:
    """Return the interval of the mean official score over the sources that have one."""
    known = [total for total in totals if total.official is not None]
    if len(known) == 1:
        return known[0].scores.interval
    return Intervals.of([(1 / len(known), each.official) for each in known]) if known else None
