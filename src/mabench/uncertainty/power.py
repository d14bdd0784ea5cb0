"""How likely a true difference is found, and how many histories that takes.

Each history gives one paired difference of means, and Student's t decides, as the interval for new
histories does. The power is that of the noncentral t distribution, as of a trial at many sites
whose effect varies from site to site (Raudenbush and Liu, Psychological Methods 5, 2000), with
builds between histories and questions. If one agent wins what the other loses and hardly ever
loses itself, answers are skewed, and few of them find more than that distribution says: a
first-order term for the skewness corrects it. ``benchmarks/plan.py`` simulates the power.
"""

from __future__ import annotations

from bisect import bisect_left
from math import sqrt
from statistics import NormalDist, fmean

from mabench.uncertainty.components import Components
from mabench.uncertainty.intervals import ALPHA
from mabench.uncertainty.sign_flip import LEAST_HISTORIES

MOST_HISTORIES = 10_000
# If fewer questions differ, no approximation holds.
_FEWEST_DIFFERENT = 10
# In standard errors; scipy's distribution ends beyond.
_CERTAIN = 30.0
# The step in which differences are searched.
_STEP = 1e-5
# The least share of a variance that skewness leaves.
_LEAST_VARIANCE = 0.05


def power(
    kind: Components, difference: float, histories: int, questions: float, builds: int = 1
) -> float:
    """Return how likely a true difference is found, with its sign, at the level of 5 %.

    It is 0 if fewer than ten questions would differ: no approximation holds for them.

    Args:
        kind: what differences vary by.
        difference: the true difference, above 0 and at most 1.
        histories: at least two.
        questions: of each history.
        builds: of each history's memory.
    """
    from scipy.special import nctdtr, stdtrit

    # The share of right and wrong answers that differ is the difference at least, here of a
    # history that is a standard deviation below the mean, and of one above.
    spread, within = sqrt(kind.history + (kind.build or 0.0)), kind.question + kind.rest
    ends = (difference - spread, difference + spread)
    wider = fmean(max(within, abs(end) - end * end) for end in ends)
    apart = wider + difference**2
    if histories * questions * apart < _FEWEST_DIFFERENT:
        return 0.0
    share, lasting = wider / within, kind.question / within
    scaled = kind._replace(question=share * kind.question, rest=share * kind.rest)
    deviation = sqrt(scaled.variance(questions, builds))
    t = float(stdtrit(histories - 1, 1 - ALPHA / 2))
    centre = difference / deviation * sqrt(histories)
    if centre >= _CERTAIN:
        return 1.0
    found = 1 - float(nctdtr(histories - 1, centre, t))
    if not 0 < found < 1:
        return found
    # The third moment follows from the mean and the variance. High means come with high
    # variances, so that the interval's limit varies less.
    skewness = difference * (1 - 3 * apart + 2 * difference**2) / deviation**3
    skewness *= (lasting + (1 - lasting) / builds**2) / questions**2
    less = t * skewness / sqrt(histories) / (1 + t * t / (2 * (histories - 1)))
    normal = NormalDist()
    return normal.cdf(normal.inv_cdf(found) / sqrt(max(1 - less, _LEAST_VARIANCE)))


def histories_needed(
    kind: Components, difference: float, wanted: float, questions: float, builds: int = 1
) -> int | None:
    """Return the fewest histories, from 6, with a ``wanted`` power; None if 10,000 have less."""
    sizes = range(LEAST_HISTORIES, MOST_HISTORIES + 1)
    place = bisect_left(sizes, wanted, key=lambda n: power(kind, difference, n, questions, builds))
    return sizes[place] if place < len(sizes) else None


def detectable_difference(
    kind: Components, histories: int, wanted: float, questions: float, builds: int = 1
) -> float | None:
    """Return the least true difference that is found with a ``wanted`` power; None if 1 is not."""
    steps = range(1, round(1 / _STEP))
    place = bisect_left(
        steps, wanted, key=lambda n: power(kind, _STEP * n, histories, questions, builds)
    )
    return _STEP * steps[place] if place < len(steps) else None
