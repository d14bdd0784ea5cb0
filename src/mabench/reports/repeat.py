"""The table of repeated runs: mean and spread of each source's score."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from mabench.reports.table import Table, score_cell
from mabench.runs import Run


def repeat_table(runs: Sequence[Run]) -> Table:
    """Return one row for each source: mean and standard deviation over two runs or more."""
    headers = ("Source", "Runs", "Official", "SD", "Corrected", "SD")
    rows = []
    for name in runs[0].summary["sources"]:
        cells: list[str] = []
        for score in ("official", "corrected"):
            values = [run.summary["sources"][name][score] for run in runs]
            known = [value for value in values if value is not None]
            whole = len(known) == len(values)
            cells += [
                score_cell(fmean(known) if whole else None),
                score_cell(stdev(known) if whole else None),
            ]
        rows.append((name, str(len(runs)), *cells))
    return Table(headers, rows, (False, True, True, True, True, True))
