"""A report: tables with the sentences that belong to them, before it has a format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from mabench.reports.sentences import say
from mabench.reports.tables import Table
from mabench.results import THESE, Measure
from mabench.uncertainty import MIN_HISTORIES


class Report(NamedTuple):
    """What a reader sees."""

    title: str = ""
    tables: Sequence[Table] = ()
    remarks: Sequence[str] = ()
    notes: Sequence[str] = ()  # What the tables mean; in LaTeX a part of them.
    first: Sequence[str] = ()  # Printed before the tables, which would mislead without them.

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
        said = []
        if any(measure.new for measure in measures):
            said.append(say("of_new_histories", fewest=MIN_HISTORIES))
        if any(measure.these and not measure.new for measure in measures):
            if compares:
                said.append(say("compared_these_histories", mark=THESE))
            else:
                said.append(say("of_these_histories", mark=THESE))
        if said and any(f"{measure}".find("[") > 0 for measure in measures):
            said[-1] += " Near 0 and 100 the interval itself is shown in brackets."
        return cls(title, tables, remarks, [*said, *notes])
