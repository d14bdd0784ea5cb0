"""The true share of right answers from a judge's verdicts on all and a person's on a sample.

Prediction-powered inference (Angelopoulos et al. 2023, with the efficient weight of PPI++): the
judge's mean over all answers, times a weight, plus what the sample says that this is off. Whatever
the judge's errors are, the estimate has no bias from them. Without a sample there is no correction:
sensitivity and specificity of a judge on other answers say nothing about these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mabench.uncertainty.grouped import Floats
from mabench.uncertainty.intervals import MIN_HISTORIES, Interval, quantile

# With fewer verdicts of a person, an interval for new histories held too rarely in simulation
# (benchmarks/judged_shares.py).
MIN_VERDICTS = 60


@dataclass(frozen=True)
class JudgedSample:
    """A judge's scores of N answers, and a person's of n of them that were drawn at random.

    All scores are from 0 to 1; for a difference of two runs, both are differences from -1 to 1.
    """

    judged: Floats  # The judge's scores, in shape (N,).
    histories: NDArray[np.intp]  # The number of each answer's history, in shape (N,).
    sampled: NDArray[np.intp]  # Which answers the person judged, in shape (n,).
    people: Floats  # The person's scores of these, in shape (n,).
    # The chance of each of these to be drawn, in shape (n,); it differs where most were drawn from
    # one part of the answers.
    chances: Floats

    @cached_property
    def weights(self) -> Floats:
        """How many answers each drawn one stands for, as a share of all, in shape (n,)."""
        answers = 1 / self.chances
        return np.asarray(answers / answers.sum(), dtype=np.float64)

    @cached_property
    def efficient_weight(self) -> float:
        """The weight of the judge, from 0 to 1, by which the estimate varies least.

        It is the slope of the person's scores on the judge's: 0 for a judge whose verdicts say
        nothing of the person's.
        """
        judged = self.judged[self.sampled]
        centred = judged - float(self.weights @ judged)
        variance = float(self.weights @ centred**2)
        if variance == 0:
            return 0.0
        return float(np.clip(self.weights @ (centred * self.people) / variance, 0.0, 1.0))

    @cached_property
    def estimate(self) -> float:
        """The estimate of the person's mean over all N answers."""
        return self._estimate(np.ones(len(self.judged), dtype=bool))

    def these_answers(self) -> Interval:
        """Return the 95 % interval of the mean over these N answers.

        Only the drawing of the sample is uncertain. As for all shares, two verdicts more, one for
        and one against the judge, keep an interval from having no width.
        """
        n = len(self.sampled)
        # A drawn answer leaves open what the others that it represents are. Where all were drawn,
        # the chance is 1 and nothing is open.
        open_parts = self.weights**2 * (1 - self.chances)
        rectifier = self.people - self.efficient_weight * self.judged[self.sampled]
        centred = rectifier - float(self.weights @ rectifier)
        seen = float(open_parts @ centred**2) * n / max(1, n - 1)
        variance = max(seen, float(open_parts.sum()) * self._least_variance())
        half = quantile(max(1, n - 1)) * variance**0.5
        return Interval(self.estimate - half, self.estimate + half)

    def new_histories(self) -> Interval | None:
        """Return the 95 % interval of the mean over new histories like these.

        Histories are left out one by one (cluster jackknife) with the verdicts on them, so that it
        carries what varies between histories and what the sample leaves open. None below five
        histories with a verdict, or below ``MIN_VERDICTS`` verdicts.
        """
        present = np.unique(self.histories[self.sampled])
        if len(present) < MIN_HISTORIES or len(self.sampled) < MIN_VERDICTS:
            return None
        groups = np.unique(self.histories)
        left_out = np.array([self._estimate(self.histories != group) for group in groups])
        count = len(groups)
        jackknife = (count - 1) / count * float(((left_out - self.estimate) ** 2).sum())
        effective = 1 / float((self.weights**2).sum())
        variance = max(jackknife, self._least_variance() / effective)
        half = quantile(self._freedom()) * variance**0.5
        return Interval(self.estimate - half, self.estimate + half)

    def _estimate(self, is_kept: NDArray[np.bool_]) -> float:
        """Return the estimate from the answers that are kept; from all if none of them was drawn.

        ``is_kept`` is in shape (N,).
        """
        drawn_weights = self.weights * is_kept[self.sampled]
        total = drawn_weights.sum()
        if total == 0:
            return self.estimate
        # By drawn answer, how far the person's score is from the judge's times its weight.
        judge_weight = self.efficient_weight
        rectifier = self.people - judge_weight * self.judged[self.sampled]
        mean_of_judge = judge_weight * self.judged[is_kept].mean()
        return float(mean_of_judge + drawn_weights @ rectifier / total)

    def _least_variance(self) -> float:
        """Return the variance that two disagreements among n + 2 verdicts would show."""
        return 2 / (len(self.sampled) + 2)

    def _freedom(self) -> float:
        """Return the degrees of freedom: as many equal histories as these are worth, less one.

        The smaller count decides, that of the answers or that of those drawn.
        """
        sizes = np.bincount(self.histories)
        drawn = np.bincount(self.histories[self.sampled], minlength=len(sizes))
        effective = [float(counts.sum() ** 2 / (counts**2).sum()) for counts in (sizes, drawn)]
        return max(1.0, min(effective) - 1)
