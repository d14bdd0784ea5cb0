"""The inventory of sources as a table."""

from __future__ import annotations

from mabench.data.inventory import SOURCES
from mabench.families import family_of
from mabench.reports.table import Table


def inventory_table() -> Table:
    """Return one row for each of the 22 sources; lengths are in o200k_base tokens."""
    headers = ("Source", "Split", "Column", "Metric", "Rows", "Questions", "Tokens", "Limit")
    rows = [
        (
            source.name,
            source.split,
            source.column or "-",
            family_of(source.name).metric,
            str(source.rows),
            str(source.questions),
            f"{source.context_tokens:,}",
            f"{source.context_limit:,}",
        )
        for source in SOURCES
    ]
    return Table(headers, rows, (False,) * 4 + (True,) * 4)
