"""The differences of two runs: on sources, on means over them, by type and by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from mabench.comparison.adjusting import adjust_holm
from mabench.comparison.entries import Entry
from mabench.comparison.paired_scores import PairedMean, PairedScores
from mabench.comparison.results import (
    DifferenceInterval,
    MeanDifference,
    Pair,
    SourceDifference,
)
from mabench.comparison.weights import CATEGORIES, COLUMNS, headline_weights
from mabench.results import PARTS, paper_weights
from mabench.uncertainty import ALPHA, Estimate


class PairedRuns(NamedTuple):
    """Two entries with what they have on each source, before p values are adjusted."""

    first: Entry
    second: Entry
    sources: Mapping[str, PairedScores]  # Those for which both have a score.
    weights: Mapping[str, float]  # Of the sources in the mean that ranks runs.

    @classmethod
    def of(cls, first: Entry, second: Entry, sources: Sequence[str]) -> PairedRuns:
        """Pair two entries on some sources."""
        parts = {name: PairedScores((first, second), name) for name in sources}
        return cls(first, second, parts, headline_weights(first, sources))

    def mean(self, weights: Mapping[str, float]) -> PairedMean:
        """Return the difference on a mean of sources with their weights."""
        return PairedMean.of([(weight, self.sources[name]) for name, weight in weights.items()])

    @property
    def headline(self) -> PairedMean:
        """The difference on the mean that ranks runs."""
        return self.mean(self.weights)

    def find_deciding(self, adjusted_p: float) -> tuple[str, ...]:
        """Return the sources without which the headline would not be shown to differ.

        ``adjusted_p`` is that of the headline; the others are adjusted in proportion.
        """
        if len(self.weights) == 1:
            return ()
        whole = self.headline
        tests = adjusted_p / whole.p if whole.p else 1.0
        return tuple(
            name
            for name in self.weights
            if not _is_shown_alike(self._mean_without(name), whole, tests)
        )

    def _mean_without(self, name: str) -> PairedMean:
        rest = 1 - self.weights[name]
        kept = {other: one / rest for other, one in self.weights.items() if other != name}
        return self.mean(kept)


def compare_pair(
    pair: PairedRuns, tests: int, adjusted_p: float, within: float | None = None
) -> Pair:
    """Return the differences of a pair.

    Args:
        pair: the two.
        tests: how many pairs are compared.
        adjusted_p: that of the headline, adjusted for all pairs.
        within: how many points apart runs may be that count as equal.
    """
    parts, names = pair.sources, [*pair.sources]
    whole = pair.first.complete(names)
    headline = _describe(pair.headline, adjusted_p, tests)
    if within is not None:
        headline = replace(headline, equal_p=_equal_p(pair.headline.estimate, within / 100))
    is_overall = pair.weights == paper_weights()
    alone = {name: pair.mean({name: 1.0}) for name in names}
    shares, unknown = _pair_parts(pair)
    # What can be said of sources and of parts in words is one family. The headline is not of it.
    told = {} if len(names) == 1 else {(name, ""): one.p for name, one in alone.items()}
    told |= {
        (name, part): one.p
        for name, of in shares.items()
        for part, one in of.items()
        if PARTS[part].lost
    }
    family = dict(zip(told, adjust_holm([*told.values()]), strict=True))
    sources = {
        name: _describe_source(
            parts[name],
            alone[name],
            family.get((name, ""), adjusted_p),
            len(told) if len(names) > 1 else tests,
        )
        for name in names
    }
    means = {
        name: pair.mean(weights)
        for name, weights in {**COLUMNS, **CATEGORIES}.items()
        if whole.issuperset(weights)
    }
    described = {
        name: _describe(means[name], p, len(means))
        for name, p in zip(means, adjust_holm([one.p for one in means.values()]), strict=True)
    }
    return Pair(
        a=pair.first.name,
        b=pair.second.name,
        sources=sources,
        columns={name: of for name, of in described.items() if name in COLUMNS},
        categories={name: of for name, of in described.items() if name in CATEGORIES},
        overall=headline if is_overall else None,
        mean=_describe(pair.mean(dict.fromkeys(names, 1 / len(names))), 1.0, tests)
        if is_overall
        else headline,
        types=_pair_types(pair),
        parts={
            name: {
                part: _describe(one, family.get((name, part), one.p), max(1, len(told)))
                for part, one in of.items()
            }
            for name, of in shares.items()
        },
        unknown_parts=unknown,
        decided_by=pair.find_deciding(adjusted_p) if adjusted_p < ALPHA else (),
        builds_may_differ=_may_builds_differ(pair),
    )


def _may_builds_differ(pair: PairedRuns) -> bool:
    """Return whether another build of one of the two might score otherwise, and nobody knows."""
    return any(
        entry.builds_count == 1 and not entry.repeats_itself for entry in (pair.first, pair.second)
    )


def _pair_parts(
    pair: PairedRuns,
) -> tuple[dict[str, dict[str, PairedMean]], dict[str, tuple[str, ...]]]:
    """Return the differences in the parts of each source, and the parts that one cannot tell."""
    couple = (pair.first, pair.second)
    shares, unknown = {}, {}
    for name in pair.sources:
        # Where other things were looked at, stages would differ for that reason alone.
        alike = pair.first.looks(name) == pair.second.looks(name)
        told = couple if alike else tuple(entry.without_stages(name) for entry in couple)
        tables = [entry.table(name) for entry in told]
        undecided = tables[0].undecided | tables[1].undecided
        seen = [p for p in PARTS if any(p in of.parts and of.parts[p].any() for of in tables)]
        known = [part for part in seen if part != "unclear" and part not in undecided]
        shares[name] = {
            part: PairedMean.of([(1.0, PairedScores(told, name, part=part))]) for part in known
        }
        if lost := tuple(part for part in seen if part in undecided and PARTS[part].tells):
            unknown[name] = lost
    return shares, unknown


def _pair_types(pair: PairedRuns) -> dict[str, dict[str, SourceDifference]]:
    """Return the differences on the types of questions of each source, adjusted within it."""
    couple, types = (pair.first, pair.second), {}
    for name in pair.sources:
        of_kind = {kind: PairedScores(couple, name, kind) for kind in pair.first.table(name).kinds}
        means = {kind: PairedMean.of([(1.0, one)]) for kind, one in of_kind.items()}
        adjusted = adjust_holm([one.p for one in means.values()])
        described = {
            kind: _describe_source(of_kind[kind], means[kind], p, len(means))
            for kind, p in zip(means, adjusted, strict=True)
        }
        if described:
            types[name] = described
    return types


def _describe(mean: PairedMean, adjusted_p: float, tests: int) -> MeanDifference:
    """Return a difference in points; ``tests`` are those for which its p was adjusted."""
    return MeanDifference(
        a=100 * mean.a,
        b=100 * mean.b,
        difference=100 * mean.difference,
        these_histories=_to_points(mean.these),
        new_histories=_to_points(mean.new),
        adjusted_p=adjusted_p,
        detectable=100 * mean.estimate.spread.detectable(tests) if mean.estimate else None,
    )


def _describe_source(
    part: PairedScores, mean: PairedMean, adjusted_p: float, tests: int
) -> SourceDifference:
    of, paired = _describe(mean, adjusted_p, tests), part.paired
    fields = {name: getattr(of, name) for name in MeanDifference.__dataclass_fields__}
    return SourceDifference(
        **fields,
        histories=part.differences.groups,
        **paired.questions._asdict(),
        **{f"history_{name}": count for name, count in paired.histories._asdict().items()},
    )


def _is_shown_alike(rest: PairedMean, whole: PairedMean, tests: float) -> bool:
    """Return whether a mean of fewer sources is shown to differ as the whole one is."""
    estimate = rest.new if whole.new else rest.these
    if estimate is None:
        return False
    return tests * estimate.p < ALPHA and rest.difference * whole.difference > 0


def _equal_p(estimate: Estimate | None, within: float) -> float:
    return estimate.equal_p(within) if estimate else 1.0


def _to_points(estimate: Estimate | None) -> DifferenceInterval | None:
    if estimate is None:
        return None
    return DifferenceInterval(*estimate.interval(-1.0, 1.0).percent, estimate.p)
