"""Rows in JSON and JSONL files, one at a time whatever the size of the file."""

from __future__ import annotations

import codecs
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mabench.data.inventory import SPLITS
from mabench.data.problems import Problem, reason
from mabench.data.records import FIELDS, Record

_Event = tuple[str, Any]
_STARTS = ("start_map", "start_array")
_ENDS = ("end_map", "end_array")
_DEEPEST = 100  # Rows have 6 levels; a file of brackets alone would fill the memory.


def read_jsonl(path: Path, split: str | None) -> Iterator[Record | Problem]:
    """Yield the rows of a file that holds one on each line; blank lines are skipped."""
    with path.open("rb") as stream:
        lines = ((number, line) for number, line in enumerate(stream, 1) if line.strip())
        for row, (number, line) in enumerate(lines):
            try:
                yield Record(str(path), row, split, json.loads(line))
            except (ValueError, RecursionError) as error:
                found = f"line {number}: {reason(error)}"
                expected = "one whole JSON object in UTF-8: write the line again"
                yield Problem("error", str(path), row, None, found, expected)


def read_json(path: Path, split: str | None) -> Iterator[Record | Problem]:
    """Yield the rows of a JSON file: a list of rows, one row, or lists of rows by split."""
    import ijson

    counts: Counter[str | None] = Counter()
    with path.open("rb") as stream:
        if stream.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            stream.seek(0)
        try:
            for key, content in _contents(ijson.basic_parse(stream, use_float=True)):
                file = str(path) if key is None else f"{path}[{key}]"
                yield Record(file, counts[key], key if key in SPLITS else split, content)
                counts[key] += 1
        except (ijson.JSONError, ValueError) as error:
            expected = "whole JSON in UTF-8: write or copy the file again"
            yield Problem("error", str(path), None, None, reason(error), expected)


def _contents(events: Iterator[_Event]) -> Iterator[tuple[str | None, object]]:
    """Yield each row as soon as it is whole, with the key of the list that it stands in."""
    first = next(events)
    if first[0] == "start_array":
        yield from ((None, item) for item in _items(events))
    elif first[0] == "start_map":
        yield from _fields(events)
    else:
        yield None, first[1]
    for _ in events:  # What follows the rows must be JSON's end, or the parser complains.
        pass


def _fields(events: Iterator[_Event]) -> Iterator[tuple[str | None, object]]:
    """Yield the rows of an object: those of its lists of objects, or else the object itself."""
    row: dict[str, object] = {}
    by_split = False
    for event, key in events:
        if event == "end_map":
            break
        start = next(events)
        inner = next(events) if start[0] == "start_array" else None
        if inner is None:
            row[key] = _value(start, events)
        elif key in SPLITS or (key not in FIELDS and inner[0] == "start_map"):
            by_split = True
            yield from ((key, item) for item in _items(itertools.chain([inner], events)))
        else:
            row[key] = list(_items(itertools.chain([inner], events)))
    if not by_split:
        yield None, row


def _items(events: Iterator[_Event]) -> Iterator[object]:
    """Yield the items of a list whose start was read."""
    for event in events:
        if event[0] == "end_array":
            return
        yield _value(event, events)


def _value(start: _Event, events: Iterator[_Event]) -> object:
    """Build the value that begins with ``start``."""
    from ijson.common import ObjectBuilder

    builder = ObjectBuilder()
    builder.event(*start)
    depth = int(start[0] in _STARTS)
    while depth:
        event, value = next(events)
        builder.event(event, value)
        depth += (event in _STARTS) - (event in _ENDS)
        if depth > _DEEPEST:
            raise ValueError(f"values lie more than {_DEEPEST} deep in each other")
    return builder.value
