"""The table of a sweep: scores against the value of one setting."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.reports.table import Table, score_cell
from mabench.runs import SweepPoint


def sweep_table(knob: str, steps: Sequence[SweepPoint]) -> Table:
    """Return one row for each value, with scores from 0 to 100 and seconds."""
    headers = (knob, "n", "Errors", "Official", "Corrected", "Memorize s", "Answer s")
    rows = []
    for step in steps:
        source = step.source
        rows.append(
            (
                f"{step.value:,}",
                str(source["n"]),
                str(source["errors"]),
                score_cell(source["official"]),
                score_cell(source["corrected"]),
                f"{source['seconds_memorize']:.2f}",
                f"{source['seconds_answer']:.2f}",
            )
        )
    return Table(headers, rows, (True,) * len(headers))
