"""The differences of two runs: on sources, on means over them, by type and by part.

A source is a set of questions about some histories, such as LongMemEval. The part of a question is
what became of it (``PARTS``): right, missed, misread and so on. The headline is the mean over
sources that ranks runs. p values are adjusted for how many tests are made together (Holm).
"""

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
        """Return the difference on the mean of some sources, given their weights by name."""
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
        adjustment = adjusted_p / whole.p if whole.p else 1.0
        return tuple(
            name
            for name in self.weights
            if not _is_shown_alike(self._mean_without(name), whole, adjustment)
        )

    def _mean_without(self, name: str) -> PairedMean:
        """Return the headline without one source; the weights of the others add up to 1 again."""
        total = 1 - self.weights[name]
        weights = {other: weight / total for other, weight in self.weights.items() if other != name}
        return self.mean(weights)


def compare_pair(
    pair: PairedRuns, tests: int, adjusted_p: float, within: float | None = None
) -> Pair:
    """Return the differences of a pair.

    Args:
        pair: the two runs.
        tests: how many pairs are compared.
        adjusted_p: the p of the headline, adjusted for all pairs.
        within: how many points apart runs may be that count as equal.
    """
    names = [*pair.sources]
    headline = _describe(pair.headline, adjusted_p, tests)
    overall: MeanDifference | None
    if within is not None:
        headline = replace(headline, equal_p=_equal_p(pair.headline.estimate, within / 100))
    if pair.weights == paper_weights():
        overall = headline
        # Only the headline is tested.
        plain_mean = pair.mean(dict.fromkeys(names, 1 / len(names)))
        mean = _describe(plain_mean, adjusted_p=1.0, tests=tests)
    else:
        overall, mean = None, headline
    source_means = {name: pair.mean({name: 1.0}) for name in names}
    part_means, unknown = _pair_parts(pair)
    family = _adjust_together(source_means, part_means)
    sources = {}
    for name, source_mean in source_means.items():
        if len(names) == 1:  # The source is the headline.
            source_p, source_tests = adjusted_p, tests
        else:
            source_p, source_tests = family[name, ""], len(family)
        sources[name] = _describe_source(pair.sources[name], source_mean, source_p, source_tests)
    weighted = _describe_weighted_means(pair)
    return Pair(
        a=pair.first.name,
        b=pair.second.name,
        sources=sources,
        columns={name: weighted[name] for name in weighted if name in COLUMNS},
        categories={name: weighted[name] for name in weighted if name in CATEGORIES},
        overall=overall,
        mean=mean,
        types=_pair_types(pair),
        parts={
            name: _describe_parts(name, of_source, family) for name, of_source in part_means.items()
        },
        unknown_parts=unknown,
        decided_by=pair.find_deciding(adjusted_p) if adjusted_p < ALPHA else (),
        builds_may_differ=_may_builds_differ(pair),
    )


def _adjust_together(
    source_means: Mapping[str, PairedMean], part_means: Mapping[str, Mapping[str, PairedMean]]
) -> dict[tuple[str, str], float]:
    """Return the adjusted p of each source and of each part that is lost, by both their names.

    What is said in words of sources and of parts is one family of tests. A source has an empty
    part. An only source is left out: it is the headline, which is adjusted for all pairs instead.
    """
    tests: dict[tuple[str, str], float] = {}
    if len(source_means) > 1:
        tests |= {(source, ""): mean.p for source, mean in source_means.items()}
    for source, parts in part_means.items():
        tests |= {(source, part): mean.p for part, mean in parts.items() if PARTS[part].lost}
    return dict(zip(tests, adjust_holm([*tests.values()]), strict=True))


def _describe_parts(
    source: str, means: Mapping[str, PairedMean], family: Mapping[tuple[str, str], float]
) -> dict[str, MeanDifference]:
    """Return the differences in the parts of a source; those outside the family as they are."""
    tests = max(1, len(family))
    return {
        part: _describe(mean, family.get((source, part), mean.p), tests)
        for part, mean in means.items()
    }


