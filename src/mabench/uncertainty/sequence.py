"""An interval of a mean difference that holds at every moment: a confidence sequence by betting.

Someone bets on each history; were a mean true, the capital would grow 80-fold in 1 of 80 cases at
most (Ville), so that one which does refutes it: two bets on two sides make 5 %. The bets are
described in ``docs/explanation/what-can-be-concluded.md``:

- against any mean, the diversified Kelly bets of Waudby-Smith and Ramdas (Estimating means of
  bounded random variables by betting, Journal of the Royal Statistical Society B 86, 2024);
- against 0, where agents are interchangeable, on the sign of a difference, with a stake by its size
  (Vovk and Wang, Nonparametric e-tests of symmetry, arXiv 2208.08925, 2024).

``confseq``, the library of the first authors, takes a compiler, and its last version is of 2023.
"""

from __future__ import annotations

from math import log

import numpy as np

from mabench.uncertainty import Floats, Interval

# Shares of what may be staked, and how much of the capital begins with each. All of it is best
# where histories vary as those of memories do.
_STAKES = 2.0 ** -np.arange(8)
_BEGIN = np.log(_STAKES / _STAKES.sum())
# How the stake on a sign grows with the size: those suit differences from 3 to 60 points.
_SLOPES = 2.0 ** np.arange(5)
BETS = 4  # Two on each side, which share the error.
_PRECISION = 1e-7  # Of a limit.


def log_capital(differences: Floats, mean: float) -> Floats:
    """Return the logarithm of the capital of who bets that the true mean is above ``mean``.

    It begins with 0, and has the shape of ``differences``, which run from -1 to 1, one for each
    history along the last axis. ``mean`` is above -1.
    """
    gains = _STAKES * ((differences[..., None] - mean) / (1 + mean))
    return _add_up(np.maximum(gains, -1.0), _BEGIN)


def log_flip_capital(differences: Floats) -> Floats:
    """Return the same of who bets that positive differences prevail, against either sign alike."""
    return _add_up(np.tanh(_SLOPES * differences[..., None]), -np.log(len(_SLOPES)))


def _add_up(gains: Floats, begin: Floats | float) -> Floats:
    with np.errstate(divide="ignore"):  # All was staked, and lost.
        grown = np.log1p(gains).cumsum(axis=-2)
    return np.asarray(np.logaddexp.reduce(grown + begin, axis=-1))


def confidence_sequence(differences: Floats, alpha: float = 0.05) -> list[Interval]:
    """Return the interval of the mean after each history; each lies within the one before.

    Args:
        differences: one for each history, from -1 to 1, in the order of the histories.
        alpha: how often any of the intervals may fail to hold the true mean.
    """
    most = log(BETS / alpha)
    lows, highs = (_limits(sign * differences, most) for sign in (1, -1))
    return [Interval(low, max(low, 0.0 - high)) for low, high in zip(lows, highs, strict=True)]


def _limits(differences: Floats, most: float) -> list[float]:
    """Return the largest mean that was refuted up to each history; -1 for none."""
    limits, low = list[float](), -1.0
    flipped = log_flip_capital(differences) >= most
    for n in range(1, len(differences) + 1):
        low, outside = max(low, 0.0 if flipped[n - 1] else -1.0), 1.0
        middle = low + _PRECISION
        while outside - low > _PRECISION:
            if log_capital(differences[:n], middle)[-1] >= most:
                low = middle
            else:
                outside = middle
            middle = (low + outside) / 2
        limits.append(low)
    return limits
