"""An interval of a mean difference that holds at every moment: a confidence sequence by betting.

Whoever looks after each history and stops when an ordinary interval excludes 0 is wrong far more
often than in 5 % of cases. These intervals hold the true mean at all moments together, with a
probability of 95 % whatever the distribution is, as long as differences lie between -1 and 1 and
histories are drawn alike. They are those of Waudby-Smith and Ramdas (Estimating means of bounded
random variables by betting, Journal of the Royal Statistical Society B 86, 2024): someone bets on
each history that its difference is above a mean m, at odds that are fair if m is true. A capital
that has grown 40-fold (20 by 2, for both sides) refutes m, by Ville's inequality. The stakes are
a mixture of fixed shares of what may be staked (their diversified Kelly bets), so that nothing has
to be known of the variance, and the order of the histories does not matter.

What follows, and is tested: the limits rise with every difference; those of B less A are those of
A less B, turned round; a history on which both are equal neither helps nor harms a decision that
one is better, since it leaves the capital against 0 as it was.

Nothing that is installed with ease has them: ``confseq`` of the first author needs a compiler and
Boost, and its last version is of 2023.
"""

from __future__ import annotations

from math import inf, log

import numpy as np

from mabench.uncertainty import Floats, Interval

# Shares of what may be staked, and how much of the capital begins with each. All that is allowed is
# best wherever histories vary less than differences of a memory's scores do (a deviation of 0.2).
_STAKES = 2.0 ** -np.arange(8)
_BEGIN = _STAKES / _STAKES.sum()
_STEPS = 40  # Of bisection: to the 12th decimal.


def log_capital(differences: Floats, mean: float) -> Floats:
    """Return the logarithm of the capital of who bets that the true mean is higher than ``mean``.

    Args:
        differences: one for each history, from -1 to 1, along the last axis.
        mean: the mean to be refuted, above -1.

    Returns:
        The capital after each history, in the shape of ``differences``; it begins with 1.
    """
    gains = (differences[..., None] - mean) / (1 + mean)
    with np.errstate(divide="ignore"):  # All was staked, and lost.
        grown = np.log1p(np.maximum(-1.0, _STAKES * gains)).cumsum(axis=-2)
    return np.asarray(np.logaddexp.reduce(grown + np.log(_BEGIN), axis=-1))


def confidence_sequence(differences: Floats, alpha: float = 0.05) -> list[Interval]:
    """Return the interval of the mean after each history; each lies within the one before.

    Args:
        differences: one for each history, from -1 to 1, in the order of the histories.
        alpha: how often any of the intervals may fail to hold the true mean.
    """
    lows, highs = _limits(differences, alpha), _limits(-differences, alpha)
    return [Interval(low, -high) for low, high in zip(lows, highs, strict=True)]


def _limits(differences: Floats, alpha: float) -> list[float]:
    """Return the largest mean that is refuted after each history, or was before; -1 for none."""
    limits, limit, most = list[float](), -1.0, log(2 / alpha)
    for n in range(1, len(differences) + 1):
        seen = differences[:n]

        def refutes(mean: float, seen: Floats = seen) -> bool:
            return bool(mean <= -1 or log_capital(seen, mean)[-1] >= most)

        low, high = limit, 1.0
        if refutes(np.nextafter(low, inf)):
            for _ in range(_STEPS):
                middle = (low + high) / 2
                low, high = (middle, high) if refutes(middle) else (low, middle)
        limit = low
        limits.append(limit)
    return limits
