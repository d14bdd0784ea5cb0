"""How many histories it takes to tell a difference, and which one so many histories tell.

Each new history gives one paired difference of means, and Student's t decides, as the interval for
new histories of ``compare`` does. The power is that of the noncentral t distribution, as of a trial
at many sites whose effect varies from site to site (Raudenbush and Liu, Psychological Methods 5,
2000), with builds between histories and questions. Where one agent wins what the other loses and
hardly ever loses itself, answers are skewed, and few of them find more than that distribution says:
a first-order term for the skewness corrects it. ``benchmarks/plan.py`` simulates the power.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist, fmean

from mabench.uncertainty import quantile
from mabench.uncertainty.components import Components

# With fewer histories no p value for new ones can fall below 0.05.
LEAST_HISTORIES, MOST_HISTORIES = 6, 10_000
_CERTAIN = 30.0  # Standard errors, beyond which scipy's distribution ends.
_EXACT = 1e-5
_FEWEST = 10  # Questions that differ.
_NARROWEST = 0.05  # What skewness leaves of a variance.
# As seen on synthetic:compare, of bm25 with k = 10 and k = 3, and of floor and bm25: on ruler and
# eventqa, on detective, and on factconsolidation.
TYPICAL = {
    "calm": Components(history=0.03**2, build=None, question=0.10, rest=0.0),
    "middling": Components(history=0.10**2, build=None, question=0.16, rest=0.0),
    "rough": Components(history=0.17**2, build=None, question=0.20, rest=0.0),
}


def power(
    kind: Components, difference: float, histories: int, questions: float, builds: int = 1
) -> float:
    """Return how likely a true difference above 0 is found, with its sign, at the level of 5 %.

    Of each history there are so many ``questions`` and ``builds``; histories are two at least. It
    is 0 where fewer than ten questions would differ: no approximation holds for them.
    """
    from scipy.special import nctdtr

    mean, skewness, apart = _shape(kind, difference, questions, builds)
    if histories * questions * apart < _FEWEST:
        return 0.0
    t, centre = quantile(histories - 1), mean * sqrt(histories)
    if centre >= _CERTAIN:
        return 1.0
    found = 1 - float(nctdtr(histories - 1, centre, t))
    if not 0 < found < 1:
        return found
    # High means come with high variances, so that the interval's limit varies less.
    less = t * skewness / sqrt(histories) / (1 + t * t / (2 * (histories - 1)))
    normal = NormalDist()
    return normal.cdf(normal.inv_cdf(found) / sqrt(max(1 - less, _NARROWEST)))


def _shape(
    kind: Components, difference: float, questions: float, builds: int
) -> tuple[float, float, float]:
    """Return a history's mean difference in standard deviations, its skewness, and what differs.

    That is the share of its questions. Of right and wrong answers it is the difference at least,
    here of a history that is a standard deviation below the mean, and of one above. Their third
    moment follows from the mean and the variance.
    """
    spread, within = sqrt(kind.history + (kind.build or 0.0)), kind.question + kind.rest
    ends = (difference - spread, difference + spread)
    wider = fmean(max(within, abs(end) - end * end) for end in ends)
    kind = kind._replace(question=kind.question * wider / within, rest=kind.rest * wider / within)
    lasting = kind.question / wider
    apart = wider + difference**2
    third = difference * (1 - 3 * apart + 2 * difference**2)
    third *= (lasting + (1 - lasting) / builds**2) / questions**2
    variance = kind.variance(questions, builds)
    return difference / sqrt(variance), third / variance**1.5, apart


def histories_needed(
    kind: Components, difference: float, wanted: float, questions: float, builds: int = 1
) -> int | None:
    """Return the fewest histories with a power, from 6; None where 10,000 have less."""
    low, high = LEAST_HISTORIES, MOST_HISTORIES + 1
    while low < high:
        middle = (low + high) // 2
        enough = power(kind, difference, middle, questions, builds) >= wanted
        low, high = (low, middle) if enough else (middle + 1, high)
    return low if low <= MOST_HISTORIES else None


def least_difference(
    kind: Components, histories: int, wanted: float, questions: float, builds: int = 1
) -> float | None:
    """Return the least true difference that is found with a power; None where not even 1 is."""
    low, high = 0.0, 1.0 + _EXACT
    while high - low > _EXACT:
        middle = (low + high) / 2
        enough = power(kind, middle, histories, questions, builds) >= wanted
        low, high = (low, middle) if enough else (middle, high)
    return high if high < 1 else None
