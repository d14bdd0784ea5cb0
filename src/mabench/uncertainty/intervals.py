"""The two intervals of a mean score: for these histories, and for new ones like them.

``benchmarks/intervals.py`` simulates how often each holds the true mean.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from mabench.uncertainty.grouped import Grouped

CONFIDENCE = 0.95
# Below this many histories nothing is said about new ones.
MIN_HISTORIES = 5
# In fewer histories that differ from the rest, what varies between histories cannot be seen.
MIN_DIFFERENT = 3
_LARGEST_CORRELATION = 0.95
# How much of the excess kurtosis is charged to the degrees of freedom: found by simulation.
_KURTOSIS_SHARE = 0.75


class Interval(NamedTuple):
    """The limits of a 95 % confidence interval."""

    low: float
    high: float


class Spread(NamedTuple):
    """How uncertain a mean is: its variance, and the degrees of freedom of that."""

    variance: float
    freedom: float


def quantile(freedom: float, probability: float = (1 + CONFIDENCE) / 2) -> float:
    """Return a quantile of Student's t."""
    from scipy.special import stdtrit  # Takes longer to import than all of ours.

    return float(stdtrit(freedom, probability))


def student(mean: float, spread: Spread, low: float, high: float) -> Interval:
    """Return the interval from Student's t, cut at the lowest and the highest possible score."""
    half = quantile(spread.freedom) * sqrt(spread.variance)
    return Interval(max(low, mean - half), min(high, mean + half))


def wilson(share: float, n: float, t: float) -> Interval:
    """Return Wilson's interval of a share that was seen in ``n`` draws, at a quantile ``t``."""
    centre = (share + t * t / (2 * n)) / (1 + t * t / n)
    half = t / (1 + t * t / n) * sqrt(share * (1 - share) / n + t * t / (4 * n * n))
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


def these_histories(scores: Grouped) -> Interval | None:
    """Return the interval for other questions about the same histories.

    Of scores that are 0 or 1 it is Wilson's: with n for one history, and for several with the
    effective n = p (1 - p) / V, V being the variance within histories. Other scores have
    Student's t. None where every history has one question: nothing varies within it.
    """
    variance, freedom = scores.within
    if not freedom:
        return None
    if not scores.binary:
        return student(scores.mean, Spread(variance, freedom), 0.0, 1.0)
    if scores.groups == 1:
        return wilson(scores.mean, scores.n, quantile(np.inf))
    effective = _effective(scores.mean, variance) or scores.n
    return wilson(scores.mean, max(1.0, effective), quantile(freedom))


def new_histories(scores: Grouped) -> Interval | None:
    """Return the interval for other histories of the same kind.

    Scores that are 0 or 1 have Wilson's interval with an effective n (Korn and Graubard 1998)
    and Student's quantile; other scores have Student's t with G - 1 degrees of freedom. Near 0
    and 1 the variance itself is uncertain, since few histories hold all there is to see: the
    degrees of freedom are reduced by the excess kurtosis that scores of histories have when they
    follow a beta distribution with the mean and the correlation seen.

    None below 5 histories, and where fewer than 3 of them hold a score other than the rest.
    """
    if not can_tell(scores):
        return None
    variance = scores.between
    if not scores.binary:
        return student(scores.mean, Spread(variance, scores.groups - 1), 0.0, 1.0)
    effective = _effective(scores.mean, variance)
    return wilson(scores.mean, effective, quantile(_freedom(scores))) if effective else None


def can_tell(scores: Grouped) -> bool:
    """Whether enough histories differ to say something about new ones."""
    if scores.groups < MIN_HISTORIES or not scores.between:
        return False
    if not scores.binary:
        return True
    rarer = scores.totals if scores.mean <= 0.5 else scores.sizes - scores.totals
    return int(np.count_nonzero(rarer)) >= MIN_DIFFERENT


def spread(scores: Grouped, *, new: bool) -> Spread:
    """Return how uncertain a mean is, as a part of a mean of several sources.

    Args:
        scores: the scores of a source.
        new: whether for new histories, where there are five at least; else, and where there are
            fewer, for these histories. Where each history has one question, both are the same.
    """
    variance, freedom = scores.within
    if (new and scores.groups >= MIN_HISTORIES) or (not freedom and scores.groups > 1):
        variance, freedom = scores.between, scores.groups - 1
    if not variance and scores.binary:
        # All right or all wrong: as if one answer more had been right, and one more wrong.
        share = (scores.values.sum() + 1) / (scores.n + 2)
        variance = float(share * (1 - share)) / (scores.n + 2)
    return Spread(variance, max(1, freedom))


def _effective(share: float, variance: float) -> float | None:
    """Return how many independent draws would give this variance; None without a variance."""
    return share * (1 - share) / variance if variance else None


def _freedom(scores: Grouped) -> float:
    """Return the degrees of freedom of the variance between histories of binary scores.

    The variance of a sample variance over G draws is s^4 (2 / (G - 1) + k / G) with the excess
    kurtosis k, so that the degrees of freedom are 2 / (2 / (G - 1) + k / G).
    """
    mean, n = scores.mean, scores.n
    inflation = scores.between * n * n / (mean * (1 - mean))
    pairs = float((scores.sizes**2).sum()) - n
    correlation = (inflation - n) / pairs if pairs else 0.0
    kurtosis = 0.0
    if correlation > 0:
        correlation = min(correlation, _LARGEST_CORRELATION)
        total = (1 - correlation) / correlation
        a, b = mean * total, (1 - mean) * total
        skewed = (a - b) ** 2 * (total + 1) - a * b * (total + 2)
        kurtosis = max(0.0, 6 * skewed / (a * b * (total + 2) * (total + 3)))
    groups = scores.groups
    freedom = 2 / (2 / (groups - 1) + _KURTOSIS_SHARE * kurtosis / groups)
    return max(0.5, freedom)
