"""The report: tables with their sentences, before a format is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from mabench.reports.sentences import say
from mabench.reports.tables import Table
from mabench.results import THESE, Measure
from mabench.uncertainty import MIN_HISTORIES


class Report(NamedTuple):
    """A report for people."""

    title: str = ""
    tables: Sequence[Table] = ()
    remarks: Sequence[str] = ()
    notes: Sequence[str] = ()  # Explanations of the tables; in LaTeX they are part of them.
    first: Sequence[str] = ()  # Sentences before the tables, which would mislead without them.

    @classmethod
    def of(
        cls,
        title: str,
        tables: Sequence[Table],
        remarks: Sequence[str] = (),
        *notes: str,
        compares: bool = False,
    ) -> Self:
        """Return a report whose notes also say what the intervals in its tables mean.

        If it ``compares`` runs, they say how many histories a claim about a difference needs: one
        more than the interval of a score.
        """
        values = [value for table in tables for row in table.values for value in row]
        measures = [value for value in values if isinstance(value, Measure)]
        about_intervals = []
        if any(measure.new for measure in measures):
            about_intervals.append(say("of_new_histories", fewest=MIN_HISTORIES))
        if any(measure.these and not measure.new for measure in measures):
            if compares:
                about_intervals.append(say("compared_these_histories", mark=THESE))
            else:
                about_intervals.append(say("of_these_histories", mark=THESE))
        has_brackets = any("[" in f"{measure}" for measure in measures)
        if about_intervals and has_brackets:
            about_intervals[-1] += " Near 0 and 100 the interval itself is shown in brackets."
        return cls(title, tables, remarks, [*about_intervals, *notes])
