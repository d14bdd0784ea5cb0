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
from mabench.results import Intervals
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
_FOLDED = 25


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
            _print_plain("\n".join(map(_csv, report.tables)).removesuffix("\n"), console)
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

    Text is folded between words, so that names stay whole. A table that is still too wide is
    printed in parts, one below the other, each with the first column.
    """
    from rich.table import Table as Grid

    columns = [
        _Column.of(header, [row[number] for row in table.rows], table.numeric[number])
        for number, header in enumerate(table.headers)
    ]
    for part in _parts(columns, console.width):
        grid = Grid()
        for number, width in part:
            numeric = table.numeric[number]
            grid.add_column(
                _shown(table.headers[number]),
                justify="right" if numeric else "left",
                width=width,
                overflow="fold",
            )
        for row in table.rows:
            grid.add_row(*(_shown(row[number]) for number, _ in part))
        console.print(grid)


class _Column(NamedTuple):
    """How wide a column is where nothing is folded, and how narrow it can be."""

    full: int
    least: int

    @classmethod
    def of(cls, header: str, cells: Sequence[str], numeric: bool) -> _Column:
        """Return the widths of a column: of numbers, only the header can be folded."""
        from rich.cells import cell_len

        full = max(map(cell_len, (header, *cells)))
        words = (*header.split(), *(cells if numeric else " ".join(cells).split()))
        longest = max(map(cell_len, words), default=1)
        return cls(full, longest if numeric else max(longest, min(full, _FOLDED)))


def _parts(columns: Sequence[_Column], width: int) -> list[list[tuple[int, int]]]:
    """Return the columns of each part of a table that fits into a width, with their widths."""
    groups: list[list[int]] = [[0]]
    for number in range(1, len(columns)):
        beside = [*groups[-1], number]
        if len(groups[-1]) > 1 and _room(columns, beside, width) < 0:
            beside = [0, number]
            groups.append(beside)
        groups[-1] = beside
    return [_fitted(columns, group, width) for group in groups]


def _room(columns: Sequence[_Column], group: Sequence[int], width: int) -> int:
    """Return how much is left of a width where each column is as narrow as it can be."""
    return width - 1 - sum(columns[number].least + _BORDER for number in group)


def _fitted(columns: Sequence[_Column], group: Sequence[int], width: int) -> list[tuple[int, int]]:
    """Return the columns of a part, the room that is left given to those that are folded."""
    room = _room(columns, group, width)
    widths = {number: columns[number].least for number in group}
    if room < 0:  # A name is too long to stay whole.
        widest = max(group, key=lambda number: widths[number])
        widths[widest] = max(1, widths[widest] + room)
    for number in group:
        more = max(0, min(room, columns[number].full - widths[number]))
        widths[number] += more
        room -= more
    return [*widths.items()]


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
