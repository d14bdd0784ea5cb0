"""Writes reports as CSV: only their tables, with an empty line between two."""

from __future__ import annotations

import io

from mabench.csv_text import write_csv
from mabench.reports.report import Report


def format_csv(report: Report) -> str:
    """Return the tables of a report in CSV."""
    lines = io.StringIO()
    for number, table in enumerate(report.tables):
        if number:
            lines.write("\n")
        write_csv(lines, [table.headers, *table.plain_rows], line_end="\n")
    return lines.getvalue().removesuffix("\n")
