"""Estimates of means: how uncertain they are, their 95 % intervals, and p values.

Knows of numbers alone, of no scores, histories or runs.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, sqrt
from typing import NamedTuple

# Intervals are of 95 %, and differences are significant below this p.
ALPHA = 0.05
# The power of a detectable difference.
POWER = 0.8
# With fewer effective histories, nothing is said of new ones.
MIN_HISTORIES = 5


class Interval(NamedTuple):
    """The limits of a 95 % confidence interval."""

    low: float
    high: float

    @property
    def percent(self) -> tuple[float, float]:
        """The limits in percent, or in points."""
        return 100 * self.low, 100 * self.high

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

    def detectable(self, tests: int = 1) -> float:
        """Return the true difference that another such comparison shows with a power of 80 %.

        p is adjusted for this many tests (Holm). Part of the doubt about the variance that was seen
        is charged, so that the power is 75 to 88 % both on average over what is printed and at the
        mean of that, from six histories on and for two to eight agents.
        """
        return _detectable_errors(self.freedom, tests) * sqrt(self.variance)


class Estimate(NamedTuple):
    """A mean, and how uncertain it is, by Student's t."""

    value: float
    spread: Spread

    def interval(self, low: float, high: float) -> Interval:
        """Return the 95 % interval, cut at the lowest and the highest possible value."""
        half = quantile(self.spread.freedom) * sqrt(self.spread.variance)
        return Interval(max(low, self.value - half), min(high, self.value + half))

    @property
    def p(self) -> float:
        """The two-sided p of a true value of 0: below 0.05 where the interval excludes 0."""
        return min(1.0, 2 * self._probability_beyond(abs(self.value)))

    def equal_p(self, within: float) -> float:
        """Return the p of a true value that is not within a distance of 0, by two one-sided tests.

        As in Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.
        """
        return self._probability_beyond(within - abs(self.value))

    def _probability_beyond(self, distance: float) -> float:
        """Return how likely the value errs by more than a distance, to one side."""
        if not self.spread.variance:  # It does not err.
            return float(distance <= 0)
        from scipy.special import stdtr  # Takes longer to import than all of ours.

        return float(stdtr(self.spread.freedom, -distance / sqrt(self.spread.variance)))


def quantile(freedom: float, probability: float = 1 - ALPHA / 2) -> float:
    """Return a quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


@lru_cache(maxsize=4096)
def _detectable_errors(freedom: float, tests: int) -> float:
    """Return a detectable difference, in standard errors.

    It is shown if c s + z > t s', where s was seen, s' will be seen by the other comparison, z is
    normal, and t is that of the smallest p. With f degrees of freedom, s and s' have about the mean
    1 - 1 / 4f and the variance 1 / 2f. With a share d of the doubt about s,
    (c - t)² (1 - 1 / 4f)² = z² (1 + (d c² + t²) / 2f), which is solved for c. Holm's later steps
    show more, so that the share is smaller for several tests.
    """
    t, z = quantile(freedom, 1 - ALPHA / (2 * tests)), quantile(inf, POWER)
    mean, doubt = (1 - 1 / (4 * freedom)) ** 2, z * z / (2 * freedom)
    share = 0.5 if tests == 1 else 0.25
    # The equation is a c² - 2 b c + r = 0; its larger solution is c.
    a = mean - share * doubt
    b = t * mean
    r = t * t * (mean - doubt) - z * z
    return (b + sqrt(b**2 - a * r)) / a
