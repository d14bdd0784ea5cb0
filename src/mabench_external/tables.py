"""Reads the tables and the lines of benchmarks, so that a fault names file, row and column."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from mabench.data.descriptions.parts import AGAIN, FieldError, JsonPart
from mabench.data.records import Record
from mabench.errors import reason
from mabench.json_text import from_json
from mabench.text import read_literal
from mabench.userfile import lines_in, open_file

T = TypeVar("T")
_LONGEST_CELL = 1 << 24
_LONGEST_LITERAL = 1 << 20
_LONGEST_LINE = 1 << 16


def csv_rows(file: Path, columns: Sequence[str]) -> Iterator[JsonPart]:
    """Yield the rows of a CSV table, each as an object of texts by column.

    Raises ``FieldError`` for a file that is no such table or lacks one of the columns.
    """
    csv.field_size_limit(_LONGEST_CELL)
    whole = Record(str(file), 0, None, None)
    try:
        with open_file(file) as stream, io.TextIOWrapper(stream, "utf-8-sig", newline="") as text:
            reader = csv.DictReader(text, strict=True)
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                expected = f"a column {missing[0]}; {AGAIN}"
                raise FieldError(whole.error(None, "no such column", expected))
            for number, row in enumerate(reader):
                record = whole._replace(row=number)
                if None in row or None in row.values():
                    found = "another number of cells than columns"
                    raise FieldError(record.error(None, found, f"one cell a column; {AGAIN}"))
                yield JsonPart(record, dict(row))
    except (OSError, ValueError, csv.Error) as error:
        if isinstance(error, FieldError):
            raise
        expected = f"a CSV table in UTF-8; {AGAIN}"
        raise FieldError(whole.error(None, reason(error), expected)) from error


def first_line(file: Path) -> str:
    """Return the beginning of the first line of a file; empty if it cannot be read."""
    try:
        with open_file(file) as stream:
            return stream.readline(_LONGEST_LINE).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def json_lines(file: Path, start: int = 0) -> Iterator[JsonPart]:
    """Yield the objects of a file with one on each line, from the byte ``start`` on.

    Raises ``FieldError`` as ``csv_rows``; a fault names the line, counted from ``start``.
    """
    number = 0
    try:
        with open_file(file) as stream:
            stream.seek(start)
            for number, line in enumerate(line for line in lines_in(stream) if line.strip()):
                record = Record(str(file), number, None, None)
                yield JsonPart(record, from_json(line, distinct_keys=True))
    except (OSError, ValueError) as error:
        if isinstance(error, FieldError):
            raise
        record = Record(str(file), number, None, None)
        expected = f"one whole JSON object on each line; {AGAIN}"
        raise FieldError(record.error(None, reason(error), expected)) from error


def line_starts(file: Path, field: str) -> dict[str, int]:
    """Return where each line begins, in bytes, by a field of its object; raise as ``csv_rows``."""
    starts: dict[str, int] = {}
    place = 0
    record = Record(str(file), 0, None, None)
    try:
        with open_file(file) as stream:
            for number, line in enumerate(lines_in(stream)):
                if line.strip():
                    record = record._replace(row=number)
                    starts[JsonPart(record, from_json(line))[field].of(str)] = place
                place += len(line)
    except (OSError, ValueError) as error:
        if isinstance(error, FieldError):
            raise
        expected = f"one whole JSON object on each line; {AGAIN}"
        raise FieldError(record.error(None, reason(error), expected)) from error
    return starts


def whole_number(cell: JsonPart) -> int:
    """Return a whole number, or a text of its digits; raise as ``JsonPart.of``."""
    value = cell.value
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise cell.fault("a whole number")


def literal(cell: JsonPart, kind: type[T]) -> T:
    """Return what a Python or JSON literal in a cell means; raise as ``JsonPart.of``."""
    text = cell.of(str)
    try:
        value: object = from_json(text)
    except (ValueError, RecursionError):
        value = read_literal(text, _LONGEST_LITERAL)
    if not isinstance(value, kind):
        raise cell.fault(f"a {kind.__name__} as Python or JSON writes it")
    return value
