"""Tables of typed columns: each column says once what its cells are and how formats show them.

``retitle`` puts the titles of sources of made-up rows in place of their names, in any report.
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

# What a cell without a value shows to readers.
NONE = "-"
# The formats for people, who have no use for a column without a value.
_FOR_READERS = ("table", "markdown", "latex", "page")
Value = str | int | float | Measure | None
# Fields of a report in which names of sources are not replaced.
_NOT_RETITLED = ("name", "drawing", "strips")
_T = TypeVar("_T")
_T_contra = TypeVar("_T_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Column(Generic[_T_contra]):
    """A column of a table: the cell that each item has in it, and how formats show it.

    An item is what a row of the table is about, such as a source or a run.
    """

    title: str
    value: Callable[[_T_contra], Value]  # Returns the cell of an item.
    # How ``format`` prints a number; empty for a number as it is, None for a column of texts.
    spec: str | None = None
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

    def is_empty(self, values: Iterable[Value]) -> bool:
        """Return whether readers would see nothing, or only that there is nothing."""
        return {self.missing if value is None else value for value in values} <= {"", NONE}

    def plain(self, value: Value) -> str | int | float:
        """Return a cell for programs: a number, or a text without control characters.

        A measure loses its interval, and a float has six digits. A cell without a value is empty,
        but for a column with words of its own for that.
        """
        content = value.value if isinstance(value, Measure) else value
        if content is None:
            return "" if self.missing == NONE else printable(self.missing)
        if isinstance(content, str):
            return printable(content)
        if isinstance(content, float):
            return float(f"{content:.6g}")
        return content

    def text(self, value: Value) -> str:
        """Return a cell for readers, without control characters."""
        return printable(self.raw_text(value))

    def raw_text(self, value: Value) -> str:
        """Return a cell for readers, perhaps with control characters of somebody's text."""
        if value is None:
            return self.missing
        if isinstance(value, str):
            return value
        spec = self.spec or ""
        written = write_number(value, spec) if isinstance(value, float) else format(value, spec)
        return written.replace("%", " %")  # Python writes 50%, reports 50 %.


