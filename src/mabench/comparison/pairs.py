"""The differences of two runs: on sources, on means over them, by type and by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import TypeVar

from mabench.comparison.adjusting import adjust_benjamini_hochberg
from mabench.comparison.entries import Entry
from mabench.comparison.paired_scores import PairedScores
from mabench.comparison.results import (
    DifferenceInterval,
    MeanDifference,
    Pair,
    SourceDifference,
)
from mabench.comparison.weights import CATEGORIES, COLUMNS, complete_sources
from mabench.results import PARTS, paper_weights
from mabench.uncertainty import MIN_HISTORIES, Interval, Part, Spread

_D = TypeVar("_D", bound=MeanDifference)


def compare_pair(first: Entry, second: Entry, sources: Sequence[str]) -> Pair:
    """Return the differences of two entries on sources for which both have a score."""
    couple = (first, second)
    parts = {name: PairedScores(couple, name) for name in sources}
    whole = complete_sources(first, sources)

    def complete(means: Mapping[str, Mapping[str, float]]) -> dict[str, MeanDifference]:
        return _adjust(
            {n: _mean_difference(of, parts) for n, of in means.items() if whole.issuperset(of)}
        )

    overall = paper_weights()
    types, shares, unknown = {}, {}, {}
    for name in sources:
        if kinds := first.table(name).kinds:
            of_kind = {kind: PairedScores(couple, name, kind) for kind in kinds}
            types[name] = _adjust({kind: _source_difference(of) for kind, of in of_kind.items()})
        undecided = first.table(name).undecided | second.table(name).undecided
        # Where other things were looked at, stages would differ for that reason alone.
        alike = first.looks(name) == second.looks(name)
        told = couple if alike else [entry.without_stages(name) for entry in couple]
        seen = [p for p in PARTS if any(entry.table(name).parts[p].any() for entry in told)]
        known = [part for part in seen if part != "unclear" and part not in undecided]
        paired = {part: PairedScores(told, name, part=part) for part in known}
        shares[name] = _adjust({part: _mean_difference({part: 1.0}, paired) for part in known})
        if lost := tuple(part for part in seen if part in undecided and PARTS[part].tells):
            unknown[name] = lost
    return Pair(
        a=first.name,
        b=second.name,
        sources=_adjust({name: _source_difference(part) for name, part in parts.items()}),
        columns=complete(COLUMNS),
        categories=complete(CATEGORIES),
        overall=_mean_difference(overall, parts) if whole.issuperset(overall) else None,
        mean=_mean_difference(dict.fromkeys(sources, 1 / len(sources)), parts),
        types=types,
        parts=shares,
        unknown_parts=unknown,
    )


def _adjust(differences: Mapping[str, _D]) -> dict[str, _D]:
    """Adjust the p values of differences for their number."""
    adjusted = adjust_benjamini_hochberg([difference.p for difference in differences.values()])
    return {
        name: replace(difference, adjusted_p=p)
        for (name, difference), p in zip(differences.items(), adjusted, strict=True)
    }


def _source_difference(part: PairedScores) -> SourceDifference:
    paired = part.paired
    spread, p, these = part.spread(new=False), paired.these_p, paired.these
    if part.builds and these:
        p = _student_p(paired.difference, spread)
        these = Interval.student(paired.difference, spread, -1.0, 1.0)
    return SourceDifference(
        a=100 * part.a,
        b=100 * part.b,
        difference=100 * paired.difference,
        these_histories=_to_points(these, p),
        new_histories=_to_points(paired.new, paired.new_p),
        adjusted_p=1.0,
        detectable=100 * (paired.new_spread if paired.new else spread).detectable,
        histories=part.groups,
        **paired.questions._asdict(),
        **{f"history_{name}": count for name, count in paired.histories._asdict().items()},
    )


def _mean_difference(
    weights: Mapping[str, float], parts: Mapping[str, PairedScores]
) -> MeanDifference:
    if len(weights) == 1:  # Without what a source alone has.
        source = _source_difference(*(parts[name] for name in weights))
        fields = MeanDifference.__dataclass_fields__
        return MeanDifference(**{field: getattr(source, field) for field in fields})

    def mean_interval(mean: float, spread: Spread) -> DifferenceInterval | None:
        return _to_points(Interval.student(mean, spread, -1.0, 1.0), _student_p(mean, spread))

    weighed = [(weight, parts[name]) for name, weight in weights.items()]
    several = any(of.groups >= MIN_HISTORIES for _, of in weighed)
    these, new = (
        Part.combine(Part(part, of.paired.difference, of.spread(new=new)) for part, of in weighed)
        for new in (False, True)
    )
    return MeanDifference(
        a=100 * sum(weight * of.a for weight, of in weighed),
        b=100 * sum(weight * of.b for weight, of in weighed),
        difference=100 * these[0],
        these_histories=mean_interval(*these),
        new_histories=mean_interval(*new) if several else None,
        adjusted_p=1.0,
        detectable=100 * (new if several else these)[1].detectable,
    )


def _student_p(mean: float, spread: Spread) -> float:
    """Return the two-sided p of a mean by Student's t."""
    if not spread.variance:
        return 0.0 if mean else 1.0
    from scipy.special import stdtr

    return 2 * float(stdtr(spread.freedom, -abs(mean) / sqrt(spread.variance)))


def _to_points(interval: Interval | None, p: float | None) -> DifferenceInterval | None:
    return DifferenceInterval(*interval.percent, p) if interval else None
