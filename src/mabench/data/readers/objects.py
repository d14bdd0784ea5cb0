"""Rows out of Python objects: those of the ``datasets`` library, or any iterable of dicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from mabench.data.inventory import SPLITS, split_rank
from mabench.data.records import FIELDS, Record
from mabench.data.schema import Row
from mabench.errors import UsageError


def object_records(data: object) -> Callable[[], Iterator[Record]]:
    """Return a function that reads the rows of ``data``, each time from the beginning.

    ``data`` is a mapping of split to rows (a ``DatasetDict`` is one), an iterable of rows (a
    ``Dataset`` or ``IterableDataset``, a list), or one row. Objects are known by their shape:
    the ``datasets`` library is not imported. What can be read only once is read into memory.

    Raises:
        UsageError: when ``data`` is none of these.
    """
    name = type(data).__name__
    if isinstance(data, Mapping) and not any(field in data for field in FIELDS):
        parts = {str(key): _repeatable(rows, str(key)) for key, rows in data.items()}
        order = sorted(parts, key=split_rank)
        return lambda: (
            record for key in order for record in _records(f"{name}[{key}]", key, parts[key])
        )
    rows = _repeatable([data] if isinstance(data, Mapping) else data)
    return lambda: _records(name, str(getattr(data, "split", None)), rows)


def row_records(name: str, rows_factory: Callable[[], Iterable[Row]]) -> Iterator[Record]:
    """Yield the checked rows that ``rows_factory`` returns as records again."""
    for i, row in enumerate(rows_factory()):
        yield Record(name, i, row.split, row.model_dump(include=set(FIELDS)))


def _repeatable(rows: object, split: str | None = None) -> Iterable[object]:
    if split is not None and isinstance(rows, Mapping):
        raise UsageError(f"the rows of {split} are an object; pass a list of rows")
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise UsageError(
            f"cannot read rows from a {type(rows).__name__}; pass a path, `hub`, a datasets "
            "object, an iterable of dicts or a mapping of split to such iterables"
        )
    return list(rows) if isinstance(rows, Iterator) else rows


def _records(file: str, split: str, rows: Iterable[object]) -> Iterator[Record]:
    known = split if split in SPLITS else None
    for row, content in enumerate(rows):
        yield Record(file, row, known, content)
