"""Rows of JSON files, read one at a time whatever the size of the file."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mabench.data.inventory import SPLITS
from mabench.data.problems import Problem, Severity, describe
from mabench.data.records import ALL_FIELDS, FIELDS, Record
from mabench.errors import reason
from mabench.printable import write_count
from mabench.userfile import open_file

_Event = tuple[str, Any]  # What ``basic_parse`` yields: the kind of a token, and its value.

# The escape of one half of a surrogate pair without the escape of the other half. It also finds
# an escaped backslash before such letters, as in ``\\ud800``, which is no escape.
_LONE_SURROGATE = re.compile(
    rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F])"
)
_PAIR_BYTES = 12  # Of the escapes of a whole pair, such as ``\ud83d\ude00``.
_BLOCK_BYTES = 1 << 20
# Characters of what a parser says is wrong: some repeat the whole value.
_LONGEST_REASON = 120


def duplicate_key(key: str) -> Problem:
    """Return the problem of a key that an object has twice; its place is filled in later."""
    return Problem(
        severity="error",
        file="",
        row=0,
        field=key,
        found="a duplicate key",
        expected="every key once",
    )


def read_json(path: Path, split: str | None) -> Iterator[Record | Problem]:
    """Yield the rows of a JSON file: a list of rows, one row, or lists of rows by split."""
    import ijson

    # The quick parser makes question marks, or other characters, of lone surrogates.
    parser = ijson.get_backend("python") if _may_have_lone_surrogates(path) else ijson
    counts: Counter[str | None] = Counter()
    with open_file(path) as stream:
        if stream.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            stream.seek(0)
        try:
            for key, content in _rows_of_file(parser.basic_parse(stream, use_float=True)):
                file = str(path) if key is None else f"{path}[{key}]"
                if isinstance(content, Problem):
                    row = None if content.row is None else counts[key]
                    yield content._replace(file=file, row=row)
                else:
                    yield Record(file, counts[key], key if key in SPLITS else split, content)
                counts[key] += 1
        except (ijson.JSONError, ValueError, RecursionError) as error:
            rows_read = counts.total()
            place = f", behind {write_count(rows_read, 'row')}" if rows_read else ""
            expected = (
                "whole JSON in UTF-8, with whole numbers of at most 18 digits and no number that "
                "is infinite: write or copy the file again"
            )
            found = f"{_reason_in_text(error)[:_LONGEST_REASON]}{place}"
            yield Problem("error", str(path), None, None, found, expected)


def _reason_in_text(error: Exception) -> str:
    """Return what a parser says is wrong; some say it in bytes, with the text around it."""
    message = error.args[0] if error.args else None
    if isinstance(message, bytes):
        return reason(ValueError(message.decode("utf-8", "replace")))
    return reason(error)


def _may_have_lone_surrogates(path: Path) -> bool:
    """Return whether a file may hold escapes of lone surrogates; it holds none where this is False.

    Only what precedes a null byte counts, since the parser stops there.
    """
    tail = b""
    with open_file(path) as stream:
        while True:
            block = stream.read(_BLOCK_BYTES)
            if b"\0" in block:
                return False  # What follows may be a hole of terabytes.
            is_end = not block
            text = tail + (b" " * _PAIR_BYTES if is_end else block)
            # An escape is judged once the bytes of a pair before it and behind it are there.
            first, end = len(tail) - _PAIR_BYTES, len(text) - _PAIR_BYTES
            if any(first <= match.start() < end for match in _LONE_SURROGATE.finditer(text)):
                return True
            if is_end:
                return False
            tail = text[-2 * _PAIR_BYTES :]


def _rows_of_file(events: Iterator[_Event]) -> Iterator[tuple[str | None, object]]:
    """Yield each row as soon as it is whole, or a problem in its place, with the key of its list.

    The key is None where the file is one list, or one row.
    """
    kind, value = next(events)
    if kind == "start_array":
        yield from ((None, row) for row in _rows_of_list(next(events), events))
    elif kind == "start_map":
        yield from _rows_of_object(events)
    else:
        yield None, value
    for _ in events:  # What follows the rows must be JSON's end, or the parser complains.
        pass


def _rows_of_object(events: Iterator[_Event]) -> Iterator[tuple[str | None, object]]:
    """Yield the rows in the lists of an object, with their keys; without such lists the object.

    ``events`` are those behind the start of the object. What is beside lists of rows is a problem.
    """
    others: dict[str, object] = {}  # The fields that are no lists of rows.
    row_keys: set[str] = set()
    repeated: list[str] = []
    for event, key in events:
        if event == "end_map":
            break
        start = next(events)
        is_list = start[0] == "start_array"
        first = next(events) if is_list else None
        if first and _holds_rows(key, first):
            if key in row_keys:
                yield key, _problem_of_file("error", "a duplicate split", "every key once")
            row_keys.add(key)
            yield from ((key, row) for row in _rows_of_list(first, events))
            continue
        if key in others:
            repeated.append(key)
        others[key] = _items(first, events, repeated) if first else _value(start, events, repeated)
    if not row_keys and not any(key in SPLITS for key in others):
        yield None, duplicate_key(repeated[0]) if repeated else others
        return
    for key, value in others.items():
        severity: Severity = "error" if _may_hide_rows(key, value) else "warning"
        yield key, _problem_of_file(severity, describe(value), "a list of rows")


def _holds_rows(key: str, first: _Event) -> bool:
    """Return whether a list holds rows: that of a split, or one of objects that is no row's field.

    ``first`` is the event behind the start of the list.
    """
    begins_with_object = first[0] == "start_map"
    return key in SPLITS or (begins_with_object and key not in ALL_FIELDS)


def _may_hide_rows(key: str, value: object) -> bool:
    """Return whether a field is named as a split or a field of rows, or has such a field itself."""
    names = {key, *value} if isinstance(value, dict) else {key}
    return not names.isdisjoint((*SPLITS, *FIELDS))


def _problem_of_file(severity: Severity, found: str, expected: str) -> Problem:
    """Return a problem of no row in particular; its file is filled in later."""
    return Problem(severity=severity, file="", row=None, field=None, found=found, expected=expected)


def _rows_of_list(event: _Event, events: Iterator[_Event]) -> Iterator[object]:
    """Yield the rows of a list, and a problem in place of a row with a duplicate key.

    ``event`` is the one behind the start of the list, ``events`` are those that follow.
    """
    while event[0] != "end_array":
        repeated: list[str] = []
        row = _value(event, events, repeated)
        yield duplicate_key(repeated[0]) if repeated else row
        event = next(events)


def _items(event: _Event, events: Iterator[_Event], repeated: list[str]) -> list[object]:
    """Return the items of a list; ``event`` is the one behind its start."""
    items = []
    while event[0] != "end_array":
        items.append(_value(event, events, repeated))
        event = next(events)
    return items


def _value(start: _Event, events: Iterator[_Event], repeated: list[str]) -> object:
    """Build the value that begins with ``start``; keys that occur twice go to ``repeated``."""
    kind, value = start
    if kind == "start_array":
        return _items(next(events), events, repeated)
    if kind == "start_map":
        return _object(events, repeated)
    return value


def _object(events: Iterator[_Event], repeated: list[str]) -> dict[str, object]:
    """Return the fields of an object whose start was read; of a repeated key, the last value."""
    fields: dict[str, object] = {}
    for event, key in events:
        if event == "end_map":
            break
        if key in fields:
            repeated.append(key)
        fields[key] = _value(next(events), events, repeated)
    return fields
