"""Reports on a terminal, whose tables fit its width: cells are text, never markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Never

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from mabench.printable import printable
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table

# What a column takes besides its text.
_BORDER = 3
# How narrow a column of long text may become.
_NARROWEST_TEXT = 25
# Up to this length a text is a name: other columns are left out before it is folded.
_LONGEST_NAME = 40


def print_report(report: Report, console: Console) -> None:
    """Print a report on a terminal."""
    if report.title:
        console.print(Text(printable(report.title), style="bold"))
    for sentence in report.first:
        console.print(Text(printable(sentence)))
    for table in report.tables:
        print_table(table, console)
    for remark in (*report.notes, *report.remarks):
        console.print(Text(printable(remark)))


def print_table(table: Table, console: Console) -> None:
    """Print a table on a terminal.

    If it is too wide, columns that say nothing new are left out, then texts are cut, or folded
    between words so that names stay whole. What is still too wide is printed in parts, one below
    the other, each with the columns that name the rows. Before there are more than two parts,
    the columns that say the least are left out.
    """
    headers, rows = table.headers, table.rows
    columns = [
        _Width.of(column, header, [row[place] for row in rows])
        for place, (column, header) in enumerate(zip(table.columns, headers, strict=True))
    ]
    keys = [place for place, column in enumerate(table.columns) if column.key or not place]
    places, ranks = [*range(len(columns))], dict(enumerate(table.ranks))
    by_rank = sorted(ranks, key=lambda place: abs(ranks[place]))
    spare, parting = ([p for p in by_rank if sign * ranks[p] > 0] for sign in (1, -1))
    while spare and _room(console.width, [columns[place].whole for place in places]) < 0:
        places.remove(spare.pop(0))
    while len(parts := _split(columns, places, keys, console.width)) > 2 and parting:
        places.remove(parting.pop(0))
    for part in parts:
        grid = Grid()
        for place, width in part:
            grid.add_column(
                Text(headers[place]),
                justify="left" if table.columns[place].spec is None else "right",
                width=width,
                overflow="fold" if table.columns[place].least is None else "ellipsis",
                no_wrap=table.columns[place].least is not None,
            )
        for row in rows:
            grid.add_row(*[Text(row[place]) for place, _ in part])
        console.print(grid)


class _Width(NamedTuple):
    """The widths that a column can have, in characters."""

    full: int  # With nothing folded or cut.
    least: int
    whole: int  # What it needs before columns that say nothing new are left out.

    @classmethod
    def of(cls, column: Column[Never], header: str, cells: Sequence[str]) -> _Width:
        """Return the widths of a column; of a column of numbers only the header can be folded."""
        from rich.cells import cell_len

        full = max(map(cell_len, (header, *cells)))
        if column.least is not None:
            least = min(full, max(column.least, cell_len(header)))
            return cls(full, least, max(least, min(full, _LONGEST_NAME)))
        is_text = column.spec is None
        words = (*header.split(), *(" ".join(cells).split() if is_text else cells))
        longest = max(map(cell_len, words), default=1)
        least = max(longest, min(full, _NARROWEST_TEXT)) if is_text else longest
        return cls(full, least, max(least, min(full, _LONGEST_NAME)))


def _room(width: int, widths: Iterable[int]) -> int:
    """Return how much of a width some columns leave."""
    return width - 1 - sum(width + _BORDER for width in widths)


def _split(
    columns: Sequence[_Width], places: Sequence[int], keys: Sequence[int], width: int
) -> list[list[tuple[int, int]]]:
    """Return the columns of each part of a table that fits into a width, with their widths."""

    def room(group: Iterable[int]) -> int:
        return _room(width, [columns[place].least for place in group])

    named = [place for place in places if place in keys]
    if room(named) < width // 3:  # The names of a row must leave room for what is said of it.
        named = named[:1]
    groups = [named]
    for place in places:
        if place in named:
            continue
        if len(groups[-1]) > len(named) and room([*groups[-1], place]) < 0:
            groups.append(named)
        groups[-1] = [*groups[-1], place]
    parts = []
    for group in map(sorted, groups):
        widths, left = [columns[place].least for place in group], room(group)
        if left < 0:  # A name is too long to stay whole.
            widest = widths.index(max(widths))
            widths[widest] = max(1, widths[widest] + left)
        grown = share_room(widths, [columns[place].full for place in group], left)
        parts.append([*zip(group, grown, strict=True)])
    return parts


def share_room(widths: Sequence[int], full: Sequence[int], room: int) -> list[int]:
    """Return widths that share what room is left, none wider than its full width."""
    widths = [*widths]
    while room > 0 and (growing := [n for n, width in enumerate(widths) if width < full[n]]):
        for place in growing:
            more = min(max(1, room // len(growing)), full[place] - widths[place], room)
            widths[place] += more
            room -= more
    return widths
