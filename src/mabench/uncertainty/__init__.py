"""The two intervals of a mean score: for these histories, and for new ones like them.

Questions about one history share one memory, so they are not independent: what many questions
about a few histories can show of other histories is little. The page
``docs/explanation/what-can-be-concluded.md`` explains each figure, and ``benchmarks/intervals.py``
simulates how often each interval holds the true mean. Nothing here knows of runs, sources or files.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_POWER = 0.8
_CONFIDENCE = 0.95
# Below this many histories nothing is said about new ones.
MIN_HISTORIES = 5
# In fewer histories that differ from the rest, what varies between histories cannot be seen.
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

        Of scores that are 0 or 1 it is Wilson's: with n for one history, and for several with the
        effective n = p (1 - p) / V, V being the variance within histories. Other scores have
        Student's t. None where every history has one question: nothing varies within it.
        """
        variance, freedom = self.within
        if not freedom:
            return None
        if not self.binary:
            return Interval.student(self.mean, Spread(variance, freedom), 0.0, 1.0)
        if self.groups == 1:
            return Interval.wilson(self.mean, self.n, quantile(np.inf))
        effective = _effective(self.mean, variance) or self.n
        return Interval.wilson(self.mean, max(1.0, effective), quantile(freedom))

    def new_histories(self) -> Interval | None:
        """Return the interval for other histories of the same kind.

        Scores that are 0 or 1 have Wilson's interval with an effective n (Korn and Graubard 1998)
        and Student's quantile; other scores have Student's t with G - 1 degrees of freedom. Near
        0 and 1 the variance itself is uncertain, since few histories hold all there is to see:
        the degrees of freedom are reduced by the excess kurtosis that scores of histories have
        when they follow a beta distribution with the mean and the correlation seen. As Wilson's
        limits (1927) take the variance that a true mean there would have, so each takes the
        kurtosis there where that is larger.

        None below 5 histories, and where fewer than 3 of them hold a score other than the rest.
        """
        if self.groups < MIN_HISTORIES or not self.between:
            return None
        if not self.binary:
            return Interval.student(self.mean, Spread(self.between, self.groups - 1), 0.0, 1.0)
        rarer = self.totals if self.mean <= 0.5 else self.sizes - self.totals
        if np.count_nonzero(rarer) < MIN_DIFFERENT:
            return None
        effective = _effective(self.mean, self.between)
        if not effective:
            return None
        # Within histories, that the variance between them comes from.
        n, pairs = self.n, float((self.sizes**2).sum()) - self.n
        inflation = self.between * n * n / (self.mean * (1 - self.mean))
        correlation = min((inflation - n) / pairs, _LARGEST_CORRELATION) if pairs else 0.0
        t = quantile(_freedom(self.groups, self.mean, correlation))
        first = Interval.wilson(self.mean, effective, t)
        wider = (max(t, quantile(_freedom(self.groups, end, correlation))) for end in first)
        low, high = (Interval.wilson(self.mean, effective, each) for each in wider)
        return Interval(low.low, high.high)

    def spread(self, *, new: bool) -> Spread:
        """Return how uncertain a source's mean is, as a part of a mean of several sources.

        It is for ``new`` histories where there are five at least, else for these histories. Where
        each history has one question, both are the same.
        """
        variance, freedom = self.within
        if (new and self.groups >= MIN_HISTORIES) or (not freedom and self.groups > 1):
            variance, freedom = self.between, self.groups - 1
        if not variance and self.binary:
            # All right or all wrong: as if one answer more had been right, and one more wrong.
            share = (self.values.sum() + 1) / (self.n + 2)
            variance = float(share * (1 - share)) / (self.n + 2)
        return Spread(variance, max(1, freedom))


class Interval(NamedTuple):
    """The limits of a 95 % confidence interval."""

    low: float
    high: float

    @property
    def percent(self) -> tuple[float, float]:
        """The limits in percent, or in points."""
        return 100 * self.low, 100 * self.high

    @classmethod
    def student(cls, mean: float, spread: Spread, low: float, high: float) -> Interval:
        """Return that from Student's t, cut at the lowest and the highest possible score."""
        half = quantile(spread.freedom) * sqrt(spread.variance)
        return cls(max(low, mean - half), min(high, mean + half))

    @classmethod
    def wilson(cls, share: float, n: float, t: float) -> Interval:
        """Return Wilson's interval of a share that was seen in ``n`` draws, at a quantile ``t``."""
        centre = (share + t * t / (2 * n)) / (1 + t * t / n)
        half = t / (1 + t * t / n) * sqrt(share * (1 - share) / n + t * t / (4 * n * n))
        return cls(max(0.0, centre - half), min(1.0, centre + half))


class Spread(NamedTuple):
    """How uncertain a mean is: its variance, and the degrees of freedom of that."""

    variance: float
    freedom: float

    @property
    def detectable(self) -> float:
        """The true difference that would be found with a power of 80 %."""
        both = quantile(self.freedom) + quantile(self.freedom, _POWER)
        return both * sqrt(self.variance)


def quantile(freedom: float, probability: float = (1 + _CONFIDENCE) / 2) -> float:
    """Return a quantile of Student's t."""
    from scipy.special import stdtrit  # Takes longer to import than all of ours.

    return float(stdtrit(freedom, probability))


def _effective(share: float, variance: float) -> float | None:
    """Return how many independent draws would give this variance; None without a variance."""
    return share * (1 - share) / variance if variance else None


def _freedom(groups: int, mean: float, correlation: float) -> float:
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


class Part(NamedTuple):
    """A source's part in a weighted mean; the weights add up to 1."""

    weight: float
    mean: float
    spread: Spread

    @staticmethod
    def combine(parts: Iterable[Part]) -> tuple[float, Spread]:
        """Return a weighted mean of independent parts, and how uncertain it is.

        V = sum of w^2 V_s; the degrees of freedom are Satterthwaite's, V^2 / sum of
        (w^2 V_s)^2 / f_s.
        """
        parts = list(parts)
        mean = sum(part.weight * part.mean for part in parts)
        shares = [part.weight**2 * part.spread.variance for part in parts]
        variance = sum(shares)
        uncertain = zip(shares, parts, strict=True)
        weighed = sum(share**2 / part.spread.freedom for share, part in uncertain)
        freedom = variance**2 / weighed if weighed else max(part.spread.freedom for part in parts)
        return mean, Spread(variance, freedom)
