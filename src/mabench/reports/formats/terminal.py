"""Prints reports on a terminal, with tables that fit its width.

Cells are printed as text, never read as markup. All widths are numbers of characters. A column is
called by its place in its table, from 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Never

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from mabench.printable import printable
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table

# What a column takes besides its text: a line and a space on each side.
_BORDER = 3
# How far a column of long texts may be narrowed.
_NARROWEST_TEXT = 25
# How far a column that names the rows may be narrowed.
_NARROWEST_KEY = 12
# Shorter texts count as names: other columns are left out before a name is folded.
_LONGEST_NAME = 40
# Of more parts than these, a table loses its least important columns.
_MOST_PARTS = 2


def print_report(report: Report, console: Console) -> None:
    """Print a report on a terminal."""
    for sentence in report.first:
        console.print(Text(printable(sentence)))
    if report.title:
        console.print(Text(printable(report.title), style="bold"))
    for table in report.tables:
        print_table(table, console)
    for remark in (*report.notes, *report.remarks):
        console.print(Text(printable(remark)))


def print_table(table: Table, console: Console) -> None:
    """Print a table on a terminal.

    A table that is too wide is made to fit in four steps. Columns that say nothing new are left
    out. Texts are cut, or folded between words, so that names stay whole. What is still too wide is
    printed in parts below each other; each part repeats the columns that name the rows, and none
    divides a figure from its interval. If there would be more than two parts, further columns are
    left out. A table of one column is a line of its values.
    """
    headers, rows = table.headers, table.rows
    if len(headers) == 1 and rows:
        values = ", ".join(cell for (cell,) in rows)
        console.print(Text(f"{headers[0]}: {values}"))
        return
    written = _WrittenTable(table.columns, headers, rows, table.ranks)
    for part in _arrange(written, console.width):
        console.print(_draw(written, part))


class _WrittenTable(NamedTuple):
    """A table with its cells as they are printed."""

    columns: Sequence[Column[Never]]
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    ranks: Sequence[int]  # As in ``Table``.


class _ShownColumn(NamedTuple):
    """A column as it is printed."""

    place: int
    width: int


class _Width(NamedTuple):
    """The widths that a column can have."""

    full: int  # With nothing folded or cut.
    narrowest: int
    whole: int  # With names whole; columns that say nothing new are left out before it shrinks.

    @classmethod
    def of(cls, column: Column[Never], header: str, cells: Sequence[str]) -> _Width:
        """Return the widths of a column with its header and its cells.

        Texts that may be cut need as much as their column declares. Other texts are folded between
        words, and numbers not at all: of their column only the header is folded.
        """
        full = max(map(cell_len, (header, *cells)))
        if column.least is not None:
            narrowest = min(full, max(column.least, cell_len(header)))
        elif column.spec is None:
            words = [*header.split(), *" ".join(cells).split()]
            longest_word = max(map(cell_len, words), default=1)
            narrowest = max(longest_word, min(full, _NARROWEST_TEXT))
        else:
            narrowest = max(map(cell_len, [*header.split(), *cells]), default=1)
        return cls(full, narrowest, whole=max(narrowest, min(full, _LONGEST_NAME)))


def _arrange(table: _WrittenTable, width: int) -> list[list[_ShownColumn]]:
    """Return the parts of a table that fit into a width, after columns were left out.

    The table says by ``Table.ranks`` which columns go first: 1 before 2 where they say nothing new,
    and -1 before -2 where there would be too many parts. Columns of rank 0 stay.
    """
    widths = [
        _Width.of(column, table.headers[place], [row[place] for row in table.rows])
        for place, column in enumerate(table.columns)
    ]
    by_rank = sorted(range(len(table.ranks)), key=lambda place: abs(table.ranks[place]))
    saying_nothing_new = [place for place in by_rank if table.ranks[place] > 0]
    least_important = [place for place in by_rank if table.ranks[place] < 0]
    places = [*range(len(table.columns))]
    for place in saying_nothing_new:
        if _free_room(width, [widths[kept].whole for kept in places]) >= 0:
            break
        places.remove(place)
    parts = _divide(table, places, widths, width)
    for place in least_important:
        if len(parts) <= _MOST_PARTS:
            break
        places.remove(place)
        parts = _divide(table, places, widths, width)
    return parts


def _draw(table: _WrittenTable, part: Sequence[_ShownColumn]) -> Grid:
    """Return a part of a table as it is printed."""
    grid = Grid()
    for place, width in part:
        column = table.columns[place]
        may_be_cut = column.least is not None
        grid.add_column(
            Text(table.headers[place]),
            justify="left" if column.spec is None else "right",
            width=width,
            overflow="ellipsis" if may_be_cut else "fold",
            no_wrap=may_be_cut,
        )
    for row in table.rows:
        cells = []
        for place, width in part:
            may_be_cut = table.columns[place].least is not None
            cells.append(Text(_cut(row[place], width) if may_be_cut else row[place]))
        grid.add_row(*cells)
    return grid


def _cut(text: str, width: int) -> str:
    """Return a text that is at most that wide: a longer one loses its middle, as names need it."""
    if len(text) <= width:
        return text
    end = (width - 1) // 2
    return f"{text[: width - 1 - end]}…{text[len(text) - end :]}"


def _free_room(width: int, of_columns: Iterable[int]) -> int:
    """Return what columns of some widths leave free of a width; below 0 if they do not fit."""
    return width - 1 - sum(of_column + _BORDER for of_column in of_columns)


def _divide(
    table: _WrittenTable, places: Sequence[int], widths: Sequence[_Width], width: int
) -> list[list[_ShownColumn]]:
    """Divide some columns of a table into parts that fit into a width.

    Each part repeats the columns that name the rows. ``widths`` are those of all columns.
    """
    keys = [place for place in places if place == 0 or table.columns[place].key]
    narrowest = _fold_longest_key(keys, [column.narrowest for column in widths], width)
    parts = [[*keys]]
    for group in _group_joined(table, places):
        added = [place for place in group if place not in keys]
        last = parts[-1]
        has_only_keys = len(last) == len(keys)
        if not has_only_keys and _free_room(width, [narrowest[n] for n in (*last, *added)]) < 0:
            parts.append([*keys])
        parts[-1] += added
    return [_widen(sorted(part), narrowest, widths, width) for part in parts]


def _fold_longest_key(keys: Collection[int], narrowest: Sequence[int], width: int) -> list[int]:
    """Return the least widths of all columns, after those of ``keys`` were lessened, if need be.

    The columns that name the rows must leave a third of the width to the others, as far as that is
    possible; the widest of them is folded first.
    """
    folded = [*narrowest]
    while _free_room(width, [folded[place] for place in keys]) < width // 3:
        widest = max(keys, key=lambda place: folded[place])
        if folded[widest] <= _NARROWEST_KEY:
            break
        folded[widest] -= 1
    return folded


def _group_joined(table: _WrittenTable, places: Sequence[int]) -> list[list[int]]:
    """Return columns in groups that stay together: a joined one with the column before it."""
    groups: list[list[int]] = []
    for place in places:
        is_next = bool(groups) and groups[-1][-1] == place - 1
        if table.columns[place].joined and is_next:
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _widen(
    part: Sequence[int], narrowest: Sequence[int], widths: Sequence[_Width], width: int
) -> list[_ShownColumn]:
    """Return the columns of a part of a table as wide as they can be within a width.

    ``narrowest`` and ``widths`` are those of all columns of the table.
    """
    least = [narrowest[place] for place in part]
    room = _free_room(width, least)
    if room < 0:  # Even alone, a name is too long.
        widest = least.index(max(least))
        least[widest] = max(1, least[widest] + room)
    widened = share_room(least, [widths[place].full for place in part], room)
    return [_ShownColumn(place, widened[number]) for number, place in enumerate(part)]


def share_room(least: Sequence[int], full: Sequence[int], room: int) -> list[int]:
    """Return the widths of columns after they have shared some room evenly.

    Each begins at its ``least`` width, and none grows beyond its ``full`` one.
    """
    widths = [*least]
    while room > 0:
        growing = [place for place, width in enumerate(widths) if width < full[place]]
        if not growing:
            break
        for place in growing:
            share = max(1, room // len(growing))
            more = min(share, full[place] - widths[place], room)
            widths[place] += more
            room -= more
    return widths
