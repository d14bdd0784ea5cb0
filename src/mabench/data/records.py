"""A row as it was read, before anything is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mabench.data.problems import Problem
from mabench.data.schema import RowContent

ALL_FIELDS = tuple(RowContent.model_fields)
# Those of every row; the others are what other benchmarks add.
FIELDS = tuple(name for name in ALL_FIELDS if RowContent.model_fields[name].is_required())


class Record(NamedTuple):
    """A row as read: ``row`` counts from 0 within ``file``; ``split`` is what its place names."""

    file: str
    row: int
    split: str | None
    content: object

    def error(self, field: str | None, found: str, expected: str) -> Problem:
        """Return an error at this row."""
        return Problem("error", self.file, self.row, field, found, expected)

    def warning(self, field: str | None, found: str, expected: str) -> Problem:
        """Return a warning at this row."""
        return Problem("warning", self.file, self.row, field, found, expected)


def items_of(value: object) -> list[object]:
    """Return ``value`` when it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def fields_of(value: object) -> Mapping[str, object]:
    """Return ``value`` when it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}
