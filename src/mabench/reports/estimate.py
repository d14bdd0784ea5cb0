"""The table of what a run would take."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.reports.table import Table
from mabench.runs import Estimate


def estimate_table(found: Sequence[Estimate]) -> Table:
    """Return one row for each source, and one for all."""
    headers = ("Source", "Calls", "Input tokens", "Output tokens, at most", "US dollars", "Hours")
    costs = [one.cost for one in found]
    whole = Estimate(
        "All",
        sum(one.calls for one in found),
        sum(one.input_tokens for one in found),
        sum(one.output_tokens for one in found),
        None if None in costs else sum(cost for cost in costs if cost is not None),
        sum(one.hours for one in found),
    )
    rows = [
        (
            one.source,
            f"{one.calls:,}",
            f"{one.input_tokens:,}",
            f"{one.output_tokens:,}",
            "unknown" if one.cost is None else f"{one.cost:,.2f}",
            f"{one.hours:.2f}",
        )
        for one in [*found, whole]
    ]
    return Table(headers, rows, (False, True, True, True, True, True))
