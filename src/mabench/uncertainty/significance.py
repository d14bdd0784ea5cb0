"""p values of paired differences, and their correction where there are many."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt

import numpy as np

from mabench.uncertainty.grouped import Floats
from mabench.uncertainty.intervals import Spread

ALPHA = 0.05
# Up to here every choice of signs is tried; beyond, so many are drawn.
_ENUMERATED = 14
_DRAWS = 9_999
_SEED = 20_250_707
# Sums that differ by less are equal: they were added up in another order.
_ROUNDING = 1e-9


def by_history(totals: Floats) -> float | None:
    """Return the p of a sign flip of the histories' total differences.

    None where it could not fall below 0.05: with G histories it is at least 2^(1 - G).
    """
    return flip(totals) if 2.0 ** (1 - len(totals)) < ALPHA else None


def by_question(differences: Floats) -> float:
    """Return the p of the differences of questions, which are taken as independent.

    It is McNemar's exact test where all differences are -1, 0 or 1, else a sign flip.
    """
    if not np.isin(differences, (-1.0, 0.0, 1.0)).all():
        return flip(differences)
    from scipy.special import bdtr

    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))


def flip(differences: Floats) -> float:
    """Return the two-sided p of the sum of differences under a change of signs.

    All signs are tried for up to 14 differences, else 9,999 are drawn from a fixed seed and the
    signs as they are count as one more. What is 0 has no sign and is left out. It is what
    ``scipy.stats.permutation_test`` computes, hundreds of times as fast.
    """
    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    sums = _signs(len(moved)) @ moved
    as_extreme = int((np.abs(sums) >= abs(moved.sum()) * (1 - _ROUNDING)).sum())
    if len(moved) <= _ENUMERATED:
        return as_extreme / len(sums)
    return (as_extreme + 1) / (len(sums) + 1)


@lru_cache(maxsize=8)
def _signs(n: int) -> Floats:
    """Return choices of n signs, a row each: every one of them, or a sample."""
    if n <= _ENUMERATED:
        bits = np.arange(2**n)[:, None] >> np.arange(n) & 1
    else:
        bits = np.random.default_rng(_SEED).integers(0, 2, (_DRAWS, n), dtype=np.int8)
    return np.asarray(2.0 * bits - 1.0, dtype=np.float64)


def by_spread(mean: float, spread: Spread) -> float:
    """Return the two-sided p of a mean by Student's t."""
    if not spread.variance:
        return 0.0 if mean else 1.0
    from scipy.special import stdtr

    return 2 * float(stdtr(spread.freedom, -abs(mean) / sqrt(spread.variance)))


def holm(values: Sequence[float]) -> list[float]:
    """Return p values adjusted for their number, so that no false one is to be expected.

    Holm (1979): the family-wise error rate stays below 5 %.
    """
    adjusted = [0.0] * len(values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = largest
    return adjusted


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """Return p values adjusted so that few of those below 0.05 are false.

    Benjamini and Hochberg (1995): the false discovery rate stays below 5 %.
    """
    from scipy.stats import false_discovery_control

    return [float(value) for value in false_discovery_control(values)] if values else []
