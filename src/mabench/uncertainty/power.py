"""How many histories it takes to tell a difference, and which one so many histories tell.

Each new history gives one paired difference of means, and Student's t decides, as the interval for
new histories of ``compare`` does. The power is that of the noncentral t distribution, as of a trial
at many sites whose effect varies from site to site (Raudenbush and Liu, Psychological Methods 5,
2000), with builds between histories and questions. ``benchmarks/plan.py`` simulates it.
"""

from __future__ import annotations

from math import sqrt

from mabench.uncertainty import quantile
from mabench.uncertainty.components import Components

# With fewer histories no p value for new ones can fall below 0.05.
LEAST_HISTORIES, MOST_HISTORIES = 6, 10_000
_CERTAIN = 30.0  # Standard errors, beyond which scipy's distribution ends.
_EXACT = 1e-5
# As seen on synthetic:compare, of bm25 with k = 10 and k = 3, and of floor and bm25: on ruler and
# eventqa, on detective, and on factconsolidation.
TYPICAL = {
    "calm": Components(history=0.03**2, build=None, question=0.10, rest=0.0),
    "middling": Components(history=0.10**2, build=None, question=0.16, rest=0.0),
    "rough": Components(history=0.17**2, build=None, question=0.20, rest=0.0),
}


def power(difference: float, variance: float, histories: int) -> float:
    """Return how likely a true difference above 0 is found, with its sign, at the level of 5 %.

    ``variance`` is that of one history's mean difference; histories are two at least.
    """
    from scipy.special import nctdtr

    centre = difference * sqrt(histories / variance) if variance else _CERTAIN
    if centre >= _CERTAIN:
        return 1.0
    return 1 - float(nctdtr(histories - 1, centre, quantile(histories - 1)))


def histories_needed(difference: float, variance: float, wanted: float) -> int | None:
    """Return the fewest histories with a power, from 6; None where 10,000 have less."""
    low, high = LEAST_HISTORIES, MOST_HISTORIES + 1
    while low < high:
        middle = (low + high) // 2
        enough = power(difference, variance, middle) >= wanted
        low, high = (low, middle) if enough else (middle + 1, high)
    return low if low <= MOST_HISTORIES else None


def least_difference(
    kind: Components, histories: int, questions: float, builds: int, wanted: float
) -> float | None:
    """Return the least true difference that is found with a power; None where not even 1 is."""
    low, high = 0.0, 1.0 + _EXACT
    while high - low > _EXACT:
        middle = (low + high) / 2
        variance = at_difference(kind, middle).variance(questions, builds)
        enough = power(middle, variance, histories) >= wanted
        low, high = (low, middle) if enough else (middle, high)
    return high if high < 1 else None


def at_difference(kind: Components, difference: float) -> Components:
    """Return the variances where the true difference is another than it was.

    Of right and wrong answers, the share that differs is at least the difference.
    """
    others = kind.history + (kind.build or 0.0) + kind.rest
    least = difference * (1 - difference) - others
    return kind._replace(question=max(kind.question, least))
