"""The table of what a run, or judging it, would take."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.models import Estimate
from mabench.reports.table import Table


def estimate_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row for each source, and one for all."""
    judging = any(estimate.answers is not None for estimate in estimates)
    amounts = ("Calls", "Input tokens", "Output tokens, at most", "US dollars", "Hours")
    headers = ("Source", *(["Answers to judge"] if judging else []), *amounts)
    rows = [(one.source, *_amounts(one, judging)) for one in [*estimates, _total(estimates)]]
    return Table(headers, rows, (False, *(True for _ in headers[1:])))


def _amounts(estimate: Estimate, judging: bool) -> list[str]:
    return [
        *([f"{estimate.answers or 0:,}"] if judging else []),
        f"{estimate.calls:,}",
        f"{estimate.input_tokens:,}",
        f"{estimate.output_tokens:,}",
        "unknown" if estimate.cost is None else f"{estimate.cost:,.2f}",
        f"{estimate.hours:.2f}",
    ]


def _total(estimates: Sequence[Estimate]) -> Estimate:
    costs = [one.cost for one in estimates if one.cost is not None]
    return Estimate(
        "All",
        sum(one.calls for one in estimates),
        sum(one.input_tokens for one in estimates),
        sum(one.output_tokens for one in estimates),
        sum(costs) if len(costs) == len(estimates) else None,
        sum(one.hours for one in estimates),
        sum(one.answers or 0 for one in estimates),
    )
