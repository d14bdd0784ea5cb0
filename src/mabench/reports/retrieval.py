"""The table of what was retrieved: how many passages, and whether they held the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mabench.reports.table import Table, score_cell

DEPTHS = ("1", "5", "10")


def retrieval_table(summary: Mapping[str, Any]) -> Table | None:
    """Return one row for each source for which passages were reported; None without any.

    Hits are the share of questions for which a gold stands in the first 1, 5 or 10 passages;
    ``Right when hit`` is the official score of the questions for which it stands in any.
    """
    rows = [
        (
            name,
            _number(found["depth"], 1),
            *(hit_cell(found, depth) for depth in DEPTHS),
            score_cell(found["answered_when_hit"]),
            _number(found["shown_tokens"], 0),
        )
        for name, source in summary["sources"].items()
        if (found := source.get("retrieval"))
    ]
    if not rows:
        return None
    hits = tuple(f"Hit at {depth}" for depth in DEPTHS)
    headers = ("Retrieval", "Passages", *hits, "Right when hit", "Tokens shown")
    return Table(headers, rows, (False,) + (True,) * (len(headers) - 1))


def hit_cell(retrieval: Mapping[str, Any] | None, depth: str) -> str:
    """Return the share of questions with a gold in the first passages; a dash for none."""
    hits = retrieval and retrieval["hit_at"]
    return score_cell(hits[depth] if hits else None)


def _number(value: float | None, decimals: int) -> str:
    return "-" if value is None else f"{value:,.{decimals}f}"
