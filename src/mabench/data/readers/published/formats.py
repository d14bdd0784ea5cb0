"""Which benchmark a file is of, told from the fields of its first object, or a folder."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from mabench.data.inventory import Source
from mabench.data.problems import Problem
from mabench.data.readers.published import beam, locomo, longmemeval
from mabench.data.records import Record
from mabench.userfile import open_file

_START_BYTES = 1 << 16


class _Format(NamedTuple):
    """How the files of a benchmark are known, and read.

    Attributes:
        fields: what every object of such a file holds, and no row of ours does.
        source: the source of its rows.
        items: what the file lists.
        rows: yields the row that an object is, and what is wrong with it or left out of it.
    """

    fields: frozenset[str]
    source: Source
    items: str
    rows: Callable[[Record], Iterator[Record | Problem]]


_FORMATS = {
    one.source.name: one
    for one in (
        _Format(locomo.FIELDS, locomo.SOURCE, "conversations", locomo.read),
        _Format(longmemeval.FIELDS, longmemeval.SOURCE, "questions", longmemeval.read),
    )
}


def published_rows(
    records: Iterable[Record | Problem], benchmark: str | None = None
) -> Iterator[Record | Problem]:
    """Yield records with those that are objects of a published file made rows, one at a time.

    Args:
        records: what the file holds.
        benchmark: ``locomo`` or ``longmemeval``, whose file it is; without it the first object
            that has the fields of a benchmark tells, if any.
    """
    expected = _FORMATS[benchmark] if benchmark else None
    known = expected
    for record in records:
        if isinstance(record, Problem):
            yield record
            continue
        own = _format_of(record.content)
        known = known or own
        if known is None:
            yield record
        elif expected and own and own is not expected:
            found = f"an object of {own.source.name}"
            right = f"one of {expected.source.name}: name the benchmark that the file is of"
            yield record.error(None, found, right)
        else:
            yield from known.rows(record)


def list_fault(path: Path, benchmark: str) -> Problem | None:
    """Return what is wrong with a JSON file that holds one object and no list, else None."""
    with open_file(path) as stream:
        start = stream.read(_START_BYTES).removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if path.suffix.lower() != ".json" or start != b"{":
        return None
    expected = f"a list of {_FORMATS[benchmark].items}, as {benchmark} is published"
    return Problem("error", str(path), None, None, "one object", expected)


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
    return next((one for one in _FORMATS.values() if one.fields <= content.keys()), None)
