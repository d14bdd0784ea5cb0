"""Another benchmark's files, written as a data set in the hub's layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mabench.data.dataset import Dataset
from mabench.data.formats import DataFormat
from mabench.data.problems import Problem
from mabench.data.reading.files import read_files
from mabench.data.reading.paths import resolve_path
from mabench.data.records import Record, fields_of, items_of
from mabench.data.writing.hub_layout import export_hub_layout
from mabench.errors import DataError
from mabench.formats import FormatKind, refuse_other_kinds
from mabench.progress import Progress


class ImportedRow(NamedTuple):
    """A row that was imported: its source and number, its counts, and its problems."""

    source: str
    row: int
    questions: int
    turns: int
    problems: Sequence[Problem]


def import_published(
    benchmark: str, path: str | Path, out: str | Path, progress: Progress | None = None
) -> list[ImportedRow]:
    """Write the rows of another benchmark's file, as published, as ``export_hub_layout`` does.

    They are the rows that the file itself has when it is opened as a data set.

    Raises:
        UsageError: when there is no such benchmark, or ``out`` is not an empty or a new folder.
        DataError: when nothing of the benchmark is there, at the first place that departs from
            its form, or when a file cannot be written. Nothing is left at ``out`` then.
    """
    file_format = DataFormat.named(benchmark)
    place = resolve_path(path)
    if not place.exists():
        raise DataError(f"no such file or folder: {place}; give {file_format.published}")
    refuse_other_kinds(place, FormatKind.DATA)
    if not (file_format.find(place) if file_format.find else place.is_file()):
        raise DataError(f"{place} is not data of {benchmark}; give {file_format.published}")
    sources = file_format.sources_in(place) if file_format.sources_in else file_format.sources
    imported: list[ImportedRow] = []

    def records() -> Iterator[Record | Problem]:
        imported.clear()
        problems: list[Problem] = []
        for record in read_files(place, benchmark if file_format.rows else None):
            if isinstance(record, Problem):
                problems.append(record)
            else:
                content = fields_of(record.content)
                metadata = fields_of(content.get("metadata"))
                questions = items_of(content.get("questions"))
                turns, source = items_of(content.get("turns")), str(metadata.get("source"))
                counts = len(imported), len(questions), len(turns)
                imported.append(ImportedRow(source, *counts, problems))
                problems = []
            yield record
        if not imported:
            yield Problem("error", str(place), None, None, "no rows", "at least one")

    dataset = Dataset(place.stem, records, sources={source.name: source for source in sources})
    export_hub_layout(dataset, out, progress)
    return imported
