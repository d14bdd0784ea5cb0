"""How many histories it takes to tell a difference, and which one so many histories tell.

Each new history gives one paired difference of means, and Student's t decides, as the interval for
new histories of ``compare`` does. The power is that of the noncentral t distribution, as of a trial
at many sites whose effect varies from site to site (Raudenbush and Liu, Psychological Methods 5,
2000), with builds between histories and questions. Where one agent wins what the other loses and
hardly ever loses itself, answers are skewed, and few of them find more than that distribution says:
a first-order term for the skewness corrects it. ``benchmarks/plan.py`` simulates the power.

The difference of two agents on a question is the sum of a mean and of what its history, this build
of the two memories and the question add, and a rest, which differs from build to build.
"""

from __future__ import annotations

from bisect import bisect_left
from math import sqrt
from statistics import NormalDist, fmean
from typing import NamedTuple

import numpy as np

from mabench.uncertainty import Floats, Grouped, quantile

# With fewer histories no p value for new ones can fall below 0.05.
LEAST_HISTORIES, MOST_HISTORIES = 6, 10_000
_CERTAIN = 30.0  # Standard errors, beyond which scipy's distribution ends.
_EXACT = 1e-5
_FEWEST = 10  # Questions that differ.
_NARROWEST = 0.05  # What skewness leaves of a variance.


class Components(NamedTuple):
    """Variances of paired differences, which run from -1 to 1.

    With one build of each memory, ``build`` is None: it is then a part of ``history``, and the
    ``rest`` is a part of ``question`` and given as 0.
    """

    history: float  # Of the true mean difference from history to history.
    build: float | None  # Of that of one history from build to build.
    question: float  # Of questions around the mean of their history.
    rest: float  # Of a question from build to build, around the mean of its build.

    def times(self, factor: float) -> Components:
        """Return variances that are so many times as large."""
        build = None if self.build is None else factor * self.build
        return Components(factor * self.history, build, factor * self.question, factor * self.rest)

    def variance(self, questions: float, builds: int = 1) -> float:
        """Return the variance of one history's mean over questions and builds.

        That of a mean over G histories is a G-th of it.
        """
        of_builds = (self.build or 0.0) + self.rest / questions
        return self.history + self.question / questions + of_builds / builds

    @classmethod
    def of(cls, builds: Floats, histories: Grouped) -> Components | None:
        """Return the variances of the differences of one or more builds; None below two histories.

        They are those of the analysis of variance, and 0 where that would be negative: mean squares
        of each level less what the levels below it add. Histories count alike. ``builds`` has the
        differences of n questions, in shape (builds, n); ``histories`` their means.
        """
        if histories.groups < 2:
            return None
        count, freedom = len(builds), histories.n - histories.groups
        sizes, codes = histories.sizes, histories.histories
        means = np.array([np.bincount(codes, weights=build) for build in builds]) / sizes
        residuals = builds - means[:, codes]
        together = residuals.mean(axis=0)
        inverse = float((1 / sizes).mean())
        # Where a level has one of each, nothing is left of it.
        rest = float(((residuals - together) ** 2).sum()) / max(1, (count - 1) * freedom)
        question = float((together**2).sum()) / max(1, freedom)
        build = None
        if count > 1:
            build = max(0.0, float(means.var(axis=0, ddof=1).mean()) - rest * inverse)
        between = float(means.mean(axis=0).var(ddof=1)) - (build or 0.0) / count
        return cls(
            history=max(0.0, between - question * inverse),
            build=build,
            question=max(0.0, question - rest / count),
            rest=rest,
        )

    def power(self, difference: float, histories: int, questions: float, builds: int = 1) -> float:
        """Return how likely a true difference above 0 is found, with its sign, at the level of 5 %.

        Of each history there are so many ``questions`` and ``builds``; histories are two at least.
        It is 0 where fewer than ten questions would differ: no approximation holds for them.
        """
        from scipy.special import nctdtr

        mean, skewness, apart = self._shape(difference, questions, builds)
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

    def histories_needed(self, difference: float, wanted: float, *shape: int) -> int | None:
        """Return the fewest histories with a power, from 6; None where 10,000 have less.

        Of each there are as many questions and builds as the ``shape`` says, as for ``power``.
        """
        sizes = range(LEAST_HISTORIES, MOST_HISTORIES + 1)
        found = bisect_left(sizes, wanted, key=lambda n: self.power(difference, n, *shape))
        return sizes[found] if found < len(sizes) else None

    def least_difference(self, histories: int, wanted: float, *shape: int) -> float | None:
        """Return the least true difference that is found with a power; None where not even 1 is."""
        steps = range(1, round(1 / _EXACT))
        found = bisect_left(steps, wanted, key=lambda n: self.power(_EXACT * n, histories, *shape))
        return _EXACT * steps[found] if found < len(steps) else None

    def _shape(
        self, difference: float, questions: float, builds: int
    ) -> tuple[float, float, float]:
        """Return a history's mean in standard deviations, its skewness, and the share that differs.

        Of right and wrong answers that is the difference at least, here of a history that is a
        standard deviation below the mean, and of one above. Their third moment follows from the
        mean and the variance.
        """
        spread, within = sqrt(self.history + (self.build or 0.0)), self.question + self.rest
        ends = (difference - spread, difference + spread)
        wider = fmean(max(within, abs(end) - end * end) for end in ends)
        share, lasting = wider / within, self.question / within
        kind = self._replace(question=share * self.question, rest=share * self.rest)
        apart = wider + difference**2
        third = difference * (1 - 3 * apart + 2 * difference**2)
        third *= (lasting + (1 - lasting) / builds**2) / questions**2
        variance = kind.variance(questions, builds)
        return difference / sqrt(variance), third / variance**1.5, apart


# As seen on synthetic:compare, of bm25 with k = 10 and k = 3, and of floor and bm25: on ruler and
# eventqa, on detective, and on factconsolidation.
TYPICAL = {
    "calm": Components(history=0.03**2, build=None, question=0.10, rest=0.0),
    "middling": Components(history=0.10**2, build=None, question=0.16, rest=0.0),
    "rough": Components(history=0.17**2, build=None, question=0.20, rest=0.0),
}
