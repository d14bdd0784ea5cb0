"""How often prediction-powered intervals hold the true share, over a grid of judges and samples.

Beside it: a share that is corrected by one sensitivity and specificity for all answers, as they
were measured on other answers. Run `python -m benchmarks.judged_shares` (a minute and a half).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mabench.uncertainty.prediction_powered import JudgedSample

_HISTORIES = (1, 5, 10, 20, 50)
_VERDICTS = (30, 60, 100, 300)
_QUESTIONS = 600
_SHARE = 0.6
_CORRELATION = 0.1
# A kind of answers: its share of the wrong ones, and the chance that a judge passes it.
_JUDGES = {
    "good": ((0.5, 0.03), (0.5, 0.03)),
    "bad": ((0.5, 0.35), (0.5, 0.35)),
    "biased by kind": ((0.6, 0.10), (0.4, 0.63)),
}
_PASSED_RIGHT = 0.95


class Cell(NamedTuple):
    """What was simulated, and what came out: coverage in percent."""

    judge: str
    histories: int
    verdicts: int
    of_new: float | None  # None where no interval for new histories is offered.
    of_these: float
    pooled: float


def simulate(trials: int, seed: int) -> Iterator[Cell]:
    """Yield each cell of the grid."""
    for judge, histories, verdicts in product(_JUDGES, _HISTORIES, _VERDICTS):
        rng = np.random.default_rng([seed, histories, verdicts, len(judge)])
        held = np.array([_trial(judge, histories, verdicts, rng) for _ in range(trials)])
        offered = ~np.isnan(held[:, 0])
        new = 100 * float(held[offered, 0].mean()) if offered.any() else None
        yield Cell(judge, histories, verdicts, new, *(100 * held[:, 1:].mean(axis=0)).tolist())


def _trial(
    judge: str, histories: int, verdicts: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return whether each interval holds its truth: 1 or 0, or nan where none is offered."""
    total = (1 - _CORRELATION) / _CORRELATION
    shares = rng.beta(_SHARE * total, (1 - _SHARE) * total, histories)
    of_history = np.arange(_QUESTIONS) % histories
    right = rng.random(_QUESTIONS) < shares[of_history]
    judged = _judge(right, judge, rng)
    sampled = rng.choice(_QUESTIONS, verdicts, replace=False)
    sample = JudgedSample(
        judged=judged,
        histories=of_history,
        sampled=sampled,
        people=right[sampled].astype(float),
        chances=np.full(verdicts, verdicts / _QUESTIONS),
    )
    new, these = sample.new_histories(), sample.these_answers()
    truth = float(right.mean())
    holds_new = np.nan if new is None else float(new.low <= _SHARE <= new.high)
    return holds_new, float(these.low <= truth <= these.high), _pooled_holds(judged, truth)


def _judge(right: NDArray[np.bool_], judge: str, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a judge's verdicts; what it passes of wrong answers depends on their kind."""
    (share, passed_first), (_, passed_second) = _JUDGES[judge]
    is_first = rng.random(len(right)) < share
    passed_wrong = np.where(is_first, passed_first, passed_second)
    chance = np.where(right, _PASSED_RIGHT, passed_wrong)
    return (rng.random(len(right)) < chance).astype(np.float64)


def _pooled_holds(judged: NDArray[np.float64], truth: float) -> float:
    """Return whether a correction by errors that were measured elsewhere holds the truth.

    Elsewhere, specific wrong answers were nine in ten; the errors are taken as known.
    """
    sensitivity, passed_wrong = _PASSED_RIGHT, 0.15
    n, mean = len(judged), float(judged.mean())
    corrected = (mean - passed_wrong) / (sensitivity - passed_wrong)
    half = 1.96 * (mean * (1 - mean) / n) ** 0.5 / (sensitivity - passed_wrong)
    return float(corrected - half <= truth <= corrected + half)


def main() -> None:
    """Print the grid."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20261129)
    given = parser.parse_args()
    print("judge, histories, verdicts: new histories, these answers, pooled correction")
    cells = []
    for cell in simulate(given.trials, given.seed):
        cells.append(cell)
        new = "-" if cell.of_new is None else f"{cell.of_new:.1f}"
        print(
            f"{cell.judge:15} {cell.histories:3d} {cell.verdicts:4d}  {new:>5}  "
            f"{cell.of_these:5.1f}  {cell.pooled:5.1f}",
            flush=True,
        )
    offered = [cell.of_new for cell in cells if cell.of_new is not None]
    print(f"new histories: mean {np.mean(offered):.1f}, least {min(offered):.1f}")
    these = [cell.of_these for cell in cells]
    print(f"these answers: mean {np.mean(these):.1f}, least {min(these):.1f}")
    print(f"pooled correction: mean {np.mean([cell.pooled for cell in cells]):.1f}")


if __name__ == "__main__":
    main()
