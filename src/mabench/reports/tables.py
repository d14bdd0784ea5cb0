"""Tables of typed columns: a column is declared once, and every format takes it from there.

Wherever sources of made-up rows are shown, their titles replace their names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import itemgetter
from typing import Generic, Literal, NamedTuple, Never, TypeVar, cast

from mabench.json_text import JsonRecord
from mabench.printable import printable, printable_each
from mabench.results import Measure, ScoreSummary

NONE = "-"
Value = str | int | float | Measure | None
# Fields that hold no names of sources for a reader.
_UNTITLED = ("name", "drawing", "strips")
_T = TypeVar("_T")
_T_contra = TypeVar("_T_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Column(Generic[_T_contra]):
    """A column of a table."""

    title: str
    value: Callable[[_T_contra], Value]  # Of the item of a row; a text is printed as it is.
    spec: str | None = None  # How ``format`` prints a number; None for a column of texts.
    missing: str = NONE  # What is printed for no value.
    formats: Collection[str] | None = None  # The formats that have it, or `page`; None for all.
    # When the table has it: if a value is ``known``, if ``several`` differ, or by a test.
    when: Callable[[Sequence[_T_contra]], bool] | Literal["known", "several"] | None = None
    # Its rank when columns of a table that is too wide are left out: 1 goes first, 0 stays. From -1
    # on it goes only if the table would have more than two parts.
    drop_rank: Callable[[Sequence[_T_contra]], int] | None = None
    # To how few characters its texts may be cut; None if they are folded instead.
    least: int | None = None
    key: bool = False  # Whether it names a row, as the first column always does.

    def plain(self, value: Value) -> str | int | float:
        """Return a value as a program reads it, without control characters."""
        value = value.value if isinstance(value, Measure) else value
        if value is None:
            value = "" if self.missing == NONE else self.missing
        if isinstance(value, str):
            return printable(value)
        return float(f"{value:.6g}") if isinstance(value, float) else value

    def text(self, value: Value) -> str:
        """Return a value as it is printed, without control characters."""
        return printable(self._write(value))

    def _write(self, value: Value) -> str:
        """Return a value as text, with whatever control characters it holds."""
        if value is None:
            return self.missing
        if isinstance(value, str):
            return value
        return format(value, self.spec or "").replace("%", " %")


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
        """The cells as text."""
        written = [[*map(Column._write, self.columns, row)] for row in self.values]
        return [tuple(printable_each(row)) for row in written]

    @property
    def plain_rows(self) -> list[list[str | int | float]]:
        """The cells as programs read them."""
        return [[*map(Column.plain, self.columns, row)] for row in self.values]

    def in_format(self, name: str) -> Table:
        """Return the table with the columns that a format has."""
        has = [column.formats is None or name in column.formats for column in self.columns]
        rows = [[*compress(row, has)] for row in self.values]
        return Table([*compress(self.columns, has)], rows, [*compress(self.ranks, has)])


def tabulate(columns: Iterable[Column[_T]], items: Iterable[_T]) -> Table:
    """Return a table with a row for each item, and the columns that apply to them."""
    listed = list(items)
    applying = [one for one in columns if not callable(one.when) or one.when(listed)]
    values = [[column.value(item) for column in applying] for item in listed]
    least = {"known": 1, "several": 2}  # How many values a column needs, apart from None.

    def has_enough(place: int, column: Column[_T]) -> bool:
        if callable(column.when) or column.when is None:
            return True
        return len({row[place] for row in values} - {None}) >= least[column.when]

    has = [has_enough(place, column) for place, column in enumerate(applying)]
    telling = [*compress(applying, has)]
    rows = [[*compress(row, has)] for row in values]
    return Table(telling, rows, [c.drop_rank(listed) if c.drop_rank else 0 for c in telling])


def plain_table(
    titles: Sequence[str], rows: Iterable[Sequence[Value]], texts: Collection[int] | None = None
) -> Table:
    """Return a table of rows of values.

    ``texts`` are the places of the columns of texts; by default, of those that hold a text.
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
    """Return a row for each record, with a column for each of its fields; there is one at least."""
    names = [*records[0].as_dict()]
    return plain_table(names, [[record[name] for name in names] for record in records])


def titles_of(summaries: Iterable[ScoreSummary]) -> dict[str, str]:
    """Return the titles of the sources of made-up rows in some summaries, by name."""
    return {name: title for each in summaries for name, title in (each.titles or {}).items()}


def retitle(value: _T, titles: Mapping[str, str]) -> _T:
    """Return a table, a report or a text with titles in place of names, except in drawings.

    Tables have whole titles, sentences have them without the words that all titles share.
    """
    shown: object = value
    if isinstance(value, str):
        text = str(value)
        for name, title in titles.items():
            brief = title.replace(", made up", "").replace(", ", " of ", 1).replace("\\", "")
            text = re.sub(rf"(?<![\w*/]){re.escape(name)}(?![\w*])", brief, text)
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
        parts = {name: part for name, part in shown._asdict().items() if name not in _UNTITLED}
        shown = shown._replace(**{name: retitle(part, titles) for name, part in parts.items()})
    elif isinstance(value, list | tuple):
        shown = [retitle(part, titles) for part in value]
    return cast(_T, shown)
