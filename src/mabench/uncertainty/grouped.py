"""Scores of questions grouped by their histories, and the two intervals of their mean.

Questions about one history share one memory, so they are not independent. One interval is for
other questions about these histories, the other for new histories like them.
``docs/explanation/what-can-be-concluded.md`` explains both, and ``benchmarks/intervals.py``
simulates how often each holds the true mean.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from mabench.uncertainty.intervals import Interval, Spread, quantile

Floats = NDArray[np.float64]

# With fewer histories there is no interval for new ones.
MIN_HISTORIES = 5
# With fewer histories that differ from the rest, the variance between histories cannot be seen.
MIN_DIFFERENT = 3
_LARGEST_CORRELATION = 0.95
# How much of the excess kurtosis is charged to the degrees of freedom: found by simulation.
_KURTOSIS_SHARE = 0.75


@dataclass(frozen=True)
class Grouped:
    """Scores, or differences of scores, of n questions about G histories, in shape (n,)."""

    values: Floats  # Scores from 0 to 1, differences from -1 to 1.
    histories: NDArray[np.intp]  # The number of each question's history, from 0 to G - 1.

    @classmethod
    def of(cls, values: Sequence[float] | Floats, histories: Iterable[Hashable]) -> Grouped:
        """Group scores by whatever names their histories."""
        numbers: dict[Hashable, int] = {}
        codes = [numbers.setdefault(history, len(numbers)) for history in histories]
        return cls(np.asarray(values, dtype=np.float64), np.asarray(codes, dtype=np.intp))

    @cached_property
    def sizes(self) -> Floats:
        """The number of questions of each history, in shape (G,)."""
        return np.bincount(self.histories).astype(np.float64)

    @cached_property
    def totals(self) -> Floats:
        """The sum of the scores of each history, in shape (G,)."""
        return np.asarray(np.bincount(self.histories, weights=self.values), dtype=np.float64)

    @property
    def n(self) -> int:
        """How many questions there are."""
        return len(self.values)

    @property
    def groups(self) -> int:
        """How many histories there are."""
        return len(self.sizes)

    @cached_property
    def mean(self) -> float:
        """The mean score of the questions."""
        return float(self.values.mean())

    @cached_property
    def binary(self) -> bool:
        """Whether every score is 0 or 1."""
        return bool(np.isin(self.values, (0.0, 1.0)).all())

    @cached_property
    def within(self) -> tuple[float, int]:
        """The variance of the mean for these histories, and its degrees of freedom.

        V = sum of (n_h / n)^2 s_h^2 / n_h, with n - G degrees of freedom. A history with one
        question shows no variance of its own and takes that of the others. With no degree of
        freedom the variance is 0.
        """
        freedom = self.n - self.groups
        if freedom == 0:
            return 0.0, 0
        residuals = self.values - (self.totals / self.sizes)[self.histories]
        squares = np.bincount(self.histories, weights=residuals**2)
        several = self.sizes > 1
        variances = np.full(self.groups, squares.sum() / freedom)
        variances[several] = squares[several] / (self.sizes[several] - 1)
        return float((self.sizes * variances).sum()) / self.n**2, freedom

    @cached_property
    def between(self) -> float:
        """The variance of the mean over new histories, from at least two.

        V = G / (G - 1) sum of e_h^2 / n^2, where e_h is the sum of the deviations of history h
        from the mean: the linearized variance of a ratio, as in surveys of whole clusters.
        """
        deviations = self.totals - self.mean * self.sizes
        scale = self.groups / (self.groups - 1)
        return float(scale * (deviations**2).sum()) / self.n**2

    def these_histories(self) -> Interval | None:
        """Return the interval for other questions about the same histories.

        If all scores are 0 or 1, it is Wilson's: for one history with n, for several with the
        effective n = p (1 - p) / V, where V is the variance within histories. Other scores have
        Student's t. None if every history has one question: nothing varies within it.
        """
        variance, freedom = self.within
        if not freedom:
            return None
        if not self.binary:
            return Interval.student(self.mean, Spread(variance, freedom), 0.0, 1.0)
        if self.groups == 1:
            return Interval.wilson(self.mean, self.n, quantile(np.inf))
        effective = _effective_draws(self.mean, variance) or self.n
        return Interval.wilson(self.mean, max(1.0, effective), quantile(freedom))

    def new_histories(self) -> Interval | None:
        """Return the interval for other histories of the same kind.

        If all scores are 0 or 1, it is Wilson's with an effective n (Korn and Graubard 1998) and
        Student's quantile; other scores have Student's t with G - 1 degrees of freedom.

        Near 0 and 1 the variance itself is uncertain, since few histories show all its causes. The
        degrees of freedom are therefore reduced by the excess kurtosis of the scores of histories,
        as if these followed a beta distribution with the mean and the correlation that were seen.
        Wilson's limits (1927) use the variance that a true mean there would have. In the same way,
        each limit uses the kurtosis there, if that is larger.

        None below 5 histories, and if fewer than 3 of them have a score that differs from the rest.
        """
        if self.groups < MIN_HISTORIES or not self.between:
            return None
        if not self.binary:
            return Interval.student(self.mean, Spread(self.between, self.groups - 1), 0.0, 1.0)
        rarer = self.totals if self.mean <= 0.5 else self.sizes - self.totals
        if np.count_nonzero(rarer) < MIN_DIFFERENT:
            return None
        effective = _effective_draws(self.mean, self.between)
        if not effective:
            return None
        correlation = self._correlation()
        t = quantile(_freedom_between(self.groups, self.mean, correlation))
        first = Interval.wilson(self.mean, effective, t)
        wider = (max(t, quantile(_freedom_between(self.groups, end, correlation))) for end in first)
        low, high = (Interval.wilson(self.mean, effective, each) for each in wider)
        return Interval(low.low, high.high)

    def _correlation(self) -> float:
        """Return the correlation of binary scores within histories that explains ``between``."""
        n, pairs = self.n, float((self.sizes**2).sum()) - self.n
        inflation = self.between * n * n / (self.mean * (1 - self.mean))
        return min((inflation - n) / pairs, _LARGEST_CORRELATION) if pairs else 0.0

    def spread(self, *, new: bool) -> Spread:
        """Return how uncertain a source's mean is, as a part of a mean of several sources.

        It is for ``new`` histories if there are at least five, else for these histories. If each
        history has one question, both are the same.
        """
        variance, freedom = self.within
        if (new and self.groups >= MIN_HISTORIES) or (not freedom and self.groups > 1):
            variance, freedom = self.between, self.groups - 1
        if not variance and self.binary:
            # All right or all wrong: as if one more answer had been right, and one more wrong.
            share = (self.values.sum() + 1) / (self.n + 2)
            variance = float(share * (1 - share)) / (self.n + 2)
        return Spread(variance, max(1, freedom))


def _effective_draws(share: float, variance: float) -> float | None:
    """Return how many independent draws would give this variance; None without a variance."""
    return share * (1 - share) / variance if variance else None


def _freedom_between(groups: int, mean: float, correlation: float) -> float:
    """Return the degrees of freedom of the variance between histories of binary scores.

    The variance of a sample variance over G draws is s^4 (2 / (G - 1) + k / G) with the excess
    kurtosis k, so that the degrees of freedom are 2 / (2 / (G - 1) + k / G).
    """
    kurtosis = 0.0
    if correlation > 0:
        total = (1 - correlation) / correlation
        a, b = mean * total, (1 - mean) * total
        skewed = (a - b) ** 2 * (total + 1) - a * b * (total + 2)
        kurtosis = max(0.0, 6 * skewed / (a * b * (total + 2) * (total + 3))) if a * b else inf
    return max(0.5, 2 / (2 / (groups - 1) + _KURTOSIS_SHARE * kurtosis / groups))
