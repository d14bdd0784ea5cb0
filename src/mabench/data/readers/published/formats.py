"""Which benchmark a file is of, told from the fields of its first object, or a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from mabench.data.inventory import Source
from mabench.data.problems import Problem
from mabench.data.readers.published import beam, locomo, longmemeval
from mabench.data.records import Record


class _Format(NamedTuple):
    """How the files of a benchmark are known, and read.

    Attributes:
        fields: what every object of such a file holds, and no row of ours does.
        source: the source of its rows.
        rows: yields the row that an object is, and what is wrong with it or left out of it.
    """

    fields: frozenset[str]
    source: Source
    rows: Callable[[Record], Iterator[Record | Problem]]


_FORMATS = (
    _Format(locomo.FIELDS, locomo.SOURCE, locomo.read),
    _Format(longmemeval.FIELDS, longmemeval.SOURCE, longmemeval.read),
)


def published_rows(records: Iterable[Record | Problem]) -> Iterator[Record | Problem]:
    """Yield records with those that are objects of a published file made rows, one at a time."""
    for record in records:
        known = _format_of(record.content) if isinstance(record, Record) else None
        if known is None or isinstance(record, Problem):
            yield record
        else:
            yield from known.rows(record)


def published_sources(
    path: Path, records: Callable[[], Iterable[Record | Problem]]
) -> Mapping[str, Source]:
    """Return the sources of a published file or folder by name; none where it is no such.

    Args:
        path: the file, which is known by its first object, or the folder.
        records: reads the file's objects, unchanged, from the beginning.
    """
    if path.is_dir():
        return beam.sources_of(path)
    if path.suffix.lower() not in (".json", ".jsonl"):
        return {}
    first = next(iter(records()), None)
    known = _format_of(first.content) if isinstance(first, Record) else None
    return {known.source.name: known.source} if known else {}


def _format_of(content: object) -> _Format | None:
    if not isinstance(content, Mapping):
        return None
    return next((one for one in _FORMATS if one.fields <= content.keys()), None)
