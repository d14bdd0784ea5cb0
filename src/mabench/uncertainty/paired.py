"""The difference of two agents on the same questions, and how many histories tell one.

``difference`` says what so many questions show, with p values. ``confidence_sequence`` gives an
interval after each history that holds at every moment, by betting: someone bets on each history;
were a mean true, the capital would grow 80-fold in 1 of 80 cases at most (Ville), so that one which
does refutes it: two bets on two sides make 5 %. The bets are described in
``docs/explanation/what-can-be-concluded.md``:

- against any mean, the diversified Kelly bets of Waudby-Smith and Ramdas (Estimating means of
  bounded random variables by betting, Journal of the Royal Statistical Society B 86, 2024);
- against 0, where agents are interchangeable, on the sign of a difference, with a stake by its size
  (Vovk and Wang, Nonparametric e-tests of symmetry, arXiv 2208.08925, 2024).

``confseq``, the library of the first authors, takes a compiler, and its last version is of 2023.

``Components`` say how many histories tell a difference. Each gives one paired difference of means,
and Student's t decides, as the interval for new histories does. The power is that of the noncentral
t distribution, as of a trial at many sites whose effect varies from site to site (Raudenbush and
Liu, Psychological Methods 5, 2000), with builds between histories and questions. Where one agent
wins what the other loses and hardly ever loses itself, answers are skewed, and few of them find
more than that distribution says: a first-order term for the skewness corrects it.
``benchmarks/plan.py`` simulates the power. The difference on a question is the sum of a mean and of
what its history, this build of the two memories and the question add, and a rest, which differs
from build to build.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from math import log, sqrt
from statistics import NormalDist, fmean
from typing import NamedTuple

import numpy as np

from mabench.uncertainty import MIN_DIFFERENT, MIN_HISTORIES, Floats, Grouped, Interval, Spread

ALPHA = 0.05
# Up to here every choice of signs is tried; beyond, so many are drawn.
_ENUMERATED = 14
_DRAWS = 9_999
_SEED = 20_250_707
# Sums that differ by less are equal: they were added up in another order.
_ROUNDING = 1e-9
# Shares of what may be staked, and how much of the capital begins with each. All of it is best
# where histories vary as those of memories do.
_STAKES = 2.0 ** -np.arange(8)
_BEGIN = np.log(_STAKES / _STAKES.sum())
# How the stake on a sign grows with the size: those suit differences from 3 to 60 points.
_SLOPES = 2.0 ** np.arange(5)
_BETS = 4  # Two on each side, which share the error.
_PRECISION = 1e-7  # Of a limit.
# With fewer histories no p value for new ones can fall below 0.05.
LEAST_HISTORIES, MOST_HISTORIES = 6, 10_000
_CERTAIN = 30.0  # Standard errors, beyond which scipy's distribution ends.
_EXACT = 1e-5
_FEWEST = 10  # Questions that differ.
_NARROWEST = 0.05  # What skewness leaves of a variance.


class _Signs(NamedTuple):
    """How many differences are above, below and at 0."""

    wins: int
    losses: int
    ties: int

    @classmethod
    def of(cls, values: Floats) -> _Signs:
        above, below = int((values > 0).sum()), int((values < 0).sum())
        return cls(above, below, len(values) - above - below)


class _Difference(NamedTuple):
    """What the paired differences on a source say, in shares from -1 to 1."""

    difference: float  # Their mean.
    these: Interval | None  # For these histories; None where each has one question.
    these_p: float
    new: Interval | None  # For new histories; None where nothing can be said of them.
    new_p: float | None  # None where it could not fall below 0.05.
    questions: _Signs
    histories: _Signs
    these_spread: Spread  # How uncertain the difference is, as a part of a mean.
    new_spread: Spread


def difference(differences: Grouped) -> _Difference:
    """Return what paired differences say; they run from -1 to 1."""
    histories = _Signs.of(differences.totals)
    centre, these_spread = _these_histories(differences)
    new_spread = differences.spread(new=True)
    several = differences.groups >= MIN_HISTORIES
    enough = several and histories.wins + histories.losses >= MIN_DIFFERENT
    # With G histories, the p of a flip of their signs is 2^(1 - G) at least.
    can_tell = 2.0 ** (1 - differences.groups) < ALPHA
    return _Difference(
        difference=differences.mean,
        these=Interval.student(centre, these_spread, -1.0, 1.0) if differences.within[1] else None,
        these_p=_by_question(differences.values),
        new=Interval.student(differences.mean, new_spread, -1.0, 1.0) if enough else None,
        new_p=_flip(differences.totals) if can_tell else None,
        questions=_Signs.of(differences.values),
        histories=histories,
        these_spread=these_spread,
        new_spread=new_spread if several else these_spread,
    )


def _these_histories(differences: Grouped) -> tuple[float, Spread]:
    """Return the centre of the interval for these histories, and the spread around it.

    Of differences of right and wrong answers they are those of Bonett and Price (2012), as if
    one question more had been won and one more lost, since few may differ at all. Several
    histories keep the share of the variance that lies within them.
    """
    plain = differences.spread(new=False)
    values, n = differences.values, differences.n
    if not np.isin(values, (-1.0, 0.0, 1.0)).all():
        return differences.mean, plain
    won, lost = ((values == 1).sum() + 1) / (n + 2), ((values == -1).sum() + 1) / (n + 2)
    variance = float(won + lost - (won - lost) ** 2) / (n + 2)
    together = float(values.var()) / (n - 1) if n > 1 else 0.0
    share = plain.variance / together if together else 1.0
    return float(won - lost), Spread(variance * share, plain.freedom)


def _by_question(differences: Floats) -> float:
    """Return the p of the differences of questions, which are taken as independent.

    It is McNemar's exact test where all differences are -1, 0 or 1, else a sign flip.
    """
    if not np.isin(differences, (-1.0, 0.0, 1.0)).all():
        return _flip(differences)
    from scipy.special import bdtr

    wins, losses, _ = _Signs.of(differences)
    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))


def _flip(differences: Floats) -> float:
    """Return the two-sided p of the sum of differences under a change of signs.

    All signs are tried for up to 14 differences, else 9,999 are drawn from a fixed seed and the
    signs as they are count as one more. What is 0 has no sign and is left out. It is what
    ``scipy.stats.permutation_test`` computes, hundreds of times as fast.
    """
    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    sums = _sign_choices(len(moved)) @ moved
    as_extreme = int((np.abs(sums) >= abs(moved.sum()) * (1 - _ROUNDING)).sum())
    drawn = int(len(moved) > _ENUMERATED)
    return (as_extreme + drawn) / (len(sums) + drawn)


@lru_cache(maxsize=8)
def _sign_choices(n: int) -> Floats:
    if n <= _ENUMERATED:
        bits = np.arange(2**n)[:, None] >> np.arange(n) & 1
    else:
        bits = np.random.default_rng(_SEED).integers(0, 2, (_DRAWS, n), dtype=np.int8)
    return np.asarray(2.0 * bits - 1.0, dtype=np.float64)


def _log_capital(differences: Floats, mean: float | None) -> Floats:
    """Return the logarithm of the capital of who bets that the true mean is above ``mean``.

    Without one it is of who bets that positive differences prevail, against either sign alike. It
    begins with 0, and has the shape of ``differences``, which run from -1 to 1, one for each
    history along the last axis. ``mean`` is above -1.
    """
    if mean is None:
        gains, begin = np.tanh(_SLOPES * differences[..., None]), -np.log(len(_SLOPES))
    else:
        gains, begin = _STAKES * ((differences[..., None] - mean) / (1 + mean)), _BEGIN
    with np.errstate(divide="ignore"):  # All was staked, and lost.
        grown = np.log1p(np.maximum(gains, -1.0)).cumsum(axis=-2)
    return np.asarray(np.logaddexp.reduce(grown + begin, axis=-1))


def confidence_sequence(differences: Floats, alpha: float = 0.05) -> list[Interval]:
    """Return the interval of the mean after each history; each lies within the one before.

    ``differences`` are one for each history, from -1 to 1, in their order; ``alpha`` is how often
    any of the intervals may fail to hold the true mean.
    """
    most = log(_BETS / alpha)
    lows, highs = (_limits(sign * differences, most) for sign in (1, -1))
    return [Interval(low, max(low, 0.0 - high)) for low, high in zip(lows, highs, strict=True)]


def _limits(differences: Floats, most: float) -> Iterator[float]:
    """Yield the largest mean that was refuted up to each history; -1 for none."""
    low = -1.0
    for n, flips in enumerate(_log_capital(differences, None), 1):
        low, outside = max(low, 0.0 if flips >= most else -1.0), 1.0
        middle = low + _PRECISION
        while outside - low > _PRECISION:
            if _log_capital(differences[:n], middle)[-1] >= most:
                low = middle
            else:
                outside = middle
            middle = (low + outside) / 2
        yield low


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
        from scipy.special import nctdtr, stdtrit

        # The share of right and wrong answers that differ is the difference at least, here of a
        # history that is a standard deviation below the mean, and of one above.
        spread, within = sqrt(self.history + (self.build or 0.0)), self.question + self.rest
        ends = (difference - spread, difference + spread)
        wider = fmean(max(within, abs(end) - end * end) for end in ends)
        apart = wider + difference**2
        if histories * questions * apart < _FEWEST:
            return 0.0
        share, lasting = wider / within, self.question / within
        kind = self._replace(question=share * self.question, rest=share * self.rest)
        deviation = sqrt(kind.variance(questions, builds))
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


# As seen on synthetic:compare, of bm25 with k = 10 and k = 3, and of floor and bm25: on ruler and
# eventqa, on detective, and on factconsolidation.
TYPICAL = {
    "calm": Components(history=0.03**2, build=None, question=0.10, rest=0.0),
    "middling": Components(history=0.10**2, build=None, question=0.16, rest=0.0),
    "rough": Components(history=0.17**2, build=None, question=0.20, rest=0.0),
}
