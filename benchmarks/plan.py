"""How near the power that plans reckon with comes to simulated comparisons.

Each comparison draws new histories, builds and questions that vary as the components say: the true
difference of a history and a build uniformly around that of all, and the answers won and lost by
it; some questions go the same way in all builds. What they vary by is measured between equals, as
plans measure it. `python -m benchmarks.plan` prints for each case
how many histories the plan takes, its power, and in how many of 2,000 comparisons the interval of
Student's t for new histories lies above 0, in percent.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product
from math import comb, nan, sqrt
from statistics import fmean, median
from typing import NamedTuple

import numpy as np

from benchmarks.variances import VARIANCES
from mabench.uncertainty import ALPHA, Components, Floats, Grouped, quantile
from mabench.uncertainty.power import ComparisonSize, Variation, histories_needed, power

DIFFERENCES, WANTED, QUESTIONS, BUILDS = (0.03, 0.05, 0.10, 0.15), (0.80, 0.95), (5, 20), (1, 2)
_MOST = 2_000  # Histories that are drawn; a plan of more is left out.
_AT_A_TIME = 50  # Comparisons.
_MEASURED = 10_000  # Histories.
_PER_PILOT = 4  # Comparisons of each plan.


class Checked(NamedTuple):
    """A plan and what came of it, in shares."""

    kind: str
    difference: float
    questions: int
    builds: int
    histories: int
    planned: float
    interval: float


class PilotsChecked(NamedTuple):
    """Plans from pilots, and what came of the comparisons, in shares."""

    pilot: int  # Histories of each pilot.
    agents: int
    difference: float
    shown: float  # How often the difference was shown, over all plans.
    histories: float  # Of the median plan.
    planned: float  # How many pilots led to a plan of at most 2,000 histories.


def draw(
    random: np.random.Generator, histories: int, case: tuple[float, int, int], kind: Components
) -> Floats:
    """Draw the differences of questions in each build, in shape (histories, builds, questions)."""
    difference, questions, builds = case
    spread, by_build = sqrt(3 * kind.history), sqrt(3 * (kind.build or 0.0))
    truth = difference + random.uniform(-spread, spread, (histories, 1, 1))
    truth = truth + random.uniform(-by_build, by_build, (histories, builds, 1))
    within = kind.question + kind.rest
    apart = np.minimum(1.0, np.maximum(np.abs(truth), within + truth**2))
    lasting = random.random((histories, 1, questions)) < kind.question / within
    luck = random.random((histories, builds, questions))
    luck = np.where(lasting, luck[:, :1], luck)
    won, lost = luck < (apart + truth) / 2, luck > 1 - (apart - truth) / 2
    return won.astype(np.float64) - lost


def check(
    name: str,
    kind: Components,
    measured: Components,
    case: tuple[float, int, int],
    wanted: float,
    draws: int,
) -> Checked | None:
    """Simulate the comparisons of one plan; None where it takes too many histories.

    Differences vary as ``kind`` says; the plan is made from what was ``measured``.
    """
    difference, questions, builds = case
    variation, size = Variation(measured), ComparisonSize(questions, builds)
    histories = histories_needed(variation, difference, wanted, size)
    if histories is None or histories > _MOST:
        return None
    random = np.random.default_rng((36, round(1000 * difference), questions, builds, histories))
    found = find(random, histories, case, kind, 1, draws)
    planned = power(variation, difference, histories, size)
    return Checked(name, *case, histories, planned, found)


def find(
    random: np.random.Generator,
    histories: int,
    case: tuple[float, int, int],
    kind: Components,
    tests: int,
    draws: int,
) -> float:
    """Return in which share of simulated comparisons a true difference is shown.

    All histories have one size, so that the test is Student's of their means; p has to be the
    smallest of so many tests, as the first step of Holm's procedure asks.
    """
    t, above = quantile(histories - 1, 1 - ALPHA / (2 * tests)), 0
    for begin in range(0, draws, _AT_A_TIME):
        count = min(_AT_A_TIME, draws - begin)
        means = draw(random, count * histories, case, kind).mean(axis=(1, 2))
        means = means.reshape(count, histories)
        limits = t * means.std(axis=1, ddof=1) / sqrt(histories)
        above += int((means.mean(axis=1) > limits).sum())
    return above / draws


def check_pilots(
    kind: Components, difference: float, pilot: int, agents: int, draws: int
) -> PilotsChecked:
    """Simulate plans from small pilots of equal agents, and a comparison of each plan."""
    random = np.random.default_rng((57, round(1000 * difference), pilot, agents))
    questions, tests = 20, comb(agents, 2)
    size, groups = ComparisonSize(questions, 1, tests), np.repeat(np.arange(pilot), questions)
    found, needed = list[float](), list[int]()
    for _ in range(draws):
        scores = draw(random, pilot, (0.0, questions, 1), kind).mean(axis=1).ravel()
        seen = Components.of(scores[None], Grouped(scores, groups))
        assert seen
        seen = seen._replace(question=seen.question or 2 / (scores.size + 2))
        histories = histories_needed(Variation(seen, pilot - 1), difference, 0.8, size)
        if histories is not None and histories <= _MOST:
            case = (difference, questions, 1)
            found.append(find(random, histories, case, kind, tests, _PER_PILOT))
            needed.append(histories)
    shown = fmean(found) if found else nan
    return PilotsChecked(pilot, agents, difference, shown, median(needed), len(found) / draws)


def cases() -> Iterator[tuple[str, Components, Components]]:
    """Yield variances, without builds and with half of them from build to build.

    Last stand those that are measured of agents who are equal.
    """
    for name, kind in VARIANCES.items():
        half = kind.history / 2
        with_builds = Components(half, half, kind.question / 2, kind.question / 2)
        for title, each in ((name, kind), (f"{name}, builds", with_builds)):
            yield title, each, measure(each)


def measure(kind: Components) -> Components:
    """Return what the differences of many histories vary by, where the true difference is 0."""
    builds = 1 if kind.build is None else 2
    drawn = draw(np.random.default_rng(36), _MEASURED, (0.0, 20, builds), kind)
    scores = drawn.transpose(1, 0, 2).reshape(builds, -1)
    groups = np.repeat(np.arange(_MEASURED), 20)
    measured = Components.of(scores, Grouped(scores.mean(axis=0), groups))
    assert measured
    return measured


def main() -> None:
    """Print all cases."""
    parser = argparse.ArgumentParser(description="Simulate planned comparisons.")
    parser.add_argument("--draws", type=int, default=2_000, help="for each case")
    options = parser.parse_args()
    print("kind              points  questions  builds  histories  planned  interval")
    worst = 0.0
    for (name, kind, measured), difference, questions, wanted in product(
        cases(), DIFFERENCES, QUESTIONS, WANTED
    ):
        for builds in BUILDS if measured.build is not None else (1,):
            case = (difference, questions, builds)
            found = check(name, kind, measured, case, wanted, options.draws)
            if found is None:
                continue
            worst = max(worst, abs(found.interval - found.planned))
            shares = (100 * share for share in (found.planned, found.interval))
            print(
                f"{name:17} {100 * difference:6.0f} {questions:10} {builds:7} "
                f"{found.histories:10}  " + "  ".join(f"{share:7.1f}" for share in shares),
                flush=True,
            )
    print(f"largest distance in points: {100 * worst:.1f}")


if __name__ == "__main__":
    main()
