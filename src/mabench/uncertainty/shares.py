"""The interval of a share of right answers, over new histories.

``docs/explanation/what-can-be-concluded.md`` explains it, and ``benchmarks/claims.py`` simulates
how often it holds the true share.
"""

from __future__ import annotations

from math import inf

import numpy as np

from mabench.uncertainty.clustered import count_clusters, estimate_new, speaks_of_new
from mabench.uncertainty.grouped import Grouped, effective_draws
from mabench.uncertainty.intervals import Interval, quantile

# With fewer histories that differ from the rest, the correlation within them cannot be seen.
_FEWEST_DIFFERENT = 3
_LARGEST_CORRELATION = 0.95
# How much of the excess kurtosis is charged to the degrees of freedom: found by simulation.
_KURTOSIS_SHARE = 0.75


def new_histories(scores: Grouped) -> Interval | None:
    """Return the interval of a source's score for other histories; None with too few of them.

    If all scores are 0 or 1, it is Wilson's with an effective n (Korn and Graubard 1998) and
    Student's quantile; other scores have that of ``estimate_new``.

    Near 0 and 1 the variance itself is uncertain, since few histories have an answer of the rarer
    kind. The degrees of freedom are therefore reduced by the excess kurtosis of the scores of
    histories, as if these followed a beta distribution with the mean and the correlation seen.
    Wilson's limits (1927) use the variance that a true mean there would have. In the same way,
    each limit uses the kurtosis there, if that is larger.

    If fewer than 3 histories have a score that differs from the rest, the correlation cannot be
    seen, and each history counts as one draw.
    """
    if not speaks_of_new([scores]):
        return None
    estimate = estimate_new([(1.0, scores)])
    if not scores.binary:
        return estimate.interval(0.0, 1.0)
    mean, spread = estimate
    # By history, the answers that are rarer, right or wrong ones.
    rarer = scores.totals if mean <= 0.5 else scores.sizes - scores.totals
    effective = effective_draws(mean, spread.variance)
    if np.count_nonzero(rarer) < _FEWEST_DIFFERENT or not effective:
        return Interval.wilson(mean, count_clusters(scores), quantile(inf))
    correlation = _correlation(scores)
    t = quantile(_reduced_freedom(spread.freedom, mean, correlation))
    low, high = Interval.wilson(mean, effective, t)
    t_at_low = max(t, quantile(_reduced_freedom(spread.freedom, low, correlation)))
    t_at_high = max(t, quantile(_reduced_freedom(spread.freedom, high, correlation)))
    return Interval(
        low=Interval.wilson(mean, effective, t_at_low).low,
        high=Interval.wilson(mean, effective, t_at_high).high,
    )


def _correlation(scores: Grouped) -> float:
    """Return the correlation of right answers within histories that explains their variance."""
    n = scores.n
    pairs = float((scores.sizes**2).sum()) - n  # Of two questions about the same history.
    if not pairs:  # Each history has one question.
        return 0.0
    # The variance of the number of right answers, by that of one answer: n if all were independent.
    inflation = scores.between * n * n / (scores.mean * (1 - scores.mean))
    return min((inflation - n) / pairs, _LARGEST_CORRELATION)


def _reduced_freedom(freedom: float, mean: float, correlation: float) -> float:
    """Return the degrees of freedom of the variance between histories of right and wrong answers.

    The variance of a sample variance over G draws is s^4 (2 / (G - 1) + k / G) with the excess
    kurtosis k, so that the degrees of freedom are 2 / (2 / (G - 1) + k / G).
    """
    kurtosis = max(0.0, _excess_kurtosis(mean, correlation)) if correlation > 0 else 0.0
    return max(0.5, 2 / (2 / freedom + _KURTOSIS_SHARE * kurtosis / (freedom + 1)))


def _excess_kurtosis(mean: float, correlation: float) -> float:
    """Return that of the beta distribution with this mean and this correlation, above 0.

    At a mean of 0 or 1 it has no limit.
    """
    total = (1 - correlation) / correlation
    a, b = mean * total, (1 - mean) * total
    if not a * b:
        return inf
    skewed = (a - b) ** 2 * (total + 1) - a * b * (total + 2)
    return 6 * skewed / (a * b * (total + 2) * (total + 3))
