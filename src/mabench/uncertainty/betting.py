"""Intervals of a mean difference that hold after every history, by betting.

A bettor bets on each history. If a mean is true, the wealth grows 40-fold in 1 of 40 cases at most
(Ville), so that a wealth which does refutes the mean: two sides make 5 %. The bets, which
``docs/explanation/what-can-be-concluded.md`` describes, are:

- against any mean, the diversified Kelly bets of Waudby-Smith and Ramdas (Estimating means of
  bounded random variables by betting, Journal of the Royal Statistical Society B 86, 2024): they
  need nothing but the bounds;
- only where equal agents are assumed to be interchangeable, against 0 on the sign of a difference,
  with a stake by its size (Vovk and Wang, Nonparametric e-tests of symmetry, arXiv 2208.08925,
  2024). The two share the error then.

``confseq``, the library of the first authors, needs a compiler, and its last version is of 2023.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import numpy as np

from mabench.uncertainty.grouped import Floats
from mabench.uncertainty.intervals import ALPHA, Interval

# Shares of the largest stake. All of it is best if histories vary as those of memories do.
_STAKES = 2.0 ** -np.arange(8)
# The log wealth that each stake begins with.
_INITIAL = np.log(_STAKES / _STAKES.sum())
# How the stake on a sign grows with the size: these suit differences from 3 to 60 points.
_SLOPES = 2.0 ** np.arange(5)
_SIDES = 2
# How near a limit is found.
_PRECISION = 1e-7


def log_wealth(differences: Floats, mean: float | None) -> Floats:
    """Return the log wealth of a bettor who bets that the true mean is above ``mean``.

    With None for a mean, the bettor bets that positive differences prevail over negative ones. The
    wealth begins at 1, the logarithm at 0.

    Args:
        differences: from -1 to 1, one for each history along the last axis.
        mean: above -1.

    Returns:
        The log wealth after each history, in the shape of ``differences``.
    """
    # The wealth is divided among the stakes, along a new last axis; each is bet on its own. At a
    # gain of g on its stake, the wealth becomes 1 + g times as much.
    each_stake = differences[..., None]
    if mean is None:
        gains = np.tanh(_SLOPES * each_stake)
        initial = -np.log(len(_SLOPES))
    else:
        gains = _STAKES * ((each_stake - mean) / (1 + mean))
        initial = _INITIAL
    with np.errstate(divide="ignore"):  # Where everything was staked and lost, the log is -inf.
        grown = np.log1p(np.maximum(gains, -1.0)).cumsum(axis=-2)
    return np.asarray(np.logaddexp.reduce(grown + initial, axis=-1))


def refuting_wealth(alpha: float, *, symmetric: bool) -> float:
    """Return the log wealth that refutes a mean: sides share the error, and so do kinds of bets."""
    kinds_of_bets = 2 if symmetric else 1
    return log(_SIDES * kinds_of_bets / alpha)


def confidence_sequence(
    differences: Floats, alpha: float = ALPHA, *, symmetric: bool = False
) -> list[Interval]:
    """Return the interval of the mean after each history; each lies within the one before.

    Args:
        differences: one for each history, from -1 to 1, in their order: shape (n,).
        alpha: how often any of the intervals may fail to hold the true mean.
        symmetric: also bet on signs, as if differences between equal agents were symmetric.
    """
    intervals = []
    lows = _low_limits(differences, alpha, symmetric)
    mirrored_lows = _low_limits(-1 * differences, alpha, symmetric)
    for low, mirrored_low in zip(lows, mirrored_lows, strict=True):
        high = 0.0 - mirrored_low  # Never -0.0.
        intervals.append(Interval(low, max(low, high)))
    return intervals


def _low_limits(differences: Floats, alpha: float, symmetric: bool) -> Iterator[float]:
    """Yield the largest mean that was refuted up to each history; -1 if none was."""
    largest_refuted = -1.0
    refuting = refuting_wealth(alpha, symmetric=symmetric)
    for n in range(1, len(differences) + 1):
        seen = differences[:n]
        if symmetric and log_wealth(seen, None)[-1] >= refuting:
            largest_refuted = max(largest_refuted, 0.0)
        # Bisection: all means up to ``largest_refuted`` are refuted, and ``not_refuted`` is not.
        # The first step is tiny, since most histories refute nothing more.
        not_refuted = 1.0
        middle = largest_refuted + _PRECISION
        while not_refuted - largest_refuted > _PRECISION:
            if log_wealth(seen, middle)[-1] >= refuting:
                largest_refuted = middle
            else:
                not_refuted = middle
            middle = (largest_refuted + not_refuted) / 2
        yield largest_refuted
