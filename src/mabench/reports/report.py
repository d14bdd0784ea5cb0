"""The report: tables with the sentences around them, which every format can print."""

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
    remarks: Sequence[str] = ()  # Sentences below the tables.
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

        If it ``compares`` runs, the note on intervals for the same histories also holds for the
        letters of runs that are not shown to differ.
        """
        cells = [cell for table in tables for row in table.values for cell in row]
        measures = [cell for cell in cells if isinstance(cell, Measure)]
        about_intervals = []
        if any(measure.new for measure in measures):
            about_intervals.append(say("of_new_histories", fewest=MIN_HISTORIES))
        if any(measure.these and not measure.new for measure in measures):
            if compares:
                about_intervals.append(say("compared_these_histories", mark=THESE))
            else:
                about_intervals.append(say("of_these_histories", mark=THESE))
        # A measure near an end of the range of scores is printed as ``98.0 [93.1, 100]``.
        has_brackets = any("[" in f"{measure}" for measure in measures)
        if about_intervals and has_brackets:
            about_intervals[-1] += " Near 0 and 100 the interval itself is shown in brackets."
        return cls(title, tables, remarks, [*about_intervals, *notes])
