"""What two runs have on the same questions of a source, and how sure their difference is.

Here alone it is decided whether a difference is of new histories, or of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mabench.comparison.entries import Entry
from mabench.uncertainty import (
    Estimate,
    Floats,
    Spread,
    WeightedPart,
    compare_paired,
    estimate_new,
    speaks_of_new,
)


class PairedScores:
    """The scores of two runs on one source, on its questions of one type, or on one part.

    Attributes:
        a, b: the mean scores, from 0 to 1; with a ``part``, the shares of the questions in it.
        differences: those of the questions, by history.
        paired: what they say.
        builds: how uncertain each run's mean is over its builds, if it has several.
    """

    def __init__(
        self, couple: Sequence[Entry], name: str, kind: str | None = None, part: str | None = None
    ) -> None:
        tables = [entry.table(name) for entry in couple]
        # Of each run, in shape (builds, questions).
        scores = [table.parts[part] if part else table.scores for table in tables]
        means = [builds.mean(axis=0) for builds in scores]
        self.differences = tables[0].group(means[0] - means[1], lowest=-1.0, kind=kind)
        if kind:
            scores = [builds[:, tables[0].kinds[kind]] for builds in scores]
        self.a, self.b = (float(builds.mean()) for builds in scores)
        self.paired = compare_paired(self.differences)
        self.builds = [spread_of_builds(builds) for builds in scores if len(builds) > 1]

    @property
    def estimate_of_these(self) -> Estimate | None:
        """The difference as an estimate for these histories; builds add to its uncertainty.

        Questions of one history share one memory: only several builds show that another build
        might score differently. New histories show it in any case.
        """
        if self.paired.these is None or not self.builds:
            return self.paired.these
        spread = self.paired.these.spread
        return Estimate(self.paired.difference, add_spreads([spread, *self.builds]))


class PairedMean(NamedTuple):
    """The difference of two runs on a weighted mean over sources, or on one source."""

    a: float  # The scores of the runs, from 0 to 1.
    b: float
    difference: float
    these: Estimate | None  # For these histories; None if each has one question.
    new: Estimate | None  # For new histories; None unless all of the sources speak of new ones.

    @classmethod
    def of(cls, weighed: Sequence[tuple[float, PairedScores]]) -> PairedMean:
        """Return the mean of sources with their weights."""
        these: Estimate | None
        if len(weighed) == 1:
            ((_, only),) = weighed
            these = only.estimate_of_these
        else:
            parts = [_part_of_these(weight, scores) for weight, scores in weighed]
            these = Estimate(*WeightedPart.combine(parts))
        groups = [(weight, scores.differences) for weight, scores in weighed]
        new = None
        if speaks_of_new(group for _, group in groups):
            new = estimate_new(groups)
        return cls(
            a=sum(weight * scores.a for weight, scores in weighed),
            b=sum(weight * scores.b for weight, scores in weighed),
            difference=sum(weight * scores.paired.difference for weight, scores in weighed),
            these=these,
            new=new,
        )

    @property
    def estimate(self) -> Estimate | None:
        """What decides: new histories where the sources speak of them, else these."""
        return self.new or self.these

    @property
    def p(self) -> float:
        """The p of what decides; 1 if nothing can be told."""
        return self.estimate.p if self.estimate else 1.0


def add_spreads(spreads: Sequence[Spread]) -> Spread:
    """Return how uncertain a mean is by several independent causes together."""
    causes = [WeightedPart(weight=1.0, mean=0.0, spread=spread) for spread in spreads]
    _, spread = WeightedPart.combine(causes)
    return spread


def spread_of_builds(scores: Floats) -> Spread:
    """Return how uncertain the mean of two builds or more is, whose scores are in shape (B, n)."""
    means = scores.mean(axis=1)
    return Spread(variance=float(means.var(ddof=1)) / len(means), freedom=len(means) - 1)


def _part_of_these(weight: float, scores: PairedScores) -> WeightedPart:
    """Return the difference on a source as a part of a mean, for these histories.

    A source whose histories have one question each varies as it would over other histories.
    """
    estimate = scores.estimate_of_these
    spread = estimate.spread if estimate else scores.differences.spread_of_these
    return WeightedPart(weight, scores.paired.difference, spread)
