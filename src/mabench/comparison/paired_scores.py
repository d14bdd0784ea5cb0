"""What two runs have on the same questions of a source, and how sure their difference is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mabench.comparison.entries import Entry
from mabench.uncertainty import MIN_HISTORIES, Grouped, Part, Spread, compare_paired


class PairedScores:
    """The scores of two runs on one source, on its questions of one type, or on one part.

    Attributes:
        a, b: the mean scores, from 0 to 1; with a ``part``, the shares of the questions in it.
        paired: what their paired differences say.
        builds: how uncertain each run's mean is over its builds, if it has several.
        n, groups: how many questions and histories there are.
    """

    def __init__(
        self, couple: Sequence[Entry], name: str, kind: str | None = None, part: str | None = None
    ) -> None:
        tables = [entry.table(name) for entry in couple]
        scores = [table.parts[part] if part else table.scores for table in tables]
        histories = tables[0].histories
        if kind:
            of_kind = tables[0].kinds[kind]
            scores = [builds[:, of_kind] for builds in scores]
            _, histories = np.unique(histories[of_kind], return_inverse=True)
        means = [builds.mean(axis=0) for builds in scores]
        differences = Grouped(means[0] - means[1], histories)
        self.a, self.b = (float(mean.mean()) for mean in means)
        self.paired = compare_paired(differences)
        self.builds = [
            Spread(float(builds.mean(axis=1).var(ddof=1)) / len(builds), len(builds) - 1)
            for builds in scores
            if len(builds) > 1
        ]
        self.n, self.groups = differences.n, differences.groups

    def spread(self, *, new: bool) -> Spread:
        """Return how uncertain the difference is; for these histories, builds add to that.

        Questions of one history share one memory: only several builds show that another build
        might score differently. New histories show it in any case.
        """
        if new and self.groups >= MIN_HISTORIES:
            return self.paired.new_spread
        builds = [Part(1.0, 0.0, spread) for spread in self.builds]
        return Part.combine([Part(1.0, 0.0, self.paired.these_spread), *builds])[1]
