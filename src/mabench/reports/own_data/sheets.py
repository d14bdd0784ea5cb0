"""The questions of a sheet as a table; a sheet has a user's questions about own conversations."""

from __future__ import annotations

from collections.abc import Iterable

from mabench.data.sheets import SheetLine
from mabench.reports.tables import Column, Table, tabulate

_COLUMNS: tuple[Column[SheetLine], ...] = (
    Column("History", lambda line: line.history),
    Column("Question", lambda line: line.question),
    Column("Answer", lambda line: " | ".join(line.answers)),
    Column("Supports", lambda line: " ".join(line.supports)),
    Column("Asked after", lambda line: line.asked_after, when="known"),
    Column("Kind", lambda line: line.kind, when="known"),
    Column("Status", lambda line: line.status.value),
)


def sheet_table(lines: Iterable[SheetLine]) -> Table:
    """Return a table with a row for each question of a sheet."""
    return tabulate(_COLUMNS, [*lines])
