"""Files of other benchmarks among those of rows: recognized, and converted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from mabench.data.formats import DataFormat
from mabench.data.inventory import Source
from mabench.data.problems import Problem
from mabench.data.reading.readers import READERS
from mabench.data.records import Record, fields_of


def convert_records(
    records: Iterable[Record | Problem],
    benchmark: str | None,
    described: Sequence[DataFormat] = (),
) -> Iterator[Record | Problem]:
    """Yield records, objects of published files as rows; the first tells an open ``benchmark``.

    Formats that the user ``described`` come before those of other benchmarks.
    """
    current = expected = DataFormat.named(benchmark) if benchmark else None
    for record in records:
        if isinstance(record, Problem):
            yield record
            continue
        own = find_format_of_object(record.content, described)
        current = current or own
        if current is None or current.rows is None:
            yield record
        elif expected and own and own is not expected:
            found = f"an object of {own.sources[0].name}"
            right = f"one of {expected.sources[0].name}: name the benchmark that the file is of"
            yield record.error(None, found, right)
        else:
            yield from current.rows(record)


def find_format_of_object(
    content: object, described: Sequence[DataFormat] = ()
) -> DataFormat | None:
    """Return the format whose objects have all these fields; None for a row of ours."""
    fields, formats = fields_of(content), [*described, *DataFormat.installed().values()]
    return next((each for each in formats if each.describes(fields)), None)


def is_row(file: Path, described: Sequence[DataFormat] = ()) -> bool:
    """Return whether the first record of a JSON or JSONL file is a row, or cannot be read.

    An object of a format that the user ``described`` counts as a row.
    """
    try:
        first = next(READERS[file.suffix.lower()](file, None), None)
    except OSError:
        return True  # Reading the rows says why.
    if not isinstance(first, Record) or "context" in fields_of(first.content):
        return True
    return any(each.describes(fields_of(first.content)) for each in described)


def find_format_of_path(path: Path) -> tuple[DataFormat | None, list[Path]]:
    """Return the format of a folder of another benchmark, and its files; else None and none."""
    for each in DataFormat.installed().values():
        if each.find is not None and (files := each.find(path)):
            return each, files
    return None, []


def find_published_sources(path: Path) -> Mapping[str, Source]:
    """Return by name the sources of a published file, known by its first object, or folder."""
    sources: Iterable[Source] = ()
    try:
        file_format = find_format_of_path(path)[0]
        if file_format:
            sources = (
                file_format.sources_in(path) if file_format.sources_in else file_format.sources
            )
        elif path.is_file() and path.suffix.lower() in (".json", ".jsonl"):
            first = next(READERS[path.suffix.lower()](path, None), None)
            file_format = (
                find_format_of_object(first.content) if isinstance(first, Record) else None
            )
            sources = file_format.sources if file_format else ()
        return {source.name: source for source in sources}
    except OSError:
        return {}  # Reading the rows says why.
