"""Printing reports: tables and remarks on a terminal, in Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mabench.errors import UsageError
from mabench.json_text import to_json
from mabench.printable import printable, printable_json
from mabench.reports.latex import format_latex
from mabench.reports.tables import Table
from mabench.suggestions import unknown

if TYPE_CHECKING:
    from rich.console import Console

# What Markdown would not show as it is: the beginning of an entity, marks, and underscores that
# do not stand between letters or digits.
_ENTITY = re.compile(r"&(?=#?\w+;)")
_MARKS = re.compile(r"[\\|*`\[\]~]")
_UNDERSCORES = re.compile(r"(?<![^\W_])(?<!_)_+|(?<!_)_+(?![^\W_])(?!_)")
# What a column takes beside its text, and how narrow a column of long text may become.
_BORDER = 3
_FOLDED = 25
_LAYOUTS = ("table", "markdown", "latex", "csv", "json")


class Report(NamedTuple):
    """What a reader sees: a title, which may be empty, tables, and a sentence for each remark.

    ``notes`` say what the tables mean, and stand in the same table in LaTeX.
    """

    title: str = ""
    tables: Sequence[Table] = ()
    remarks: Sequence[str] = ()
    notes: Sequence[str] = ()


def show_reports(
    reports: Iterable[Report],
    content: Callable[[], object],
    layout: str,
    console: Console,
    tidy: Callable[[], Table] | None = None,
) -> None:
    """Print reports, or what ``content`` returns as JSON; raises ``UsageError``.

    ``tidy`` returns the one table that CSV has in their place, with the key in every line.
    """
    if layout not in _LAYOUTS:
        raise UsageError(unknown("unknown format", layout, _LAYOUTS), parameter="layout")
    if layout == "json":
        _print_plain(printable_json(to_json(content(), indent=2)), console)
        return
    from rich.text import Text

    if layout == "csv" and tidy:
        reports = [Report(tables=[tidy()])]
    for report in reports:
        tables = [table.in_format(layout) for table in report.tables]
        if layout == "table":
            if report.title:
                console.print(Text(printable(report.title), style="bold"))
            for table in tables:
                print_table(table, console)
            for remark in (*report.notes, *report.remarks):
                console.print(Text(printable(remark)))
        elif layout in _WRITERS:
            if text := _WRITERS[layout](report):
                _print_plain(text, console)
        elif tables:
            lines = io.StringIO()
            for number, table in enumerate(tables):
                lines.write("\n" * bool(number))
                csv.writer(lines, lineterminator="\n").writerows([table.headers, *table.plain_rows])
            _print_plain(lines.getvalue().removesuffix("\n"), console)


def print_table(table: Table, console: Console) -> None:
    """Print a table on a terminal; its cells are text, never markup.

    Text is folded between words, so that names stay whole. A table that is still too wide is
    printed in parts, one below the other, each with the first column.
    """
    from rich.table import Table as Grid
    from rich.text import Text

    headers, rows, numeric = table.headers, table.rows, table.numeric
    columns = [
        _Width.of(header, [row[place] for row in rows], numeric[place])
        for place, header in enumerate(headers)
    ]
    for part in _split(columns, console.width):
        grid = Grid()
        for place, width in part:
            grid.add_column(
                Text(headers[place]),
                justify="right" if numeric[place] else "left",
                width=width,
                overflow="fold",
            )
        for row in rows:
            grid.add_row(*[Text(row[place]) for place, _ in part])
        console.print(grid)


class _Width(NamedTuple):
    """How wide a column is where nothing is folded, and how narrow it can be."""

    full: int
    least: int

    @classmethod
    def of(cls, header: str, cells: Sequence[str], numeric: bool) -> _Width:
        """Return the widths of a column: of numbers, only the header can be folded."""
        from rich.cells import cell_len

        full = max(map(cell_len, (header, *cells)))
        words = (*header.split(), *(cells if numeric else " ".join(cells).split()))
        longest = max(map(cell_len, words), default=1)
        return cls(full, longest if numeric else max(longest, min(full, _FOLDED)))


def _split(columns: Sequence[_Width], width: int) -> list[list[tuple[int, int]]]:
    """Return the columns of each part of a table that fits into a width, with their widths."""

    def room(group: Sequence[int]) -> int:
        return width - 1 - sum(columns[place].least + _BORDER for place in group)

    groups: list[list[int]] = [[0]]
    for place in range(1, len(columns)):
        if len(groups[-1]) > 1 and room([*groups[-1], place]) < 0:
            groups.append([0])
        groups[-1].append(place)
    parts = []
    for group in groups:
        left = room(group)
        widths = {place: columns[place].least for place in group}
        if left < 0:  # A name is too long to stay whole.
            widest = max(group, key=lambda place: columns[place].least)
            widths[widest] = max(1, widths[widest] + left)
        for place in group:
            more = max(0, min(left, columns[place].full - widths[place]))
            widths[place] += more
            left -= more
        parts.append([*widths.items()])
    return parts


def format_markdown(report: Report) -> str:
    """Return a report in Markdown."""
    parts = [f"**{_escape(report.title)}**"] if report.title else []
    for table in report.tables:
        shown = table.in_format("markdown")
        rules = ["---:" if numeric else "---" for numeric in shown.numeric]
        rows = [map(_escape, shown.headers), rules, *(map(_escape, row) for row in shown.rows)]
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
    if remarks := [*report.notes, *report.remarks]:
        parts.append("\n".join(f"- {_escape(remark)}" for remark in remarks))
    return "\n\n".join(parts)


_WRITERS = {"markdown": format_markdown, "latex": format_latex}


def _escape(text: str) -> str:
    """Return ``text`` so that Markdown shows it as it is, without anything that is HTML."""
    text = _ENTITY.sub("&amp;", printable(text))
    text = _MARKS.sub(r"\\\g<0>", text)
    text = _UNDERSCORES.sub(lambda match: match[0].replace("_", r"\_"), text)
    return " ".join(text.replace("<", "&lt;").replace(">", "&gt;").split())


def _print_plain(text: str, console: Console) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)
