"""Tables and remarks as text, and printing them on a terminal, in Markdown or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from mabench.errors import UsageError
from mabench.suggestions import unknown

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
            raise UsageError(unknown("unknown format", name, cls), parameter="layout")
        return cls(name)


class Table(NamedTuple):
    """A table as text: cells are plain strings; ``numeric`` says which columns hold numbers."""

    headers: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    numeric: tuple[bool, ...]


class Report(NamedTuple):
    """What a reader sees: a title, which may be empty, tables, and a sentence for each remark."""

    title: str
    tables: Sequence[Table]
    remarks: Sequence[str]


def score_cell(value: float | None) -> str:
    """Return a score for a reader, with one decimal; a dash for none."""
    return NONE if value is None else f"{value:.1f}"


def print_report(report: Report, layout: Layout, console: Console) -> None:
    """Print a report as tables or as Markdown."""
    if layout is Layout.MARKDOWN:
        _print_plain(markdown_report(report), console)
        return
    from rich.text import Text

    if report.title:
        console.print(Text(report.title, style="bold"))
    for table in report.tables:
        print_table(table, console)
    for remark in report.remarks:
        console.print(Text(remark))


def print_json(content: object, console: Console) -> None:
    """Print what JSON can hold."""
    _print_plain(json.dumps(content, indent=2, ensure_ascii=False), console)


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


def markdown_report(report: Report) -> str:
    """Return a report in Markdown."""
    title = f"**{_escaped(report.title)}**" if report.title else ""
    remarks = "\n".join(f"- {_escaped(remark)}" for remark in report.remarks)
    return "\n\n".join(filter(None, [title, *map(_markdown_table, report.tables), remarks]))


def _markdown_table(table: Table) -> str:
    rules = ["---:" if numeric else "---" for numeric in table.numeric]
    rows = [map(_escaped, table.headers), rules, *(map(_escaped, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _escaped(text: str) -> str:
    """Return ``text`` so that Markdown shows it as it is."""
    for mark in "\\|*_<>`[]":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


def _print_plain(text: str, console: Console) -> None:
    """Print text as it is, in lines of any length."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
