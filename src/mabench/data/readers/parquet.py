"""Rows in Parquet files: the columns of the public data set, read one row at a time."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabench.data.records import ALL_FIELDS, FIELDS, Problem, Record
from mabench.data.schema import Row
from mabench.errors import reason

if TYPE_CHECKING:
    import pyarrow

_ALLOCATOR = "ARROW_DEFAULT_MEMORY_POOL"
_BUFFER_BYTES = 64 * 1024


def read_parquet(path: Path, split: str | None) -> Iterator[Record | Problem]:
    """Yield the rows of a Parquet file, and what keeps some of them from being read.

    The public files hold one row group each, whose contexts are one dictionary page: the peak
    is then the imports (about 100 MB) and twice that column's text. Nothing is read ahead.
    """
    parquet = import_parquet()
    import pyarrow

    try:
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER_BYTES) as file:
            names = file.schema_arrow.names
            expected = f"the columns {', '.join(FIELDS)}"
            for name in FIELDS:
                if name not in names:
                    yield Problem("error", str(path), None, name, "no such column", expected)
            for name in dict.fromkeys(names):
                if name not in ALL_FIELDS:
                    yield Problem("warning", str(path), None, name, "an unknown column", expected)
            if set(FIELDS) <= set(names):
                columns = [name for name in ALL_FIELDS if name in names]
                batches = file.iter_batches(batch_size=1, columns=columns, use_threads=False)
                # Not a loop: its variable would hold a batch while the next one is read.
                yield from map(partial(_record, str(path), split), itertools.count(), batches)
    except (pyarrow.ArrowException, ValueError, OSError) as error:
        expected = "a whole Parquet file: copy or download it again"
        yield Problem("error", str(path), None, None, reason(error), expected)


def import_parquet() -> Any:
    """Import ``pyarrow.parquet``, on the system's allocator unless the user chose another.

    Arrow's own allocator keeps freed pages for a while: 90 MB more at the peak of a 100 MB
    split. Arrow looks at the variable once, when it loads: that of a program that
    loaded it before stays as it is.
    """
    choose = _ALLOCATOR not in os.environ
    if choose:
        os.environ[_ALLOCATOR] = "system"
    try:
        import pyarrow.parquet
    finally:
        if choose:
            del os.environ[_ALLOCATOR]
    return pyarrow.parquet


def rows_table(rows: Iterable[Row]) -> pyarrow.Table:
    """Return rows as one table: split, index, and the columns of the public files."""
    import_parquet()
    import pyarrow as pa

    place = {"split": pa.string(), "index": pa.int64()}
    schema = pa.schema([*place.items(), *hub_schema()])
    full = pa.schema([*place.items(), *hub_schema(more=True)])
    tables = [
        pa.Table.from_pylist([row.model_dump()], full if row.adds_fields else schema)
        for row in rows
    ]
    return pa.concat_tables(tables or [schema.empty_table()], promote_options="default")


def hub_schema(*, more: bool = False) -> pyarrow.Schema:
    """Return the schema of the public files, with ``more`` that of rows that may say more."""
    import pyarrow as pa

    text, texts = pa.string(), pa.list_(pa.string())
    turn = pa.struct({"content": text, "has_answer": pa.bool_(), "role": text})
    metadata = {
        "demo": text,
        "haystack_sessions": pa.list_(pa.list_(pa.list_(turn))),
        "keypoints": texts,
        "previous_events": texts,
        "qa_pair_ids": texts,
        "question_dates": texts,
        "question_ids": texts,
        "question_types": texts,
        "source": text,
    }
    columns = {"context": text, "questions": texts, "answers": pa.list_(texts)}
    columns["metadata"] = pa.struct(metadata)
    if more:
        place = {"id": text, "session": text, "start": pa.int64(), "end": pa.int64()}
        said = dict.fromkeys(("time", "speaker", "role", "user"), text)
        columns["turns"] = pa.list_(pa.struct({**place, **said}))
        columns |= dict.fromkeys(("evidence", "rubrics"), pa.list_(texts))
        columns |= dict.fromkeys(("asked_after", "asked_by"), texts)
    return pa.schema(columns)


def _record(file: str, split: str | None, row: int, batch: pyarrow.RecordBatch) -> Record | Problem:
    import pyarrow

    pyarrow.default_memory_pool().release_unused()  # What earlier rows left: 4 MB at the peak.
    content = {}
    for name in batch.schema.names:
        try:
            content[name] = batch.column(name)[0].as_py()
        except (ValueError, KeyError) as error:
            return Problem("error", file, row, name, reason(error), "text in UTF-8")
    return Record(file, row, split, content)
