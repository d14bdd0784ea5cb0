"""Tables of typed columns: a column is declared once, and every format takes it from there.

Titles of sources of made-up rows stand in the place of their names, wherever these are shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import itemgetter
from typing import Generic, Literal, NamedTuple, Never, TypeVar, cast

from mabench.json_text import JsonRecord
from mabench.printable import printable
from mabench.results import Measure, ScoreSummary

NONE = "-"
Value = str | int | float | Measure | None
_UNTITLED = ("name", "drawing", "strips")  # Fields without names of sources that a reader sees.
_T = TypeVar("_T")
_T_contra = TypeVar("_T_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Column(Generic[_T_contra]):
    """A column of a table, or a figure that is printed wherever it is known."""

    title: str
    value: Callable[[_T_contra], Value]  # Of what a row is about; a text is printed as it is.
    spec: str | None = None  # How ``format`` prints a number; None for a column of texts.
    missing: str = NONE  # What is printed where there is no value.
    formats: Collection[str] | None = None  # That have it, or `page`; None for all.
    # Whether it says anything of these: where a value is known, where several differ, or by a test.
    when: Callable[[Sequence[_T_contra]], bool] | Literal["known", "several"] | None = None
    # What becomes of it where a table is too wide: how early it goes, 1 first, or 0 where it says
    # something new, and from -1 on where the table would else have more than two parts; to how few
    # characters its texts may be cut; else they are folded.
    spare: Callable[[Sequence[_T_contra]], int] | None = None
    least: int | None = None
    key: bool = False  # Whether it names a row, as the first column always does.

    def plain(self, value: Value) -> str | int | float:
        """Return a value as a program reads it: a number as one, a text for no terminal to obey."""
        value = value.value if isinstance(value, Measure) else value
        if value is None:
            value = "" if self.missing == NONE else self.missing
        if isinstance(value, str):
            return printable(value)
        return float(f"{value:.6g}") if isinstance(value, float) else value

    def text(self, value: Value) -> str:
        """Return a value as it is printed, without what a terminal obeys."""
        if value is None:
            return self.missing
        if isinstance(value, str):
            return printable(value)
        return format(value, self.spec or "").replace("%", " %")


class Table(NamedTuple):
    """A table: its columns, and the values of each row."""

    columns: Sequence[Column[Never]]
    values: Sequence[Sequence[Value]]
    ranks: Sequence[int] = ()  # What ``Column.spare`` says of each column.

    @property
    def headers(self) -> list[str]:
        """The titles of the columns."""
        return [printable(column.title) for column in self.columns]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        return [column.spec is not None for column in self.columns]

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells as text."""
        return [tuple(map(Column.text, self.columns, row)) for row in self.values]

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
    """Return a table with a row for each item, and the columns that say anything of them."""
    listed = list(items)

    def tells(column: Column[_T]) -> bool:
        if column.when is None or callable(column.when):
            return column.when is None or column.when(listed)
        return len({*map(column.value, listed)} - {None}) > (column.when == "several")

    telling = [*filter(tells, columns)]
    values = [[column.value(item) for column in telling] for item in listed]
    return Table(telling, values, [c.spare(listed) if c.spare else 0 for c in telling])


def plain_table(
    titles: Sequence[str], rows: Iterable[Sequence[Value]], texts: Collection[int] | None = None
) -> Table:
    """Return a table of rows of values; ``texts`` are the places of columns of texts, if not all.

    By default those that hold a text are.
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
    """Return what the sources of made-up rows in some summaries are called."""
    return {name: title for each in summaries for name, title in (each.titles or {}).items()}


def retitle(value: _T, titles: Mapping[str, str]) -> _T:
    """Return what is shown with titles in the place of names, but for what is drawn already.

    They stand whole in tables, and brief, without what all of them say, in sentences.
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
