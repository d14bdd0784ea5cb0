"""How near the power that plans reckon with comes to simulated comparisons.

Each comparison draws new histories, builds and questions that vary as the components say: the true
difference of a history and a build uniformly around that of all, and the answers won and lost by
it; some questions go the same way in all builds. What they vary by is measured between equals, as
plans measure it. `python -m benchmarks.plan` prints for each case
how many histories the plan takes, its power, and in how many of 2,000 comparisons the interval of
Student's t for new histories lies above 0, in percent; with `--flips` also p by flips of signs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np

from benchmarks.variances import VARIANCES
from mabench.uncertainty import Components, Floats, Grouped, compare_paired, quantile
from mabench.uncertainty.power import histories_needed, power

DIFFERENCES, WANTED, QUESTIONS, BUILDS = (0.03, 0.05, 0.10, 0.15), (0.80, 0.95), (5, 20), (1, 2)
_MOST = 2_000  # Histories that are drawn; a plan of more is left out.
_AT_A_TIME = 50  # Comparisons.
_MEASURED = 10_000  # Histories.


class Checked(NamedTuple):
    """A plan and what came of it, in shares."""

    kind: str
    difference: float
    questions: int
    builds: int
    histories: int
    planned: float
    interval: float
    flips: float | None  # None where it was not drawn.


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


def check(name: str, kind: Components, measured: Components, case: tuple[float, int, int],
          wanted: float, draws: int, flips: bool = False) -> Checked | None:  # fmt: skip
    """Simulate the comparisons of one plan; None where it takes too many histories.

    Differences vary as ``kind`` says; the plan is made from what was ``measured``.
    """
    difference, questions, builds = case
    histories = histories_needed(measured, difference, wanted, questions, builds)
    if histories is None or histories > _MOST:
        return None
    random = np.random.default_rng((36, round(1000 * difference), questions, builds, histories))
    t, above, signs = quantile(histories - 1), 0, 0
    groups = np.repeat(np.arange(histories), questions)
    for begin in range(0, draws, _AT_A_TIME):
        count = min(_AT_A_TIME, draws - begin)
        scores = draw(random, count * histories, case, kind).mean(axis=1)
        means = scores.mean(axis=1).reshape(count, histories)
        limits = t * means.std(axis=1, ddof=1) / sqrt(histories)
        above += int((means.mean(axis=1) > limits).sum())
        for values in scores.reshape(count, -1) if flips else ():
            paired = compare_paired(Grouped(values, groups))
            signs += paired.difference > 0 and (paired.new_p or 1.0) < 0.05
    planned = power(measured, difference, histories, questions, builds)
    shown = signs / draws if flips else None
    return Checked(name, *case, histories, planned, above / draws, shown)


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
    parser.add_argument("--flips", action="store_true", help="p by flips of signs, too; slow")
    options = parser.parse_args()
    print("kind              points  questions  builds  histories  planned  interval  flips")
    worst = 0.0
    for (name, kind, measured), difference, questions, wanted in product(
        cases(), DIFFERENCES, QUESTIONS, WANTED
    ):
        for builds in BUILDS if measured.build is not None else (1,):
            case = (difference, questions, builds)
            found = check(name, kind, measured, case, wanted, options.draws, options.flips)
            if found is None:
                continue
            worst = max(worst, abs(found.interval - found.planned))
            shares = (100 * share for share in (found.planned, found.interval, found.flips or 0.0))
            print(
                f"{name:17} {100 * difference:6.0f} {questions:10} {builds:7} "
                f"{found.histories:10}  " + "  ".join(f"{share:7.1f}" for share in shares),
                flush=True,
            )
    print(f"largest distance in points: {100 * worst:.1f}")


if __name__ == "__main__":
    main()
