"""Rows of Parquet files, read one at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabench.data.arrow import import_parquet
from mabench.data.problems import Problem
from mabench.data.reading.unpacking import UnpackingLimit, find_repeated_texts
from mabench.data.records import ALL_FIELDS, FIELDS, Record
from mabench.errors import reason

if TYPE_CHECKING:
    import pyarrow

_BUFFER_BYTES = 64 * 1024


def read_parquet(path: Path, split: str | None) -> Iterator[Record | Problem]:
    """Yield the rows of a Parquet file, and what keeps some of them from being read.

    The public files hold one row group each, whose contexts are one dictionary page: the peak
    is then the imports (about 100 MB) and twice that column's text. Nothing is read ahead.
    """
    parquet = import_parquet()
    import pyarrow

    try:
        limit = UnpackingLimit(path.stat().st_size)
        metadata = parquet.read_metadata(path)
        with parquet.ParquetFile(
            path,
            metadata=metadata,
            read_dictionary=find_repeated_texts(metadata.schema),
            pre_buffer=False,
            buffer_size=_BUFFER_BYTES,
        ) as file:
            names = file.schema_arrow.names
            expected = f"the columns {', '.join(FIELDS)}"
            for name in FIELDS:
                if name not in names:
                    yield Problem("error", str(path), None, name, "no such column", expected)
            for name in dict.fromkeys(names):
                if name not in ALL_FIELDS:
                    yield Problem("warning", str(path), None, name, "an unknown column", expected)
            columns = [name for name in ALL_FIELDS if name in names]
            for number in range(metadata.num_row_groups):
                if found := limit.excess_of_group(metadata.row_group(number), columns):
                    place = f"row group {number}"
                    yield Problem("error", str(path), None, place, found, limit.expected)
                    return
            if set(FIELDS) <= set(names):
                batches = file.iter_batches(batch_size=1, columns=columns, use_threads=False)
                # Not a loop: its variable would hold a batch while the next one is read.
                read = partial(_record, str(path), split, limit)
                yield from map(read, itertools.count(), batches)
    except (pyarrow.ArrowException, ValueError, OSError) as error:
        expected = "a whole Parquet file: copy or download it again"
        yield Problem("error", str(path), None, None, reason(error), expected)


# What Arrow raises for a value that Python cannot hold: a time out of range, a zone that nobody
# knows, bytes that are no text.
_UNREADABLE = (ValueError, LookupError, ArithmeticError, NotImplementedError, ImportError)


def _record(
    file: str, split: str | None, limit: UnpackingLimit, row: int, batch: pyarrow.RecordBatch
) -> Record | Problem:
    """Return a batch of one row as a record, or the problem of the first column that has one."""
    import pyarrow

    pyarrow.default_memory_pool().release_unused()  # What earlier rows left: 4 MB at the peak.
    content = {}
    for name in batch.schema.names:
        column = batch.column(name)
        if found := limit.excess_of_row(column):
            return Problem("error", file, row, name, found, limit.expected)
        try:
            content[name] = column[0].as_py()
        except _UNREADABLE as error:
            place, fault = _first_unreadable(column[0], name) or (name, error)
            return Problem("error", file, row, place, reason(fault), _expected_for(fault))
    return Record(file, row, split, content)


def _first_unreadable(value: Any, place: str) -> tuple[str, Exception] | None:
    """Return the innermost place in a scalar of Arrow that cannot be read, and why."""
    try:
        value.as_py()
    except _UNREADABLE as error:
        if hasattr(value, "keys"):  # A struct.
            parts = [(f"{place}.{name}", name) for name in dict.fromkeys(value.keys())]
        elif hasattr(value, "values"):
            parts = [(f"{place}[{number}]", number) for number in range(len(value))]
        else:
            parts = []
        for inner, key in parts:
            if found := _first_unreadable(value[key], inner):
                return found
        return place, error
    return None


def _expected_for(fault: Exception) -> str:
    if isinstance(fault, UnicodeDecodeError):
        return "text in UTF-8"
    return "a value that Python can hold: write it as text, times in ISO 8601"
