"""Rows of JSON files, read one at a time whatever the size of the file."""

from __future__ import annotations

import codecs
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabench.data.inventory import SPLITS
from mabench.data.problems import Problem, Severity, describe
from mabench.data.records import ALL_FIELDS, FIELDS, Record
from mabench.errors import reason
from mabench.printable import write_count
from mabench.userfile import open_file

if TYPE_CHECKING:
    pass


_Event = tuple[str, Any]

# An escape of a lone surrogate, at least nearly: of half a character without the other half.
_HALF = re.compile(
    rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F])"
)
_PAIR_BYTES = 12
_BLOCK_BYTES = 1 << 20
# Characters of what a parser says is wrong: some repeat the whole value.
_LONGEST_REASON = 120


def duplicate_key(key: str) -> Problem:
    """Return the problem of a key that an object has twice; its place is filled in later."""
    return Problem("error", "", 0, key, "a duplicate key", "every key once")


def read_json(path: Path, split: str | None) -> Iterator[Record | Problem]:
    """Yield the rows of a JSON file: a list of rows, one row, or lists of rows by split."""
    import ijson

    # The quick parser makes question marks, or other characters, of lone surrogates.
    parser = ijson.get_backend("python") if _has_halves(path) else ijson
    counts: Counter[str | None] = Counter()
    with open_file(path) as stream:
        if stream.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            stream.seek(0)
        try:
            for key, content in _contents(parser.basic_parse(stream, use_float=True)):
                file = str(path) if key is None else f"{path}[{key}]"
                if isinstance(content, Problem):
                    row = None if content.row is None else counts[key]
                    yield content._replace(file=file, row=row)
                else:
                    yield Record(file, counts[key], key if key in SPLITS else split, content)
                counts[key] += 1
        except (ijson.JSONError, ValueError, RecursionError) as error:
            # Some parsers say in bytes what is wrong, with the text around it.
            words = error.args[0] if error.args else None
            if isinstance(words, bytes):
                error = ValueError(words.decode("utf-8", "replace"))
            read = sum(counts.values())
            place = f", behind {write_count(read, 'row')}" if read else ""
            expected = (
                "whole JSON in UTF-8, with whole numbers of at most 18 digits and no number that "
                "is infinite: write or copy the file again"
            )
            found = f"{reason(error)[:_LONGEST_REASON]}{place}"
            yield Problem("error", str(path), None, None, found, expected)


def _has_halves(path: Path) -> bool:
    """Whether a file may hold escapes of lone surrogates; it does where this says no other."""
    tail = b""
    with open_file(path) as stream:
        blocks = iter(partial(stream.read, _BLOCK_BYTES), b"")
        for block in itertools.chain(blocks, [b" " * _PAIR_BYTES]):
            if b"\0" in block:
                return False  # The parser stops there, and what follows may be a hole of terabytes.
            text = tail + block
            # What is at the end is looked at with what follows it.
            first, last = len(tail) - _PAIR_BYTES, len(text) - _PAIR_BYTES
            if any(first <= half.start() < last for half in _HALF.finditer(text)):
                return True
            tail = text[-2 * _PAIR_BYTES :]
    return False


def _contents(events: Iterator[_Event]) -> Iterator[tuple[str | None, object]]:
    """Yield each row, or fault, as soon as it is whole, with the key of its list."""
    first = next(events)
    if first[0] == "start_array":
        yield from ((None, row) for row in _rows(events))
    elif first[0] == "start_map":
        yield from _fields(events)
    else:
        yield None, first[1]
    for _ in events:  # What follows the rows must be JSON's end, or the parser complains.
        pass


def _fields(events: Iterator[_Event]) -> Iterator[tuple[str | None, object]]:
    """Yield the rows of an object: those of its lists of objects, or else the object itself."""
    others: dict[str, object] = {}
    splits: set[str] = set()
    repeated: list[str] = []
    for event, key in events:
        if event == "end_map":
            break
        start = next(events)
        inner = next(events) if start[0] == "start_array" else None
        if inner and (key in SPLITS or (key not in ALL_FIELDS and inner[0] == "start_map")):
            if key in splits:
                found = "a duplicate split"
                yield key, Problem("error", "", None, None, found, "every key once")
            splits.add(key)
            yield from ((key, row) for row in _rows(itertools.chain([inner], events)))
            continue
        if key in others:
            repeated.append(key)
        if inner:
            others[key] = _items(itertools.chain([inner], events), repeated)
        else:
            others[key] = _value(start, events, repeated)
    if not splits and not any(key in SPLITS for key in others):
        yield None, duplicate_key(repeated[0]) if repeated else others
        return
    for key, value in others.items():  # What is beside the lists of rows.
        lost = {key, *(value if isinstance(value, dict) else ())} & {*SPLITS, *FIELDS}
        severity: Severity = "error" if lost else "warning"
        yield key, Problem(severity, "", None, None, describe(value), "a list of rows")


def _rows(events: Iterator[_Event]) -> Iterator[object]:
    """Yield the rows, and the faults in place of rows, of a list whose start was read."""
    for event in events:
        if event[0] == "end_array":
            return
        repeated: list[str] = []
        row = _value(event, events, repeated)
        yield duplicate_key(repeated[0]) if repeated else row


def _items(events: Iterator[_Event], repeated: list[str]) -> list[object]:
    rest = itertools.takewhile(lambda event: event[0] != "end_array", events)
    return [_value(event, events, repeated) for event in rest]


def _value(start: _Event, events: Iterator[_Event], repeated: list[str]) -> object:
    """Build the value that begins with ``start``; keys that occur twice go to ``repeated``."""
    kind, value = start
    if kind == "start_array":
        return _items(events, repeated)
    if kind != "start_map":
        return value
    fields: dict[str, object] = {}
    for kind, key in events:
        if kind == "end_map":
            break
        if key in fields:
            repeated.append(key)
        fields[key] = _value(next(events), events, repeated)
    return fields