class Table(NamedTuple):
    """A table: its columns, and the values of each row."""

    columns: Sequence[Column[Never]]
    values: Sequence[Sequence[Value]]  # By row, one for each column.
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
        """The cells of each row for readers, without control characters."""
        rows = []
        for row in self.values:
            texts = [
                column.raw_text(value) for column, value in zip(self.columns, row, strict=True)
            ]
            rows.append(tuple(printable_each(texts)))
        return rows

    @property
    def plain_rows(self) -> list[list[str | int | float]]:
        """The cells of each row for programs, as ``Column.plain`` returns them."""
        return [
            [column.plain(value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.values
        ]

    def keep_columns(self, is_kept: Sequence[bool]) -> Table:
        """Return the table without some columns; ``is_kept`` says of each whether it stays."""
        return Table(
            columns=[*compress(self.columns, is_kept)],
            values=[[*compress(row, is_kept)] for row in self.values],
            ranks=[*compress(self.ranks, is_kept)],
        )

    def in_format(self, name: str) -> Table:
        """Return the table with only the columns of a format.

        In a format for readers, columns without any value are left out, too. The first column
        stays, since it names the rows.
        """
        is_shown = [column.formats is None or name in column.formats for column in self.columns]
        if name in _FOR_READERS and self.values:
            values_by_column = zip(*self.values, strict=True)
            for place, values in enumerate(values_by_column):
                if place > 0 and self.columns[place].is_empty(values):
                    is_shown[place] = False
        return self.keep_columns(is_shown)


def tabulate(columns: Iterable[Column[_T]], items: Iterable[_T]) -> Table:
    """Return a table with a row for each item, and the columns whose ``when`` holds for them."""
    listed = list(items)
    asked = [column for column in columns if not callable(column.when) or column.when(listed)]
    rows = [[column.value(item) for column in asked] for item in listed]
    is_shown = [
        _has_enough_values(column, [row[place] for row in rows])
        for place, column in enumerate(asked)
    ]
    ranks = [column.drop_rank(listed) if column.drop_rank else 0 for column in asked]
    return Table(asked, rows, ranks).keep_columns(is_shown)


def _has_enough_values(column: Column[_T], values: Sequence[Value]) -> bool:
    """Return whether a column has as many different values as its ``when`` asks for."""
    different = {value for value in values if value is not None}
    if column.when == "known":
        return len(different) >= 1
    if column.when == "several":
        return len(different) >= 2
    return True


def plain_table(
    titles: Sequence[str], rows: Iterable[Sequence[Value]], texts: Collection[int] | None = None
) -> Table:
    """Return a table of rows whose cells are known already, under the titles of the columns.

    ``texts`` are the places of the columns with texts, from 0; the others hold numbers. By default
    every column that has a text in any row counts as one with texts.
    """
    listed = list(rows)
    if texts is None:
        places = range(len(titles))
        texts = [n for n in places if any(isinstance(row[n], str) for row in listed)]
    columns: list[Column[Sequence[Value]]] = [
        Column(title, itemgetter(place), spec=None if place in texts else "")
        for place, title in enumerate(titles)
    ]
    return tabulate(columns, listed)


def record_table(records: Sequence[JsonRecord]) -> Table:
    """Return a table with a row for each record and a column for each field of the first one.

    There must be a record, and all must be of one class.
    """
    fields = list(records[0].as_dict())
    return plain_table(fields, [[record[field] for field in fields] for record in records])


def titles_of(summaries: Iterable[ScoreSummary]) -> dict[str, str]:
    """Return the titles of sources of made-up rows in some summaries, by the source's name."""
    titles: dict[str, str] = {}
    for summary in summaries:
        titles |= summary.titles or {}
    return titles


def retitle(shown: _T, titles: Mapping[str, str]) -> _T:
    """Return what a reader is shown, with titles in place of the names of sources.

    ``shown`` is a text or a table, or has some in it: a report, a section of a page or a list. Any
    other value is returned as it is. Tables get whole titles; sentences get them without the words
    that all titles share. ``titles`` are by the source's name.
    """
    retitled: object = shown
    if isinstance(shown, str):
        retitled = _retitle_text(shown, titles)
    elif isinstance(shown, Table):
        retitled = _retitle_table(shown, titles)
    elif hasattr(retitled, "_asdict") and hasattr(retitled, "_replace"):  # A named tuple.
        fields = {
            field: retitle(part, titles)
            for field, part in retitled._asdict().items()
            if field not in _NOT_RETITLED
        }
        retitled = retitled._replace(**fields)
    elif isinstance(shown, list | tuple):
        retitled = [retitle(part, titles) for part in shown]
    return cast(_T, retitled)


def _retitle_text(text: str, titles: Mapping[str, str]) -> str:
    """Return a sentence with short titles: ``ruler_qa1 of 8k`` for ``ruler_qa1, 8k, made up``.

    A name is replaced only where it is not a part of a longer one.
    """
    retitled = str(text)  # Without the type of an enumeration.
    for name, title in titles.items():
        without_made_up = title.replace(", made up", "")
        short = re.sub(r", (?=\d)", " of ", without_made_up, count=1)
        short = short.replace("\\", "")  # It would be an escape in a replacement.
        retitled = re.sub(rf"(?<![\w*/]){re.escape(name)}(?![\w*])", short, retitled)
    return retitled


def _retitle_table(table: Table, titles: Mapping[str, str]) -> Table:
    """Return a table with whole titles, in cells that are a name and at the start of headers."""
    columns = []
    for column in table.columns:
        first_word, space, rest = column.title.partition(" ")
        header = f"{titles.get(first_word, first_word)}{space}{rest}"
        columns.append(replace(column, title=header))
    rows = [
        [titles.get(cell, cell) if isinstance(cell, str) else cell for cell in row]
        for row in table.values
    ]
    return table._replace(columns=columns, values=rows)
