"""A run's report as a terminal table, as Markdown, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabench.errors import UsageError
from mabench.reports.audits import verified_sources
from mabench.reports.diagnosis import diagnosis
from mabench.reports.oracle import shortfalls
from mabench.reports.retrieval import retrieval_table
from mabench.reports.table import Table, category_table, notes, source_table
from mabench.runs import Run

if TYPE_CHECKING:
    from rich.console import Console

Verified = Mapping[str, Mapping[str, Any]]
FORMATS = ("table", "markdown", "json")


def show(run: Run, layout: str, console: Console, audit_file: Path | None = None) -> None:
    """Print the report of a run.

    Args:
        run: the run.
        layout: ``table``, ``markdown`` or ``json``.
        console: where to print.
        audit_file: an audit of the data set; scores on the questions that it does not flag
            stand beside the others.

    Raises:
        DataError: when the run or the audit cannot be read.
        UsageError: when there is no such format, or the audit is of other data.
    """
    verified = verified_sources(run, audit_file) if audit_file else None
    if layout == "json":
        summary = run.summary if verified is None else {**run.summary, "verified": verified}
        print_plain(console, json.dumps(summary, indent=2, ensure_ascii=False))
    elif layout == "markdown":
        print_plain(console, markdown(run, verified))
    elif layout == "table":
        show_summary(run.summary, console, shortfalls(run), verified)
    else:
        raise UsageError(f"unknown format {layout!r}; there are {', '.join(FORMATS)}")


def title(summary: dict[str, Any]) -> str:
    """Return what the run is, in a line."""
    return f"{summary['agent']} on {summary['data']}, protocol {summary['protocol']}"


def markdown(run: Run, verified: Verified | None = None) -> str:
    """Return the report as Markdown; ``verified`` as for ``source_table``."""
    summary = run.summary
    parts = [
        f"**{escaped(title(summary))}**",
        markdown_table(source_table(summary, verified)),
        markdown_table(category_table(summary)),
        *map(markdown_table, _retrieval(summary)),
        "\n".join(f"- {escaped(note)}" for note in [*_said(summary), *shortfalls(run)]),
    ]
    return "\n\n".join(part for part in parts if part)


def show_summary(
    summary: dict[str, Any],
    console: Console,
    remarks: Iterable[str] = (),
    verified: Verified | None = None,
) -> None:
    """Print the tables of a summary on a terminal, what must be known of them, and remarks."""
    from rich.text import Text

    console.print(Text(title(summary), style="bold"))
    print_table(source_table(summary, verified), console)
    print_table(category_table(summary), console)
    for table in _retrieval(summary):
        print_table(table, console)
    for note in [*_said(summary), *remarks]:
        console.print(Text(note))


def _retrieval(summary: dict[str, Any]) -> list[Table]:
    table = retrieval_table(summary)
    return [table] if table else []


def _said(summary: dict[str, Any]) -> list[str]:
    return [*notes(summary), *diagnosis(summary)]


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


def escaped(text: str) -> str:
    """Return ``text`` so that Markdown shows it as it is."""
    for mark in "\\|*_<>`[]":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


def print_plain(console: Console, text: str) -> None:
    """Print text as it is, in lines of any length."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
