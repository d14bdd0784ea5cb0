"""pyarrow: how it is imported, and rows as its tables."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mabench.data.schema import Metadata, Row

if TYPE_CHECKING:
    import pyarrow

_ALLOCATOR = "ARROW_DEFAULT_MEMORY_POOL"


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


def make_table(rows: Iterable[Row]) -> pyarrow.Table:
    """Return rows as one table: split, index, and the columns of the public files."""
    import_parquet()
    import pyarrow as pa

    place = {"split": pa.string(), "index": pa.int64()}
    public = pa.schema([*place.items(), *hub_schema()])
    with_added_fields = pa.schema([*place.items(), *hub_schema(more=True)])
    tables = []
    for row in rows:
        schema = with_added_fields if row.added_fields else public
        tables.append(pa.Table.from_pylist([row.model_dump()], schema))
    return pa.concat_tables(tables or [public.empty_table()], promote_options="default")


def hub_schema(*, more: bool = False) -> pyarrow.Schema:
    """Return the schema of the public files, with ``more`` that of rows that may say more."""
    import pyarrow as pa

    text, texts = pa.string(), pa.list_(pa.string())
    turn = pa.struct({"content": text, "has_answer": pa.bool_(), "role": text})
    metadata = dict.fromkeys(sorted(Metadata.__annotations__), texts)
    sessions = pa.list_(pa.list_(pa.list_(turn)))
    metadata |= {"demo": text, "haystack_sessions": sessions, "source": text}
    columns = {"context": text, "questions": texts, "answers": pa.list_(texts)}
    columns["metadata"] = pa.struct(metadata)
    if more:
        place = {"id": text, "session": text, "start": pa.int64(), "end": pa.int64()}
        said = dict.fromkeys(("time", "speaker", "role", "user"), text)
        columns["turns"] = pa.list_(pa.struct({**place, **said}))
        columns |= dict.fromkeys(("evidence", "rubrics"), pa.list_(texts))
        columns |= dict.fromkeys(("asked_after", "asked_by"), texts)
    return pa.schema(columns)
