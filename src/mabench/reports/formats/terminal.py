"""Prints reports on a terminal, with tables that fit its width.

Cells are printed as text, never read as markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Never

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from mabench.printable import printable
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table

# Characters that a column takes besides its text.
_BORDER = 3
# Characters to which a column of long texts may be narrowed.
_NARROWEST_TEXT = 25
# Characters to which a column that names the rows may be narrowed.
_NARROWEST_KEY = 12
# Shorter texts count as names: other columns are left out before a name is folded.
_LONGEST_NAME = 40


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
    if len(table.columns) == 1 and table.values:
        values = ", ".join(cell for (cell,) in table.rows)
        console.print(Text(f"{table.headers[0]}: {values}"))
        return
    headers, rows = table.headers, table.rows
    columns = [
        _Width.of(column, header, [row[place] for row in rows])
        for place, (column, header) in enumerate(zip(table.columns, headers, strict=True))
    ]
    keys = [place for place, column in enumerate(table.columns) if column.key or not place]
    places, ranks = [*range(len(columns))], dict(enumerate(table.ranks))
    # The columns to leave out, the first one first; see ``Column.drop_rank``.
    by_rank = sorted(ranks, key=lambda place: abs(ranks[place]))
    saying_nothing_new = [place for place in by_rank if ranks[place] > 0]
    least_important = [place for place in by_rank if ranks[place] < 0]
    while saying_nothing_new:
        if _room(console.width, [columns[place].whole for place in places]) >= 0:
            break
        places.remove(saying_nothing_new.pop(0))
    joined = [place for place, column in enumerate(table.columns) if column.joined]

    def split() -> list[list[tuple[int, int]]]:
        return _split(columns, _join(places, joined), keys, console.width)

    parts = split()
    while len(parts) > 2 and least_important:
        places.remove(least_important.pop(0))
        parts = split()
    for part in parts:
        grid = Grid()
        for place, width in part:
            is_text = table.columns[place].spec is None
            may_be_cut = table.columns[place].least is not None
            grid.add_column(
                Text(headers[place]),
                justify="left" if is_text else "right",
                width=width,
                overflow="ellipsis" if may_be_cut else "fold",
                no_wrap=may_be_cut,
            )
        for row in rows:
            cells = [(row[place], table.columns[place].least, width) for place, width in part]
            grid.add_row(
                *[
                    Text(text if least is None else _cut(text, width))
                    for text, least, width in cells
                ]
            )
        console.print(grid)


def _cut(text: str, width: int) -> str:
    """Return a text that is at most that wide: a longer one loses its middle, as names need it."""
    if len(text) <= width:
        return text
    end = (width - 1) // 2
    return f"{text[: width - 1 - end]}…{text[len(text) - end :]}"


class _Width(NamedTuple):
    """The widths that a column can have, in characters."""

    full: int  # With nothing folded or cut.
    least: int  # The narrowest.
    whole: int  # With names whole; columns that say nothing new are left out before it shrinks.

    @classmethod
    def of(cls, column: Column[Never], header: str, cells: Sequence[str]) -> _Width:
        """Return the widths of a column. In a column of numbers only the header can be folded."""
        from rich.cells import cell_len

        full = max(map(cell_len, (header, *cells)))
        if column.least is not None:
            least = min(full, max(column.least, cell_len(header)))
            return cls(full, least, max(least, min(full, _LONGEST_NAME)))
        is_text = column.spec is None
        unbroken = " ".join(cells).split() if is_text else cells
        least = max(map(cell_len, [*header.split(), *unbroken]), default=1)
        if is_text:
            least = max(least, min(full, _NARROWEST_TEXT))
        return cls(full, least, max(least, min(full, _LONGEST_NAME)))


def _room(width: int, widths: Iterable[int]) -> int:
    """Return how many characters of a width some columns leave free."""
    return width - 1 - sum(width + _BORDER for width in widths)


def _join(places: Sequence[int], joined: Sequence[int]) -> list[list[int]]:
    """Return the columns in groups that stay together: of ``joined`` each with the one before."""
    groups = list[list[int]]()
    for place in places:
        if place in joined and groups and groups[-1][-1] == place - 1:
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _split(
    columns: Sequence[_Width], together: Sequence[Sequence[int]], keys: Sequence[int], width: int
) -> list[list[tuple[int, int]]]:
    """Divide a table into parts that fit into a width.

    Return the places and widths of the columns of each part. Columns that are ``together`` are in
    one part. ``keys`` are the columns that name the rows: each part repeats them.
    """
    least = [column.least for column in columns]

    def room(group: Iterable[int]) -> int:
        return _room(width, [least[place] for place in group])

    named = [place for group in together for place in group if place in keys]
    # The names must leave room for other columns: the longest are folded.
    while room(named) < width // 3 and max(least[place] for place in named) > _NARROWEST_KEY:
        least[max(named, key=least.__getitem__)] -= 1
    groups = [named]
    for some in together:
        others = [place for place in some if place not in named]
        if len(groups[-1]) > len(named) and room([*groups[-1], *others]) < 0:
            groups.append(named)
        groups[-1] = [*groups[-1], *others]
    parts = []
    for group in map(sorted, groups):
        widths, left = [least[place] for place in group], room(group)
        if left < 0:  # Even alone, a name is too long.
            widest = widths.index(max(widths))
            widths[widest] = max(1, widths[widest] + left)
        grown = share_room(widths, [columns[place].full for place in group], left)
        parts.append([*zip(group, grown, strict=True)])
    return parts


def share_room(widths: Sequence[int], full: Sequence[int], room: int) -> list[int]:
    """Widen columns evenly until the room is used, none beyond its ``full`` width."""
    widths = [*widths]
    while room > 0:
        growing = [place for place, width in enumerate(widths) if width < full[place]]
        if not growing:
            break
        for place in growing:
            more = min(max(1, room // len(growing)), full[place] - widths[place], room)
            widths[place] += more
            room -= more
    return widths
