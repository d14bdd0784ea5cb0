"""Tables of typed columns: each column is declared once, for all formats.

Sources of made-up rows are shown by their titles, in place of their names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import itemgetter
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, Never, TypeVar, cast

from mabench.json_text import JsonRecord
from mabench.printable import printable, printable_each, write_number
from mabench.results import Measure

if TYPE_CHECKING:
    from mabench.results import ScoreSummary

NONE = "-"
# The formats for readers, which have no use for a column without a value.
_FOR_READERS = ("table", "markdown", "latex", "page")
Value = str | int | float | Measure | None
# Fields of a report in which names of sources are not replaced.
_NOT_RETITLED = ("name", "drawing", "strips")
_T = TypeVar("_T")
_T_contra = TypeVar("_T_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Column(Generic[_T_contra]):
    """A column of a table."""

    title: str
    value: Callable[[_T_contra], Value]  # Returns the cell of an item.
    spec: str | None = None  # How ``format`` prints a number; None for a column of texts.
    missing: str = NONE  # What is printed for no value.
    formats: Collection[str] | None = None  # The formats that have it, or `page`; None for all.
    # When the column is shown: if any value is ``known``, if ``several`` values differ, or if this
    # function says so of the items; None for always.
    when: Callable[[Sequence[_T_contra]], bool] | Literal["known", "several"] | None = None
    # Returns the rank in which columns are left out of a table that is too wide: 1 goes first, 0
    # stays. Negative ranks go only from a table of more than two parts: -1 goes first.
    drop_rank: Callable[[Sequence[_T_contra]], int] | None = None
    # The least number of characters to which texts are cut; None: they are folded instead.
    least: int | None = None
    key: bool = False  # Whether it names a row, as the first column always does.
    # Whether it belongs to the column before it, as the interval of a figure does: a table that is
    # printed in parts keeps the two together.
    joined: bool = False

    def plain(self, value: Value) -> str | int | float:
        """Return a cell for programs: a number, or a text without control characters."""
        if isinstance(value, Measure):
            value = value.value
        if value is None:
            value = "" if self.missing == NONE else self.missing
        if isinstance(value, str):
            return printable(value)
        return float(f"{value:.6g}") if isinstance(value, float) else value

    def text(self, value: Value) -> str:
        """Return a cell for readers, without control characters."""
        return printable(self._write(value))

    def _write(self, value: Value) -> str:
        """Return a cell as text, perhaps with control characters."""
        if value is None:
            return self.missing
        if isinstance(value, str):
            return value
        spec = self.spec or ""
        written = write_number(value, spec) if isinstance(value, float) else format(value, spec)
        return written.replace("%", " %")


class Table(NamedTuple):
    """A table: its columns, and the values of each row."""

    columns: Sequence[Column[Never]]
    values: Sequence[Sequence[Value]]
    ranks: Sequence[int] = ()  # The rank of each column, from ``Column.drop_rank``.

    @property
    def headers(self) -> list[str]:
        """The titles of the columns."""
        return printable_each([column.title for column in self.columns])

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        return [column.spec is not None for column in self.columns]

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells for readers."""
        written = [[*map(Column._write, self.columns, row)] for row in self.values]
        return [tuple(printable_each(row)) for row in written]

    @property
    def plain_rows(self) -> list[list[str | int | float]]:
        """The cells for programs."""
        return [[*map(Column.plain, self.columns, row)] for row in self.values]

    def in_format(self, name: str) -> Table:
        """Return the table with only the columns of a format; for readers, without empty ones."""
        has = [column.formats is None or name in column.formats for column in self.columns]
        if name in _FOR_READERS and self.values:
            empty = [{*cells} <= {"", NONE} for cells in zip(*self.rows, strict=True)]
            has = [one and not (place and empty[place]) for place, one in enumerate(has)]
        rows = [[*compress(row, has)] for row in self.values]
        return Table([*compress(self.columns, has)], rows, [*compress(self.ranks, has)])


def tabulate(columns: Iterable[Column[_T]], items: Iterable[_T]) -> Table:
    """Return a table with a row for each item, and the columns that apply to them."""
    listed = list(items)
    allowed = [one for one in columns if not callable(one.when) or one.when(listed)]
    values = [[column.value(item) for column in allowed] for item in listed]
    least = {"known": 1, "several": 2}  # How many different values a column needs.

    def has_enough_values(place: int, column: Column[_T]) -> bool:
        if callable(column.when) or column.when is None:
            return True
        return len({row[place] for row in values} - {None}) >= least[column.when]

    is_shown = [has_enough_values(place, column) for place, column in enumerate(allowed)]
    shown = [*compress(allowed, is_shown)]
    rows = [[*compress(row, is_shown)] for row in values]
    ranks = [column.drop_rank(listed) if column.drop_rank else 0 for column in shown]
    return Table(shown, rows, ranks)


def plain_table(
    titles: Sequence[str], rows: Iterable[Sequence[Value]], texts: Collection[int] | None = None
) -> Table:
    """Return a table of rows of cells.

    ``texts`` are the places of the columns with texts; by default, all that contain a text.
    """
    listed = list(rows)
    if texts is None:
        texts = [n for n in range(len(titles)) if any(isinstance(row[n], str) for row in listed)]
    columns: list[Column[Sequence[Value]]] = [
        Column(title, itemgetter(place), None if place in texts else "")
        for place, title in enumerate(titles)
    ]
    return tabulate(columns, listed)


def record_table(records: Sequence[JsonRecord]) -> Table:
    """Return a table with a row for each record, of one at least, and a column for each field."""
    names = [*records[0].as_dict()]
    return plain_table(names, [[record[name] for name in names] for record in records])


def titles_of(summaries: Iterable[ScoreSummary]) -> dict[str, str]:
    """Return the titles of sources of made-up rows in some summaries, by name."""
    titles: dict[str, str] = {}
    for summary in summaries:
        titles |= summary.titles or {}
    return titles


def retitle(value: _T, titles: Mapping[str, str]) -> _T:
    """Return a table, a report or a text with titles in place of the names of sources.

    Tables get whole titles; sentences get them without the words that all titles share.
    """
    shown: object = value
    if isinstance(value, str):
        text = str(value)
        for name, title in titles.items():
            short = re.sub(r", (?=\d)", " of ", title.replace(", made up", ""), count=1)
            short = short.replace("\\", "")
            text = re.sub(rf"(?<![\w*/]){re.escape(name)}(?![\w*])", short, text)
        shown = text
    elif isinstance(value, Table):
        columns = []
        for column in value.columns:
            name, *rest = column.title.partition(" ")
            columns.append(replace(column, title="".join([titles.get(name, name), *rest])))
        rows = (
            [titles.get(cell, cell) if isinstance(cell, str) else cell for cell in row]
            for row in value.values
        )
        shown = value._replace(columns=columns, values=[*rows])
    elif hasattr(shown, "_asdict") and hasattr(shown, "_replace"):  # A named tuple.
        parts = {name: part for name, part in shown._asdict().items() if name not in _NOT_RETITLED}
        shown = shown._replace(**{name: retitle(part, titles) for name, part in parts.items()})
    elif isinstance(value, list | tuple):
        shown = [retitle(part, titles) for part in value]
    return cast(_T, shown)
