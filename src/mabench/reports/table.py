"""Tables of text, and printing them on a terminal or in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from mabench.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

NONE = "-"


class Layout(StrEnum):
    """How a report is printed."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"

    @classmethod
    def named(cls, name: str) -> Layout:
        """Return the layout of a name.

        Raises:
            UsageError: when there is none.
        """
        if name not in [*cls]:
            raise UsageError(f"unknown format {name!r}; there are {', '.join(cls)}")
        return cls(name)


class Table(NamedTuple):
    """A table as text: cells are plain strings; ``numeric`` says which columns hold numbers."""

    headers: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    numeric: tuple[bool, ...]


def score_cell(value: float | None) -> str:
    """Return a score for a reader, with one decimal; a dash for none."""
    return NONE if value is None else f"{value:.1f}"


def print_table(table: Table, console: Console) -> None:
    """Print a table on a terminal; its cells are text, never markup."""
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid()
    for header, numeric in zip(table.headers, table.numeric, strict=True):
        grid.add_column(Text(header), justify="right" if numeric else "left", overflow="fold")
    for row in table.rows:
        grid.add_row(*map(Text, row))
    console.print(grid)


def markdown_table(table: Table) -> str:
    """Return a table in Markdown."""
    rules = ["---:" if numeric else "---" for numeric in table.numeric]
    rows = [map(escaped, table.headers), rules, *(map(escaped, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def markdown_list(lines: Sequence[str]) -> str:
    """Return lines as a list in Markdown."""
    return "\n".join(f"- {escaped(line)}" for line in lines)


def escaped(text: str) -> str:
    """Return ``text`` so that Markdown shows it as it is."""
    for mark in "\\|*_<>`[]":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


def print_plain(console: Console, text: str) -> None:
    """Print text as it is, in lines of any length."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
