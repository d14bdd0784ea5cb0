"""How often races decide wrongly, how often they find what is there, and how soon.

Each race has up to 300 histories with 20 questions, and one looks after each. The true difference
of a history varies around that of all, and its questions around that. `python -m benchmarks.race`
prints a line for each case: in percent the races that called one better who is not, those whose
intervals held the true difference at all moments together, those that found who is better, and
those that called both equal within 3 points; then the mean number of histories, and how many a test
of a fixed number takes that is planned for just this difference (found in 4 of 5 cases). With
`--symmetric`, signs are bet on, too.

The last lines are of agents whose scores have the same mean but another shape: one varies around 90
and the other does not, or one fails whole histories now and then, and is better on the others.
"""

from __future__ import annotations

import argparse
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from benchmarks.variances import VARIANCES
from mabench.uncertainty import Components, Floats
from mabench.uncertainty.betting import log_wealth, refuting_wealth
from mabench.uncertainty.intervals import ALPHA
from mabench.uncertainty.power import ComparisonSize, Variation, histories_needed

QUESTIONS, HISTORIES, MARGIN = 20, 300, 0.03
# By the correlation within the other's histories.
UNLIKE = {"unlike 1": 0.1, "unlike 2": 0.25}
# By how often the other fails a whole history.
FAILING = {"fails 1 in 20": 0.05, "fails 1 in 10": 0.1, "fails 1 in 5": 0.2}
_MEAN = 0.9
_FAILING_MEAN = 0.75
DIFFERENCES = (0.0, 0.03, 0.05, 0.10, 0.15)
_AT_A_TIME = 500


class Outcome(NamedTuple):
    """What came of the races of one case, in shares but for the numbers of histories."""

    kind: str
    difference: float
    wrong: float  # Called one better who is not.
    held: float  # The intervals held the true difference at all moments together.
    right: float  # Called one better who is.
    equal: float
    histories: float  # In the mean.
    looks: float  # How many points too large the difference is at the stop; nan without one.
    fixed: int | None  # Of a test of a fixed number; None without a difference.


def draw_differences(
    random: np.random.Generator, races: int, histories: int, difference: float, kind: Components
) -> Floats:
    """Draw the mean difference of each history, in shape (races, histories)."""
    spread = sqrt(3 * kind.history)
    truth = difference + random.uniform(-spread, spread, (races, histories))
    apart = np.maximum(np.abs(truth), kind.question + truth**2)  # The share that differs.
    won = random.binomial(QUESTIONS, (apart + truth) / 2)
    lost = random.binomial(QUESTIONS - won, (apart - truth) / (2 - apart - truth))
    return np.asarray((won - lost) / QUESTIONS, dtype=np.float64)


def fixed_size(kind: Components, difference: float) -> int | None:
    """Return how many histories show a difference in 4 of 5 cases, by the test of ``compare``."""
    return histories_needed(Variation(kind), difference, 0.8, ComparisonSize(QUESTIONS))


def draw_unlike(random: np.random.Generator, races: int, histories: int, likeness: float) -> Floats:
    """Draw differences of a steady agent and one whose histories correlate within; means equal."""
    total = (1 - likeness) / likeness
    varying = random.beta(_MEAN * total, (1 - _MEAN) * total, (races, histories))
    steady = random.binomial(QUESTIONS, _MEAN, (races, histories))
    return np.asarray((steady - random.binomial(QUESTIONS, varying)) / QUESTIONS, dtype=np.float64)


def draw_failing(random: np.random.Generator, races: int, histories: int, often: float) -> Floats:
    """Draw differences of an agent and one that fails histories ``often``; means are equal."""
    whole = random.random((races, histories)) >= often
    failing = random.binomial(QUESTIONS, _FAILING_MEAN / (1 - often), whole.shape) * whole
    steady = random.binomial(QUESTIONS, _FAILING_MEAN, whole.shape)
    return np.asarray((steady - failing) / QUESTIONS, dtype=np.float64)


