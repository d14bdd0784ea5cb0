"""Two runs on the same questions: what they differ by, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import TypeVar

from mabench.comparison.entries import Entry
from mabench.comparison.results import DifferenceInterval, MeanDifference, Pair, SourceDifference
from mabench.data.inventory import BY_NAME, CATEGORIES
from mabench.results import PARTS, paper_weights
from mabench.uncertainty import MIN_HISTORIES, Grouped, Interval, Part, Spread
from mabench.uncertainty.paired import benjamini_hochberg, difference

_D = TypeVar("_D", bound=MeanDifference)


class _PairedScores:
    """What two runs have on one source, or on its questions of one type.

    With ``part`` it is the shares of the questions that have it, in place of scores.
    """

    def __init__(
        self,
        first: Entry,
        second: Entry,
        name: str,
        kind: str | None = None,
        part: str | None = None,
    ) -> None:
        questions = sorted(first.questions(name, kind))
        scores = [entry.scores(name, questions, part) for entry in (first, second)]
        means = [builds.mean(axis=0) for builds in scores]
        differences = Grouped.of(means[0] - means[1], [(split, row) for split, row, _ in questions])
        self.a, self.b = (float(mean.mean()) for mean in means)
        self.paired = difference(differences)
        # How uncertain each run's mean is over its builds, where there are several.
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
        return Part.combine([Part(1.0, 0.0, self.paired.these_spread), *builds])[1]


def compare_pair(first: Entry, second: Entry, sources: Sequence[str]) -> Pair:
    """Return the differences of two entries on sources that both have a score of."""
    parts = {name: _PairedScores(first, second, name) for name in sources}
    # The sources of the inventory of which every question was asked.
    whole = {
        name
        for name in parts.keys() & BY_NAME.keys()
        if first.record.data.benchmark and parts[name].n == BY_NAME[name].questions
    }

    def means(columns: Mapping[str, Sequence[str]]) -> dict[str, MeanDifference]:
        weights = {name: paper_weights(*of) for name, of in columns.items()}
        asked = {name: _mean(of, parts) for name, of in weights.items() if whole.issuperset(of)}
        return _adjust(asked)

    overall = paper_weights()
    types, shares = {}, {}
    for name in sources:
        if kinds := first.kinds(name):
            of_kind = {kind: _PairedScores(first, second, name, kind) for kind in kinds}
            types[name] = _adjust({kind: _source_difference(of) for kind, of in of_kind.items()})
        of_parts = {part: _PairedScores(first, second, name, part=part) for part in PARTS}
        shares[name] = _adjust(
            {part: _only(paired) for part, paired in of_parts.items() if paired.a or paired.b}
        )
    return Pair(
        a=first.name,
        b=second.name,
        sources=_adjust({name: _source_difference(part) for name, part in parts.items()}),
        columns=means({column: [column] for each in CATEGORIES for column in each.columns}),
        categories=means({category.name: category.columns for category in CATEGORIES}),
        overall=_mean(overall, parts) if whole.issuperset(overall) else None,
        mean=_mean(dict.fromkeys(sources, 1 / len(sources)), parts),
        types=types,
        parts=shares,
    )


def _adjust(differences: Mapping[str, _D]) -> dict[str, _D]:
    adjusted = benjamini_hochberg([difference.p for difference in differences.values()])
    return {
        name: replace(difference, adjusted_p=p)
        for (name, difference), p in zip(differences.items(), adjusted, strict=True)
    }


def _source_difference(part: _PairedScores) -> SourceDifference:
    paired = part.paired
    spread, p, these = part.spread(new=False), paired.these_p, paired.these
    if part.builds and these:
        p = _by_spread(paired.difference, spread)
        these = Interval.student(paired.difference, spread, -1.0, 1.0)
    return SourceDifference(
        a=100 * part.a,
        b=100 * part.b,
        difference=100 * paired.difference,
        these_histories=_interval(these, p),
        new_histories=_interval(paired.new, paired.new_p),
        adjusted_p=1.0,
        detectable=100 * (paired.new_spread if paired.new else spread).detectable,
        histories=part.groups,
        **paired.questions._asdict(),
        **{f"history_{name}": count for name, count in paired.histories._asdict().items()},
    )


def _mean(weights: Mapping[str, float], parts: Mapping[str, _PairedScores]) -> MeanDifference:
    if len(weights) == 1:
        return _only(*(parts[name] for name in weights))
    several = any(parts[name].groups >= MIN_HISTORIES for name in weights)
    these, new = (
        Part.combine(
            Part(weight, parts[name].paired.difference, parts[name].spread(new=new))
            for name, weight in weights.items()
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
        detectable=100 * (new if several else these)[1].detectable,
    )


def _only(part: _PairedScores) -> MeanDifference:
    """Return the difference on a source without what a source alone has."""
    source = _source_difference(part)
    fields = MeanDifference.__dataclass_fields__
    return MeanDifference(**{field: getattr(source, field) for field in fields})


def _mean_interval(mean: float, spread: Spread) -> DifferenceInterval | None:
    return _interval(Interval.student(mean, spread, -1.0, 1.0), _by_spread(mean, spread))


def _by_spread(mean: float, spread: Spread) -> float:
    """Return the two-sided p of a mean by Student's t."""
    if not spread.variance:
        return 0.0 if mean else 1.0
    from scipy.special import stdtr

    return 2 * float(stdtr(spread.freedom, -abs(mean) / sqrt(spread.variance)))


def _interval(interval: Interval | None, p: float | None) -> DifferenceInterval | None:
    return DifferenceInterval(*interval.percent, p) if interval else None
