"""95 % intervals of a mean, and how uncertain a mean is.

Knows of numbers alone, of no scores, histories or runs.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

# Intervals are of 95 %, and differences are significant below this p.
ALPHA = 0.05
# The power of a detectable difference.
_POWER = 0.8


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


def quantile(freedom: float, probability: float = 1 - ALPHA / 2) -> float:
    """Return a quantile of Student's t."""
    from scipy.special import stdtrit  # Takes longer to import than all of ours.

    return float(stdtrit(freedom, probability))
