"""How likely a true difference is shown, and how many histories that takes.

Each history gives one paired difference of means, and Student's t decides, as the test of new
histories does. The power is that of the noncentral t distribution, as of a trial at many sites
whose effect varies from site to site (Raudenbush and Liu, Psychological Methods 5, 2000), with
builds between histories and questions. If one agent wins what the other loses and hardly ever
loses itself, answers are skewed, and few of them find more than that distribution says: a
first-order term for the skewness corrects it. ``benchmarks/plan.py`` simulates the power.
"""

from __future__ import annotations

from bisect import bisect_left
from math import inf, isnan, sqrt
from statistics import NormalDist, fmean
from typing import NamedTuple

from mabench.uncertainty.components import Components
from mabench.uncertainty.intervals import ALPHA, MIN_HISTORIES

MOST_HISTORIES = 10_000
# If fewer questions differ, no approximation holds.
_FEWEST_DIFFERENT = 10
# A difference of more standard errors is shown for certain; scipy's distribution ends there.
_CERTAIN_FROM = 30.0
# The step in which differences are searched.
_DIFFERENCE_STEP = 1e-5
# The least share of a variance that skewness leaves.
_LEAST_VARIANCE = 0.05
# How many variances that a pilot leaves open are tried, each as likely as the others.
_POSSIBLE_VARIANCES = 16


class Variation(NamedTuple):
    """What differences vary by, as far as it is known."""

    kind: Components
    freedom: float = inf  # The degrees of freedom of the pilot that shows it.

    @property
    def possible(self) -> list[Components]:
        """Variances that the pilot leaves open, equally likely; one if they are known."""
        if self.freedom == inf:
            return [self.kind]
        from scipy.special import chdtri

        possible = []
        for number in range(_POSSIBLE_VARIANCES):
            probability = (number + 0.5) / _POSSIBLE_VARIANCES
            factor = self.freedom / float(chdtri(self.freedom, probability))
            possible.append(self.kind.times(factor))
        return possible


class ComparisonSize(NamedTuple):
    """How large a comparison is."""

    questions: float  # Of each history.
    builds: int = 1  # Of each history's memory.
    tests: int = 1  # How many pairs are compared: p is adjusted for them.


def power(variation: Variation, difference: float, histories: int, size: ComparisonSize) -> float:
    """Return how likely a true difference is shown, with its sign, at the level of 5 %.

    It is the mean over what the pilot leaves open, and 0 if fewer than ten questions would differ:
    no approximation holds for them.

    Args:
        variation: what differences vary by.
        difference: the true difference, above 0 and at most 1.
        histories: at least two.
        size: of the comparison in all else.
    """
    return fmean(_power(kind, difference, histories, size) for kind in variation.possible)


def _power(kind: Components, difference: float, histories: int, size: ComparisonSize) -> float:
    """Return the power where all variances are known; see ``power``.

    It is that of Student's t on as many means of histories, corrected for their skewness.
    """
    from scipy.special import nctdtr, stdtrit

    questions, builds, tests = size
    # The variance of questions within a history. The share of right and wrong answers that differ
    # is the difference at least, here of a history that is a standard deviation below the mean,
    # and of one above: so the variance may have to be wider than the pilot's.
    within = kind.question + kind.rest
    spread = sqrt(kind.history + (kind.build or 0.0))
    low, high = difference - spread, difference + spread
    wider = fmean(max(within, abs(mean) - mean * mean) for mean in (low, high))
    share_that_differs = wider + difference**2
    if histories * questions * share_that_differs < _FEWEST_DIFFERENT:
        return 0.0
    widening = wider / within
    widened = kind._replace(question=widening * kind.question, rest=widening * kind.rest)
    deviation = sqrt(widened.variance(questions, builds))
    t = float(stdtrit(histories - 1, 1 - ALPHA / (2 * tests)))
    centre = difference / deviation * sqrt(histories)
    if centre >= _CERTAIN_FROM:
        return 1.0
    symmetric_power = 1 - float(nctdtr(histories - 1, centre, t))
    if isnan(symmetric_power):
        return 0.0
    if symmetric_power <= 0 or symmetric_power >= 1:
        return symmetric_power
    # The skewness of one history's mean: the third moment follows from the mean and the variance.
    # High means come with high variances, so that the interval's limit varies less.
    skewness = difference * (1 - 3 * share_that_differs + 2 * difference**2) / deviation**3
    lasting = kind.question / within  # The share of the variance that no build changes.
    skewness *= (lasting + (1 - lasting) / builds**2) / questions**2
    # By what share skewness makes the interval's limit vary less than a symmetric mean's would.
    reduction = t * skewness / sqrt(histories) / (1 + t * t / (2 * (histories - 1)))
    limit_variance = max(1 - reduction, _LEAST_VARIANCE)
    normal = NormalDist()
    return normal.cdf(normal.inv_cdf(symmetric_power) / sqrt(limit_variance))


def histories_needed(
    variation: Variation, difference: float, wanted: float, size: ComparisonSize
) -> int | None:
    """Return the fewest histories, from 5, with a ``wanted`` power; None if 10,000 have less."""
    numbers = range(MIN_HISTORIES, MOST_HISTORIES + 1)
    # More histories have more power, so that the first with enough is found by bisection.
    place = bisect_left(numbers, wanted, key=lambda n: power(variation, difference, n, size))
    return numbers[place] if place < len(numbers) else None


def detectable_difference(
    variation: Variation, histories: int, wanted: float, size: ComparisonSize
) -> float | None:
    """Return the least true difference that is shown with a ``wanted`` power; None if 1 is not."""
    steps = range(1, round(1 / _DIFFERENCE_STEP))
    # A larger difference is shown more often, so that the first is found by bisection.
    place = bisect_left(
        steps, wanted, key=lambda step: power(variation, _DIFFERENCE_STEP * step, histories, size)
    )
    return _DIFFERENCE_STEP * steps[place] if place < len(steps) else None