def _describe_weighted_means(pair: PairedRuns) -> dict[str, MeanDifference]:
    """Return the differences on the complete columns and categories, adjusted for all of them."""
    complete = pair.first.complete(pair.sources)
    means = {
        name: pair.mean(weights)
        for name, weights in {**COLUMNS, **CATEGORIES}.items()
        if complete.issuperset(weights)
    }
    adjusted = adjust_holm([mean.p for mean in means.values()])
    return {
        name: _describe(mean, p, len(means))
        for (name, mean), p in zip(means.items(), adjusted, strict=True)
    }


def _may_builds_differ(pair: PairedRuns) -> bool:
    """Return whether another build of one of the two might score otherwise, and nobody knows."""
    return any(
        entry.builds_count == 1 and not entry.repeats_itself for entry in (pair.first, pair.second)
    )


def _pair_parts(
    pair: PairedRuns,
) -> tuple[dict[str, dict[str, PairedMean]], dict[str, tuple[str, ...]]]:
    """Return the differences in the parts of each source, and the parts that one cannot tell.

    Parts that neither run has are left out, and so is ``unclear``.
    """
    means, unknown = {}, {}
    for name in pair.sources:
        couple = (pair.first, pair.second)
        # Where the two runs looked at other things, stages would differ for that reason alone.
        if pair.first.looks(name) != pair.second.looks(name):
            couple = (pair.first.without_stages(name), pair.second.without_stages(name))
        tables = [entry.table(name) for entry in couple]
        undecided = tables[0].undecided | tables[1].undecided
        seen = [part for part in PARTS if any(table.has_part(part) for table in tables)]
        means[name] = {
            part: PairedMean.of([(1.0, PairedScores(couple, name, part=part))])
            for part in seen
            if part != "unclear" and part not in undecided
        }
        untold = tuple(part for part in seen if part in undecided and PARTS[part].tells)
        if untold:
            unknown[name] = untold
    return means, unknown


def _pair_types(pair: PairedRuns) -> dict[str, dict[str, SourceDifference]]:
    """Return the differences on the types of questions of each source, adjusted within it."""
    couple = (pair.first, pair.second)
    types: dict[str, dict[str, SourceDifference]] = {}
    for name in pair.sources:
        kinds = pair.first.table(name).kinds
        scores = {kind: PairedScores(couple, name, kind) for kind in kinds}
        means = {kind: PairedMean.of([(1.0, of_kind)]) for kind, of_kind in scores.items()}
        adjusted = adjust_holm([mean.p for mean in means.values()])
        described = {
            kind: _describe_source(scores[kind], means[kind], p, len(means))
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
    scores: PairedScores, mean: PairedMean, adjusted_p: float, tests: int
) -> SourceDifference:
    """Return the difference on a source, or on one type of its questions, in points.

    ``mean`` is that of ``scores``; the other parameters are as for ``_describe``.
    """
    described = _describe(mean, adjusted_p, tests)
    fields = {name: getattr(described, name) for name in MeanDifference.__dataclass_fields__}
    questions, histories = scores.paired.questions, scores.paired.histories
    return SourceDifference(
        **fields,
        histories=scores.differences.groups,
        wins=questions.wins,
        losses=questions.losses,
        ties=questions.ties,
        history_wins=histories.wins,
        history_losses=histories.losses,
        history_ties=histories.ties,
    )


def _is_shown_alike(rest: PairedMean, whole: PairedMean, adjustment: float) -> bool:
    """Return whether a mean of fewer sources is shown to differ in the same direction.

    It is tested on new histories if the whole mean was, else on these; its p is multiplied by
    ``adjustment``.
    """
    estimate = rest.new if whole.new else rest.these
    if estimate is None:
        return False
    same_direction = rest.difference * whole.difference > 0
    return adjustment * estimate.p < ALPHA and same_direction


def _equal_p(estimate: Estimate | None, within: float) -> float:
    """Return the p of runs that are not equal within a share; 1 if nothing can be told."""
    return estimate.equal_p(within) if estimate else 1.0


def _to_points(estimate: Estimate | None) -> DifferenceInterval | None:
    """Return the interval of a difference in points, with its p."""
    if estimate is None:
        return None
    low, high = estimate.interval(-1.0, 1.0).percent
    return DifferenceInterval(low, high, estimate.p)
