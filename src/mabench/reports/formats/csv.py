"""Writes reports as CSV: only their tables, with an empty line between two."""

from __future__ import annotations

import io

from mabench.csv_text import write_csv
from mabench.reports.report import Report


def format_csv(report: Report) -> str:
    """Return the tables of a report in CSV, without a line feed at the end."""
    text = io.StringIO()
    for number, table in enumerate(report.tables):
        if number > 0:
            text.write("\n")
        write_csv(text, [table.headers, *table.plain_rows], line_end="\n")
    return text.getvalue().removesuffix("\n")
