"""Adds up how long the answers of a run took, and what was paid for replies of no use."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping

from mabench.results.records.lines import Place, Timing


class DurationTally:
    """What is known so far of how long the answers of a run took."""

    def __init__(self) -> None:
        self.wasted = 0.0  # US dollars for replies that gave no answer.
        # Of each row, how many seconds each search for its questions took.
        self.searches: defaultdict[Place, array[float]] = defaultdict(lambda: array("d"))
        # Of each row: the seconds of its answers, and the indices of its questions that have a
        # time.
        self._seconds: defaultdict[Place, float] = defaultdict(float)
        self._questions: defaultdict[Place, set[int]] = defaultdict(set)

    def add(self, timing: Timing) -> None:
        """Add how long one answer took."""
        place = timing.split, timing.row
        self.wasted += timing.wasted or 0.0
        self._seconds[place] += timing.seconds
        self._questions[place].add(timing.question_index)
        if timing.search_seconds is not None:
            self.searches[place].append(float(timing.search_seconds))

    def by_source(self, source_of: Mapping[Place, str]) -> dict[str, tuple[float, int]]:
        """Return the seconds of each source, and of how many questions they are.

        ``source_of`` has the source of each row. Rows that it lacks are left out.
        """
        totals: dict[str, tuple[float, int]] = {}
        for place, seconds in self._seconds.items():
            source = source_of.get(place)
            if source is None:
                continue
            seconds_before, questions_before = totals.get(source, (0.0, 0))
            questions = questions_before + len(self._questions[place])
            totals[source] = seconds_before + seconds, questions
        return totals