def _refuted(differences: Floats, mean: float, *, symmetric: bool) -> Floats:
    """Return after how many histories each race has refuted means up to one; inf for never."""
    most = refuting_wealth(ALPHA, symmetric=symmetric)
    refuted = log_wealth(differences, mean) >= most
    if symmetric and mean <= 0:
        refuted |= log_wealth(differences, None) >= most
    return np.where(refuted.any(axis=1), refuted.argmax(axis=1) + 1.0, inf)


def race(
    kind: str,
    difference: float,
    races: int,
    histories: int = HISTORIES,
    *,
    symmetric: bool = False,
) -> Outcome:
    """Simulate the races of a case; a kind may be unlike agents with a correlation."""
    kinds = [*VARIANCES, *UNLIKE, *FAILING]
    random = np.random.default_rng((36, round(1000 * difference), kinds.index(kind)))
    parts = []
    for begin in range(0, races, _AT_A_TIME):
        size = min(_AT_A_TIME, races - begin)
        if kind in UNLIKE:
            x = draw_unlike(random, size, histories, UNLIKE[kind])
        elif kind in FAILING:
            x = draw_failing(random, size, histories, FAILING[kind])
        else:
            x = draw_differences(random, size, histories, difference, VARIANCES[kind])
        a, b, low, high, below, above = (
            _refuted(sign * x, mean, symmetric=symmetric)
            for sign, mean in (
                *((1, 0.0), (-1, 0.0)),
                *((1, -MARGIN), (-1, -MARGIN)),
                *((1, difference), (-1, -difference)),
            )
        )
        end = np.minimum.reduce([a, b, np.full(size, float(histories))])
        seen = x.cumsum(axis=1)[np.arange(size), end.astype(int) - 1] / end
        failed = np.minimum(below, above)
        parts.append(np.stack([a, b, np.maximum(low, high), failed, seen]))
    a, b, equal, failed, seen = np.concatenate(parts, axis=1)
    end = np.minimum.reduce([a, b, equal])
    a_first, b_first = (np.isfinite(end) & (end == first) for first in (a, b))
    return Outcome(
        kind,
        difference,
        wrong=float((b_first if difference else a_first | b_first).mean()),
        held=float(np.isinf(failed).mean()),
        right=float(a_first.mean()) if difference else 0.0,
        equal=float((np.isfinite(end) & ~a_first & ~b_first).mean()),
        histories=float(np.minimum(end, histories).mean()),
        looks=100 * float(seen[a_first].mean() - difference) if a_first.any() else float("nan"),
        fixed=fixed_size(VARIANCES[kind], difference) if difference else None,
    )


def cases(races: int) -> list[tuple[str, float, int]]:
    """Return kinds and differences with the number of races, fewer where there is a difference."""
    return [
        (kind, difference, races // 5 if difference else races)
        for kind in (*VARIANCES, *UNLIKE, *FAILING)
        for difference in (DIFFERENCES if kind in VARIANCES else (0.0,))
    ]


def main() -> None:
    """Print all cases."""
    parser = argparse.ArgumentParser(description="Simulate races.")
    parser.add_argument("--races", type=int, default=10_000, help="between equals of each kind")
    parser.add_argument("--symmetric", action="store_true", help="bet on signs, too")
    options = parser.parse_args()
    print("kind           points  wrong %  held %  right %  equal %  histories  fixed")
    for case in cases(options.races):
        found = race(*case, symmetric=options.symmetric)
        shares = (100 * share for share in (found.wrong, found.held, found.right, found.equal))
        print(
            f"{found.kind:13}  {100 * found.difference:6.0f}  "
            + "  ".join(f"{share:{6 + (place != 1)}.1f}" for place, share in enumerate(shares))
            + f"  {found.histories:9.0f}  {found.fixed or '-':>5}",
            flush=True,
        )


if __name__ == "__main__":
    main()
