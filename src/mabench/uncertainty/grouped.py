"""Scores of questions grouped by their histories, and what they say of these histories.

Questions about one history share one memory, so they are not independent. What is said here is of
other questions about the same histories; of new histories, ``clustered`` and ``shares`` speak.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mabench.uncertainty.intervals import Estimate, Interval, Spread, quantile

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Grouped:
    """Scores, or differences of scores, of n questions about G histories, in shape (n,)."""

    values: Floats  # Scores from 0 to 1, differences from -1 to 1.
    histories: NDArray[np.intp]  # The number of each question's history, from 0 to G - 1.
    # What names the text of each history, in shape (G,): histories that share their text, also of
    # several sources, have one name. None if each history has a text of its own.
    texts: tuple[Hashable, ...] | None = None
    lowest: float = 0.0  # The lowest value that there can be; the highest is 1.

    @classmethod
    def of(cls, values: Sequence[float] | Floats, histories: Iterable[Hashable]) -> Grouped:
        """Group scores by whatever names their histories, which are numbered as they first occur.

        ``histories`` has one name for each value.
        """
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

    @cached_property
    def least_variance(self) -> float:
        """The variance of the mean if one more question had the lowest value, and one the highest.

        No mean of right and wrong answers is surer than that, nor one of scores that are all alike:
        another question might come out otherwise. Of other scores it is 0.
        """
        are_right_or_wrong = np.isin(self.values, (self.lowest, 0.0, 1.0)).all()
        are_alike = np.ptp(self.values) == 0
        if not are_right_or_wrong and not are_alike:
            return 0.0
        return ((self.mean - self.lowest) ** 2 + (1 - self.mean) ** 2) / (self.n + 2) ** 2

    @property
    def spread_of_these(self) -> Spread:
        """How uncertain the mean is for other questions about these histories.

        If each history has one question, it is for other histories.
        """
        variance, freedom = self.within
        if not freedom and self.groups > 1:
            variance, freedom = self.between, self.groups - 1
        return Spread(max(variance, self.least_variance), max(1, freedom))

    def these_histories(self) -> Interval | None:
        """Return the interval of a score for other questions about the same histories.

        If all scores are 0 or 1, it is Wilson's: for one history with n, for several with the
        effective n = p (1 - p) / V, where V is the variance within histories. Other scores have
        Student's t. None if every history has one question: nothing varies within it.
        """
        variance, freedom = self.within
        if not freedom:
            return None
        if not self.binary:
            return Estimate(self.mean, self.spread_of_these).interval(0.0, 1.0)
        if self.groups == 1:
            return Interval.wilson(self.mean, self.n, quantile(np.inf))
        effective = effective_draws(self.mean, variance) or self.n
        return Interval.wilson(self.mean, max(1.0, effective), quantile(freedom))


def effective_draws(share: float, variance: float) -> float | None:
    """Return how many independent draws would give this variance; None if it is 0."""
    return share * (1 - share) / variance if variance else None
