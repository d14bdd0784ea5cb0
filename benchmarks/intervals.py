"""How often intervals hold the true mean, and how often p values find what is not there.

Histories have mean scores from a beta distribution with a given mean and correlation within
histories (ICC); questions are right or wrong by it. `python benchmarks/intervals.py` prints a line
for each case in which an interval is offered (in all, its share) with its coverage in percent,
and then the share of false positives of each p at the level of 5 %. Every figure is from 2,000
draws, so that its own standard error is about half a point.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mabench.uncertainty import Grouped, compare_paired

Floats = NDArray[np.float64]

# Histories and questions of each, as in the benchmark and around it.
SHAPES = ((1, 100), (2, 50), (2, 100), (5, 60), (10, 20), (10, 100), (100, 1), (100, 10))
MEANS = (0.05, 0.1, 0.2, 0.5, 0.8, 0.95)
CORRELATIONS = (0.0, 0.05, 0.1, 0.3)


class Coverage(NamedTuple):
    """How one interval fares in one case.

    Attributes:
        kind: ``these`` or ``new`` histories.
        groups, size, mean, correlation: the case.
        offered: the share of draws for which the interval was offered.
        held: the share of those in which it held the true mean.
    """

    kind: str
    groups: int
    size: int
    mean: float
    correlation: float
    offered: float
    held: float


def true_means(random: np.random.Generator, groups: int, mean: float, correlation: float) -> Floats:
    """Draw the true mean score of each history."""
    if not correlation:
        return np.full(groups, mean)
    total = (1 - correlation) / correlation
    return random.beta(mean * total, (1 - mean) * total, groups)


def coverage(
    groups: int, size: int, mean: float, correlation: float, draws: int
) -> Iterator[Coverage]:
    """Yield the coverage of both intervals in one case."""
    random = np.random.default_rng((groups, size, int(1000 * mean), int(1000 * correlation)))
    histories = np.repeat(np.arange(groups), size)
    held: dict[str, list[bool]] = {"these": [], "new": []}
    for _ in range(draws):
        truth = true_means(random, groups, mean, correlation)
        answers = random.random(groups * size) < truth[histories]
        scores = Grouped(answers.astype(np.float64), histories)
        these, new = scores.these_histories(), scores.new_histories()
        if these:
            held["these"].append(these.low <= truth.mean() <= these.high)
        if new:
            held["new"].append(new.low <= mean <= new.high)
    for kind, hits in held.items():
        if hits:
            share = len(hits) / draws
            yield Coverage(kind, groups, size, mean, correlation, share, sum(hits) / len(hits))


class FalsePositives(NamedTuple):
    """How often each p is below 0.05 where there is no difference."""

    groups: int
    size: int
    mean: float
    correlation: float
    these: float
    new: float | None


def false_positives(
    groups: int, size: int, mean: float, correlation: float, draws: int
) -> FalsePositives:
    """Return how often two agents of the same quality are found to differ.

    For these histories both agents have the same true scores in each; for new histories each has
    true scores of its own, from one distribution.
    """
    random = np.random.default_rng((7, groups, size, int(1000 * mean), int(1000 * correlation)))
    histories = np.repeat(np.arange(groups), size)
    these, new = [], []
    for _ in range(draws):
        one, other = (true_means(random, groups, mean, correlation) for _ in range(2))
        luck = random.random((3, groups * size))
        answers = (luck < np.stack([one, one, other])[:, histories]).astype(np.float64)
        same = compare_paired(Grouped(answers[0] - answers[1], histories))
        apart = compare_paired(Grouped(answers[0] - answers[2], histories))
        these.append(same.these_p < 0.05)
        if apart.new_p is not None:
            new.append(apart.new_p < 0.05)
    return FalsePositives(
        groups, size, mean, correlation, sum(these) / draws, sum(new) / draws if new else None
    )


def main() -> None:
    """Print all cases."""
    parser = argparse.ArgumentParser(description="Simulate intervals and p values.")
    parser.add_argument("--draws", type=int, default=2_000, help="for each case")
    draws = parser.parse_args().draws
    print("interval  histories x questions  mean  ICC  offered %  held %")
    outside = cases = 0
    for case in _cases():
        for found in coverage(*case, draws):
            cases += 1
            outside += not 0.93 <= found.held <= 0.97
            print(
                f"{found.kind:8}  {found.groups:9} x {found.size:<9}  {found.mean:4}  "
                f"{found.correlation:4}  {100 * found.offered:9.0f}  {100 * found.held:6.1f}"
            )
    print(f"{outside} of {cases} outside 93 to 97 %")
    print("p below 0.05 without a difference, in %: these histories, new histories")
    for case in _cases():
        rates = false_positives(*case, draws)
        new = "-" if rates.new is None else f"{100 * rates.new:.1f}"
        print(f"{case}: {100 * rates.these:.1f}, {new}")


def _cases() -> Iterator[tuple[int, int, float, float]]:
    for groups, size in SHAPES:
        for mean in MEANS:
            for correlation in CORRELATIONS if size > 1 else CORRELATIONS[:1]:
                yield groups, size, mean, correlation


if __name__ == "__main__":
    main()
