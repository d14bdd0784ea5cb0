"""Tables and remarks as text, and printing them on a terminal, in Markdown or as JSON."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from mabench.errors import UsageError
from mabench.json_text import to_json
from mabench.printable import printable, printable_json
from mabench.runs import Intervals
from mabench.suggestions import unknown
from mabench.uncertainty import MIN_HISTORIES

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

NONE = "-"
# Marks an interval that says nothing about other histories.
THESE = "†"

# What Markdown would not show as it is: the beginning of an entity, marks, and underscores that
# do not stand between letters or digits.
_ENTITY = re.compile(r"&(?=#?\w+;)")
_MARKS = re.compile(r"[\\|*`\[\]~]")
_UNDERSCORES = re.compile(r"(?<![^\W_])(?<!_)_+|(?<!_)_+(?![^\W_])(?!_)")


# What a column takes beside its text, and how narrow a column of long text may become.
_BORDER = 3
_FOLDED = 28


class Layout(StrEnum):
    """How a report is printed."""

    TABLE = "table"
    MARKDOWN = "markdown"
    CSV = "csv"
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


def interval_cell(value: float | None, intervals: Intervals | None) -> str:
    """Return a score with half the width of its interval: that for new histories if there is one.

    ``interval_remark`` explains the mark of an interval for these histories alone.
    """
    limits = intervals and (intervals.new_histories or intervals.these_histories)
    if value is None or not intervals or not limits:
        return score_cell(value)
    mark = "" if intervals.new_histories else THESE
    return f"{value:.1f} ±{(limits[1] - limits[0]) / 2:.1f}{mark}"


def interval_remark(tables: Sequence[Table]) -> list[str]:
    """Return what the intervals in tables mean; nothing where there are none."""
    cells = [cell for table in tables for row in table.rows for cell in row]
    remarks = []
    if any("±" in cell and not cell.endswith(THESE) for cell in cells):
        remarks.append(
            "± is half the 95 % interval for new histories like these; in means over sources, "
            f"those with fewer than {MIN_HISTORIES} histories are taken as given."
        )
    if any(cell.endswith(THESE) for cell in cells):
        remarks.append(
            f"±{THESE} is half the 95 % interval for other questions about these histories; "
            "nothing can be said about new ones."
        )
    return remarks


def show_report(report: Report, content: object, layout: str, console: Console) -> None:
    """Print a report in a layout, by its name; as JSON its ``content`` is printed.

    Raises:
        UsageError: when there is no such layout.
    """
    form = Layout.named(layout)
    if form is Layout.JSON:
        print_json(content, console)
    else:
        print_report(report, form, console)


def print_report(report: Report, layout: Layout, console: Console) -> None:
    """Print a report as tables, as Markdown, or as CSV, which has its tables alone."""
    if layout is Layout.MARKDOWN:
        _print_plain(markdown_report(report), console)
        return
    if layout is Layout.CSV:
        if report.tables:
            _print_plain("\n".join(map(_csv, report.tables)), console)
        return
    if report.title:
        console.print(_shown(report.title, style="bold"))
    for table in report.tables:
        print_table(table, console)
    for remark in report.remarks:
        console.print(_shown(remark))


def print_json(content: object, console: Console) -> None:
    """Print what JSON can hold."""
    _print_plain(printable_json(to_json(content, indent=2)), console)


def print_table(table: Table, console: Console) -> None:
    """Print a table on a terminal; its cells are text, never markup.

    One that is too wide is printed in parts, one below the other, each with the first column.
    """
    from rich.table import Table as Grid

    for part in _parts(table, console.width):
        grid = Grid()
        for header, numeric in zip(part.headers, part.numeric, strict=True):
            grid.add_column(_shown(header), justify="right" if numeric else "left", overflow="fold")
        for row in part.rows:
            grid.add_row(*map(_shown, row))
        console.print(grid)


def _parts(table: Table, width: int) -> list[Table]:
    """Cut a table into parts that fit into a width, where its columns of text may be folded."""
    columns = [tuple(map(str, column)) for column in zip(table.headers, *table.rows, strict=True)]
    wide = [max(map(len, column)) + _BORDER for column in columns]
    wide = [
        size if numeric or number == 0 else min(size, _FOLDED)
        for number, (size, numeric) in enumerate(zip(wide, table.numeric, strict=True))
    ]
    groups: list[list[int]] = [[0]]
    room = width - 1 - wide[0]
    for number, size in enumerate(wide[1:], start=1):
        if size > room and len(groups[-1]) > 1:
            groups.append([0])
            room = width - 1 - wide[0]
        groups[-1].append(number)
        room -= size
    return [_columns(table, group) for group in groups]


def _columns(table: Table, numbers: Sequence[int]) -> Table:
    """Return some columns of a table."""
    return Table(
        tuple(table.headers[number] for number in numbers),
        [tuple(row[number] for number in numbers) for row in table.rows],
        tuple(table.numeric[number] for number in numbers),
    )


def markdown_report(report: Report) -> str:
    """Return a report in Markdown."""
    title = f"**{_escaped(report.title)}**" if report.title else ""
    remarks = "\n".join(f"- {_escaped(remark)}" for remark in report.remarks)
    return "\n\n".join(filter(None, [title, *map(_markdown_table, report.tables), remarks]))


def _csv(table: Table) -> str:
    """Return a table as CSV, each line ended by one newline."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([table.headers, *table.rows])
    return printable(text.getvalue())


def _markdown_table(table: Table) -> str:
    rules = ["---:" if numeric else "---" for numeric in table.numeric]
    rows = [map(_escaped, table.headers), rules, *(map(_escaped, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _escaped(text: str) -> str:
    """Return ``text`` so that Markdown shows it as it is, without anything that is HTML.

    Underscores between letters or digits mean nothing there and stay as they are.
    """
    text = _ENTITY.sub("&amp;", printable(text))
    text = _MARKS.sub(r"\\\g<0>", text)
    text = _UNDERSCORES.sub(lambda found: found[0].replace("_", r"\_"), text)
    return " ".join(text.replace("<", "&lt;").replace(">", "&gt;").split())


def _shown(text: str, style: str = "") -> Text:
    """Return text as a terminal shows it: never markup, nor codes that it obeys."""
    from rich.text import Text

    return Text(printable(text), style=style)


def _print_plain(text: str, console: Console) -> None:
    """Print text as it is, in lines of any length."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
