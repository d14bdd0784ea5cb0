"""How often races decide wrongly, how often they find what is there, and how soon.

Each race has up to 300 histories with 20 questions, and one looks after each. The true difference
of a history varies around that of all, and its questions around that. `python benchmarks/race.py`
prints a line for each case: in percent the races that called one better who is not, those whose
intervals held the true difference at all moments together, those that found who is better, and
those that called both equal within 3 points; then the mean number of histories, and how many a test
of a fixed number takes that is planned for just this difference (found in 4 of 5 cases). Races
between equals are 10,000 of each kind, the others 2,000.

The last lines are of agents whose scores have the same mean but another shape, so that they are
equal and yet not interchangeable: one scores 90 on each history, the other varies around it.
"""

from __future__ import annotations

import argparse
from itertools import count
from math import inf, log, sqrt
from typing import NamedTuple

import numpy as np

from benchmarks.variances import VARIANCES
from mabench.uncertainty import ALPHA, Components, Floats, Spread
from mabench.uncertainty.betting import log_wealth

QUESTIONS, HISTORIES, MARGIN = 20, 300, 0.03
UNLIKE = {"unlike 1": 0.1, "unlike 2": 0.25}  # By the correlation within the other's histories.
_MEAN = 0.9
_MOST = log(4 / ALPHA)  # Two bets on each side share the error.
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


def fixed_size(kind: Components, difference: float) -> int:
    """Return how many histories find a difference in 4 of 5 cases, by Student's t."""
    variance = kind.variance(QUESTIONS)
    spreads = ((n, Spread(variance / n, n - 1)) for n in count(3))
    return next(n for n, spread in spreads if spread.detectable <= difference)


def draw_unlike(random: np.random.Generator, races: int, histories: int, likeness: float) -> Floats:
    """Draw differences of a steady agent and one whose histories correlate within; means equal."""
    total = (1 - likeness) / likeness
    varying = random.beta(_MEAN * total, (1 - _MEAN) * total, (races, histories))
    steady = random.binomial(QUESTIONS, _MEAN, (races, histories))
    return np.asarray((steady - random.binomial(QUESTIONS, varying)) / QUESTIONS, dtype=np.float64)


def _refuted(differences: Floats, mean: float) -> Floats:
    """Return after how many histories each race has refuted means up to one; inf for never."""
    refuted = log_wealth(differences, mean) >= _MOST
    if mean <= 0:
        refuted |= log_wealth(differences, None) >= _MOST
    return np.where(refuted.any(axis=1), refuted.argmax(axis=1) + 1.0, inf)


def race(kind: str, difference: float, races: int, histories: int = HISTORIES) -> Outcome:
    """Simulate the races of a case; a kind may be unlike agents with a correlation."""
    random = np.random.default_rng(
        (36, round(1000 * difference), [*VARIANCES, *UNLIKE].index(kind))
    )
    parts = []
    for begin in range(0, races, _AT_A_TIME):
        size = min(_AT_A_TIME, races - begin)
        if kind in UNLIKE:
            x = draw_unlike(random, size, histories, UNLIKE[kind])
        else:
            x = draw_differences(random, size, histories, difference, VARIANCES[kind])
        a, b = _refuted(x, 0.0), _refuted(-x, 0.0)
        equal = np.maximum(_refuted(x, -MARGIN), _refuted(-x, -MARGIN))
        failed = np.minimum(_refuted(x, difference), _refuted(-x, -difference))
        parts.append(np.stack([a, b, equal, failed]))
    a, b, equal, failed = np.concatenate(parts, axis=1)
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
        fixed=fixed_size(VARIANCES[kind], difference) if difference else None,
    )


def main() -> None:
    """Print all cases."""
    parser = argparse.ArgumentParser(description="Simulate races.")
    parser.add_argument("--races", type=int, default=10_000, help="between equals of each kind")
    races = parser.parse_args().races
    print("kind      points  wrong %  held %  right %  equal %  histories  fixed")
    for kind in (*VARIANCES, *UNLIKE):
        for difference in DIFFERENCES if kind in VARIANCES else (0.0,):
            found = race(kind, difference, races // 5 if difference else races)
            shares = (100 * share for share in (found.wrong, found.held, found.right, found.equal))
            print(
                f"{kind:8}  {100 * difference:6.0f}  "
                + "  ".join(f"{share:{6 + (place != 1)}.1f}" for place, share in enumerate(shares))
                + f"  {found.histories:9.0f}  {found.fixed or '-':>5}",
                flush=True,
            )


if __name__ == "__main__":
    main()
