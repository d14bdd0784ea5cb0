"""Rows of objects in memory: lists, mappings, or those of the package ``datasets``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from mabench.data.inventory import SPLITS, split_rank
from mabench.data.records import FIELDS, Record
from mabench.errors import UsageError


def read_objects(data: object) -> Callable[[], Iterator[Record]]:
    """Return a function that reads the rows of ``data``, each time from the beginning.

    ``data`` is a mapping of split to rows (a ``DatasetDict`` is one), an iterable of rows (a
    ``Dataset`` or ``IterableDataset``, a list), or one row. Objects are known by their shape:
    the ``datasets`` library is not imported.
    """
    name = type(data).__name__
    if isinstance(data, Mapping) and not any(field in data for field in FIELDS):
        parts = []
        for split, rows in sorted(data.items(), key=lambda part: split_rank(str(part[0]))):
            if isinstance(rows, Mapping):
                raise UsageError(f"the rows of {split} are an object; pass a list of rows")
            parts.append((f"{name}[{split}]", str(split), _repeatable(rows)))
    else:
        rows = _repeatable([data] if isinstance(data, Mapping) else data)
        parts = [(name, str(getattr(data, "split", None)), rows)]
    return lambda: (
        Record(file, row, split if split in SPLITS else None, content)
        for file, split, rows in parts
        for row, content in enumerate(rows)
    )


def _repeatable(rows: object) -> Iterable[object]:
    """Return rows that can be read again: those of an iterator as a list; raise for no rows."""
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise UsageError(
            f"cannot read rows from a {type(rows).__name__}; pass a path, `hub`, a datasets "
            "object, an iterable of dicts or a mapping of split to such iterables"
        )
    return list(rows) if isinstance(rows, Iterator) else rows
