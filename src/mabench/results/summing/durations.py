"""Adding up how long answers took, and what of it was paid for nothing."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence

from mabench.results.records.lines import Place, Timing


class DurationTally:
    """What is known so far of how long the answers of a run took."""

    def __init__(self) -> None:
        self.wasted = 0.0  # US dollars for replies that gave no answer.
        self._seconds: defaultdict[Place, float] = defaultdict(float)
        self._questions: defaultdict[Place, set[int]] = defaultdict(set)
        self._searches: defaultdict[Place, array[float]] = defaultdict(lambda: array("d"))

    def add(self, timing: Timing) -> None:
        """Add how long one answer took."""
        place = timing.split, timing.row
        self.wasted += timing.wasted or 0.0
        self._seconds[place] += timing.seconds
        self._questions[place].add(timing.question_index)
        if timing.search_seconds is not None:
            self._searches[place].append(float(timing.search_seconds))

    def by_source(self, source_of: Mapping[Place, str]) -> dict[str, tuple[float, int]]:
        """Return the seconds of each source, and of how many questions they are."""
        totals: dict[str, tuple[float, int]] = {}
        for place, seconds in self._seconds.items():
            if (source := source_of.get(place)) is not None:
                before, questions = totals.get(source, (0.0, 0))
                totals[source] = before + seconds, questions + len(self._questions[place])
        return totals

    def searches(self, place: Place) -> Sequence[float]:
        """Return how long the searches for the questions of a row took."""
        return self._searches.get(place, ())
