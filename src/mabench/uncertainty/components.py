"""What paired differences vary by: histories, builds of the memory, and questions.

The difference on a question is a mean, plus what its history, this build of the two memories and
the question add, plus a rest that differs from build to build.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mabench.uncertainty.grouped import Floats, Grouped


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
        """Return the variances multiplied by a factor."""
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
        """Return the variances of differences; None below two histories.

        They are those of the analysis of variance: mean squares of each level minus what the levels
        below add, or 0 if that is negative. All histories have the same weight.

        Args:
            builds: the differences of n questions in each build, in shape (builds, n).
            histories: the means over builds, by history.
        """
        if histories.groups < 2:
            return None
        count, freedom = len(builds), histories.n - histories.groups
        sizes, codes = histories.sizes, histories.histories
        # The mean differences by build and history, in shape (builds, G), and what each question is
        # off from the mean of its history in each build.
        means = np.array([np.bincount(codes, weights=build) for build in builds]) / sizes
        residuals = builds - means[:, codes]
        mean_residuals = residuals.mean(axis=0)
        # A mean of n questions varies by an n-th of their variance; this is the mean of 1 / n.
        inverse_size = float((1 / sizes).mean())
        # Where a level has one of each, its sum of squares is 0, so that any divisor will do.
        rest = float(((residuals - mean_residuals) ** 2).sum()) / max(1, (count - 1) * freedom)
        question_square = float((mean_residuals**2).sum()) / max(1, freedom)
        build = None
        if count > 1:
            build = max(0.0, float(means.var(axis=0, ddof=1).mean()) - rest * inverse_size)
        history_square = float(means.mean(axis=0).var(ddof=1)) - (build or 0.0) / count
        return cls(
            history=max(0.0, history_square - question_square * inverse_size),
            build=build,
            question=max(0.0, question_square - rest / count),
            rest=rest,
        )
