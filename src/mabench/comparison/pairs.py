"""The differences of two runs: on sources, on columns and categories, and on all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from mabench.comparison.entries import Entry
from mabench.comparison.results import DifferenceInterval, MeanDifference, Pair, SourceDifference
from mabench.data.inventory import CATEGORIES, SOURCES
from mabench.results.means import column_weights, overall_weights
from mabench.uncertainty import (
    MIN_HISTORIES,
    Difference,
    Grouped,
    Interval,
    Part,
    Spread,
    benjamini_hochberg,
    by_spread,
    combine,
    detectable,
    difference,
    student,
)

D = TypeVar("D", bound=MeanDifference)


class _Part:
    """What two runs have on one source, or on its questions of one type.

    Attributes:
        a, b: their mean scores, from 0 to 1.
        paired: what the paired differences say.
        builds: the variance of each run's mean over its builds, where there are several.
        n: the number of questions.
        groups: the number of histories.
    """

    def __init__(self, first: Entry, second: Entry, name: str, kind: str | None = None) -> None:
        types = first.types.get(name, {})
        questions = sorted(key for key in first.questions(name) if kind in (None, types.get(key)))
        scores = [entry.scores(name, questions) for entry in (first, second)]
        means = [builds.mean(axis=0) for builds in scores]
        differences = Grouped.of(means[0] - means[1], [(split, row) for split, row, _ in questions])
        self.a, self.b = (float(mean.mean()) for mean in means)
        self.paired: Difference = difference(differences)
        self.builds = [
            Spread(float(builds.mean(axis=1).var(ddof=1)) / len(builds), len(builds) - 1)
            for builds in scores
            if len(builds) > 1
        ]
        self.n, self.groups = differences.n, differences.groups

    def spread(self, *, new: bool) -> Spread:
        """Return how uncertain the difference is, for these histories with that of the builds.

        Questions of one history share one memory: that another build of it might score
        otherwise is seen over builds alone. Over new histories it is seen in any case.
        """
        if new and self.groups >= MIN_HISTORIES:
            return self.paired.new_spread
        builds = [Part(1.0, 0.0, spread) for spread in self.builds]
        return combine([Part(1.0, 0.0, self.paired.these_spread), *builds])[1]


def compare_pair(first: Entry, second: Entry, sources: Sequence[str]) -> Pair:
    """Return the differences of two runs on some sources, which both have scores of."""
    parts = {name: _Part(first, second, name) for name in sources}
    # The sources of the inventory of which every question was asked.
    whole = {
        source.name
        for source in SOURCES
        if first.record.data.benchmark
        and source.name in parts
        and parts[source.name].n == source.questions
    }
    columns = {
        column: column_weights([column]) for category in CATEGORIES for column in category.columns
    }
    categories = {category.name: column_weights(category.columns) for category in CATEGORIES}
    overall = overall_weights()
    types = {}
    for name in sources:
        kinds = sorted(set(first.types.get(name, {}).values()))
        if kinds:
            of_kind = {kind: _Part(first, second, name, kind) for kind in kinds}
            types[name] = _adjust({kind: _source_difference(of_kind[kind]) for kind in kinds})
    return Pair(
        a=first.name,
        b=second.name,
        sources=_adjust({name: _source_difference(part) for name, part in parts.items()}),
        columns=_adjust(_means(columns, parts, whole)),
        categories=_adjust(_means(categories, parts, whole)),
        overall=_mean(overall, parts) if whole.issuperset(overall) else None,
        mean=_mean(dict.fromkeys(sources, 1 / len(sources)), parts),
        types=types,
    )


def _means(
    weights: Mapping[str, Mapping[str, float]], parts: Mapping[str, _Part], whole: set[str]
) -> dict[str, MeanDifference]:
    """Return the differences on the means of which every source was asked as a whole."""
    return {name: _mean(of, parts) for name, of in weights.items() if whole.issuperset(of)}


def _adjust(differences: Mapping[str, D]) -> dict[str, D]:
    """Return differences with their p values adjusted for how many there are."""
    adjusted = benjamini_hochberg([difference.p for difference in differences.values()])
    return {
        name: replace(difference, adjusted_p=p)
        for (name, difference), p in zip(differences.items(), adjusted, strict=True)
    }


def _source_difference(part: _Part) -> SourceDifference:
    paired = part.paired
    spread, p, these = part.spread(new=False), paired.these_p, paired.these
    if part.builds and these:
        p = by_spread(paired.difference, spread)
        these = student(paired.difference, spread, -1.0, 1.0)
    return SourceDifference(
        a=100 * part.a,
        b=100 * part.b,
        difference=100 * paired.difference,
        these_histories=_interval(these, p),
        new_histories=_interval(paired.new, paired.new_p),
        adjusted_p=1.0,
        detectable=100 * detectable(paired.new_spread if paired.new else spread),
        wins=paired.wins,
        losses=paired.losses,
        ties=paired.ties,
        histories=part.groups,
        history_wins=paired.history_wins,
        history_losses=paired.history_losses,
        history_ties=paired.history_ties,
    )


def _mean(weights: Mapping[str, float], parts: Mapping[str, _Part]) -> MeanDifference:
    if len(weights) == 1:
        (name,) = weights
        only = _source_difference(parts[name])
        fields = MeanDifference.__dataclass_fields__
        return MeanDifference(**{field: getattr(only, field) for field in fields})
    several = any(parts[name].groups >= MIN_HISTORIES for name in weights)
    these, new = (
        combine(
            [
                Part(weight, parts[name].paired.difference, parts[name].spread(new=new))
                for name, weight in weights.items()
            ]
        )
        for new in (False, True)
    )
    return MeanDifference(
        a=100 * sum(weight * parts[name].a for name, weight in weights.items()),
        b=100 * sum(weight * parts[name].b for name, weight in weights.items()),
        difference=100 * these[0],
        these_histories=_mean_interval(*these),
        new_histories=_mean_interval(*new) if several else None,
        adjusted_p=1.0,
        detectable=100 * detectable((new if several else these)[1]),
    )


def _mean_interval(mean: float, spread: Spread) -> DifferenceInterval | None:
    return _interval(student(mean, spread, -1.0, 1.0), by_spread(mean, spread))


def _interval(interval: Interval | None, p: float | None) -> DifferenceInterval | None:
    return DifferenceInterval(100 * interval.low, 100 * interval.high, p) if interval else None
