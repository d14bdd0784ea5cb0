"""Reads published CSV tables and JSON-lines files, so that an error names file, row and column.

A ``Record`` is a row of a file by its number, from 0. A ``JsonPart`` is a value in a row: a whole
object or one of its fields. ``part.of(str)`` is its value, or a ``FieldError`` that says where
something else was found.
"""

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
# Far above what the published files have, so that a damaged file fills no memory.
_LONGEST_CELL = 1 << 24  # Characters.
_LONGEST_LITERAL = 1 << 20  # Characters.
_LONGEST_LINE = 1 << 16  # Bytes.
_MOST_DIGITS = 9


def csv_rows(file: Path, columns: Sequence[str]) -> Iterator[JsonPart]:
    """Yield the rows of a CSV table, each as an object of texts by column.

    Raises ``FieldError`` for a file that is no such table or lacks one of the columns.
    """
    csv.field_size_limit(_LONGEST_CELL)
    first_record = _record_of(file, 0)
    try:
        with open_file(file) as stream, io.TextIOWrapper(stream, "utf-8-sig", newline="") as text:
            reader = csv.DictReader(text, strict=True)
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                expected = f"a column {missing[0]}; {AGAIN}"
                raise FieldError(first_record.error(None, "no such column", expected))
            for number, cells in enumerate(reader):
                record = _record_of(file, number)
                # DictReader puts surplus cells under the key None, and None for missing cells.
                if None in cells or None in cells.values():
                    found = "another number of cells than columns"
                    raise FieldError(record.error(None, found, f"one cell a column; {AGAIN}"))
                yield JsonPart(record, dict(cells))
    except FieldError:
        raise
    except (OSError, ValueError, csv.Error) as error:
        expected = f"a CSV table in UTF-8; {AGAIN}"
        raise FieldError(first_record.error(None, reason(error), expected)) from error


def first_line(file: Path) -> str:
    """Return the first line of a file, or 64 KiB of it; empty if it cannot be read.

    This is enough to tell by its column names, or by its first field, which benchmark's it is.
    """
    try:
        with open_file(file) as stream:
            return stream.readline(_LONGEST_LINE).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def json_lines(file: Path, start: int = 0) -> Iterator[JsonPart]:
    """Yield the objects of a JSON-lines file, from the line that begins at the byte ``start`` on.

    Raises ``FieldError`` for a line that cannot be read; the error counts lines from ``start``.
    """
    number = 0
    try:
        with open_file(file) as stream:
            stream.seek(start)
            filled_lines = (line for line in lines_in(stream) if line.strip())
            for number, line in enumerate(filled_lines):
                yield JsonPart(_record_of(file, number), from_json(line, distinct_keys=True))
    except FieldError:
        raise
    except (OSError, ValueError) as error:
        raise _error_of_line(_record_of(file, number), error) from error


def line_starts(file: Path, field: str) -> dict[str, int]:
    """Return where each line of a JSON-lines file begins, so that one line can be read alone.

    Places are in bytes, by the string in ``field`` of the line's object. Raises ``FieldError`` for
    a line that cannot be read.
    """
    starts: dict[str, int] = {}
    place = 0
    record = _record_of(file, 0)
    try:
        with open_file(file) as stream:
            for number, line in enumerate(lines_in(stream)):
                if line.strip():
                    record = _record_of(file, number)
                    name = JsonPart(record, from_json(line))[field].of(str)
                    starts[name] = place
                place += len(line)
    except FieldError:
        raise
    except (OSError, ValueError) as error:
        raise _error_of_line(record, error) from error
    return starts


def _record_of(file: Path, row: int) -> Record:
    """Return the row of a file with a number, from 0."""
    return Record(str(file), row, split=None, content=None)


def _error_of_line(record: Record, error: Exception) -> FieldError:
    """Return the error to raise for a line that could not be read or parsed."""
    expected = f"one whole JSON object on each line; {AGAIN}"
    return FieldError(record.error(None, reason(error), expected))


def whole_number(cell: JsonPart) -> int:
    """Return a whole number from 0 that a cell holds as such, or as a text of its digits.

    Raises ``FieldError`` for anything else.
    """
    value = cell.value
    is_text_of_digits = isinstance(value, str) and value.isascii() and value.isdecimal()
    if is_text_of_digits and len(value) <= _MOST_DIGITS:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise cell.fault("a whole number")


def literal(cell: JsonPart, kind: type[T]) -> T:
    """Return the list, object or other ``kind`` that a cell holds as a JSON or Python literal.

    Raises ``FieldError`` for a cell that holds no such literal.
    """
    text = cell.of(str)
    try:
        value: object = from_json(text)
    except (ValueError, RecursionError):
        value = read_literal(text, _LONGEST_LITERAL)
    if not isinstance(value, kind):
        raise cell.fault(f"a {kind.__name__} as Python or JSON writes it")
    return value
