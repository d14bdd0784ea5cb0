"""Rows of another benchmark's file, written once and told what was left out of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mabench.data.dataset import Dataset
from mabench.data.export import export_hub_layout
from mabench.data.formats import FileFormat, format_named
from mabench.data.problems import Problem
from mabench.data.readers.files import read_files
from mabench.data.records import Record
from mabench.data.row_checks import fields_of, items_of
from mabench.errors import DataError
from mabench.progress import Progress


class ImportedRow(NamedTuple):
    """What became of a history: how many questions and turns it has, and what was left out."""

    source: str
    row: int
    questions: int
    turns: int
    problems: Sequence[Problem]


def import_published(
    benchmark: str,
    path: str | Path,
    out: str | Path,
    progress: Progress | None = None,
) -> list[ImportedRow]:
    """Write the rows of another benchmark's file as ``export_hub_layout`` does, one at a time.

    They are the rows that the file itself has when it is opened as a data set.

    Args:
        benchmark: the name of an installed format, such as ``locomo`` or ``beam``.
        path: the file or folder as it is published.
        out: a new or an empty folder.
        progress: told of each row that is written.

    Returns:
        What became of each row.

    Raises:
        UsageError: when there is no such benchmark, or ``out`` is not an empty or a new folder.
        DataError: when nothing of the benchmark is there, at the first place that departs from
            its form, or when a file cannot be written. Nothing is left at ``out`` then.
    """
    file_format = format_named(benchmark)
    place = _place(benchmark, file_format, Path(path).expanduser().resolve())
    listed = file_format.sources_in(place) if file_format.sources_in else file_format.sources
    sources = {source.name: source for source in listed}
    told: list[ImportedRow] = []

    def records() -> Iterator[Record | Problem]:
        told.clear()
        return _telling(place, read_files(place, benchmark if file_format.rows else None), told)

    export_hub_layout(Dataset(place.stem, records, sources=sources), out, progress)
    return told


def _place(benchmark: str, file_format: FileFormat, path: Path) -> Path:
    """Return the path where something of the benchmark is, as far as can be seen at once."""
    if not path.exists():
        raise DataError(f"no such file or folder: {path}; give {file_format.published}")
    right = bool(file_format.find(path)) if file_format.find else path.is_file()
    if not right:
        raise DataError(f"{path} is nothing of {benchmark}; give {file_format.published}")
    return path


def _telling(
    path: Path, records: Iterator[Record | Problem], told: list[ImportedRow]
) -> Iterator[Record | Problem]:
    """Yield records, with an error where there is no row, and tell of each row."""
    problems: list[Problem] = []
    for record in records:
        if isinstance(record, Problem):
            problems.append(record)
        else:
            content = fields_of(record.content)
            metadata = fields_of(content.get("metadata"))
            questions, turns = items_of(content.get("questions")), items_of(metadata.get("turns"))
            source = str(metadata.get("source"))
            told.append(ImportedRow(source, len(told), len(questions), len(turns), problems))
            problems = []
        yield record
    if not told:
        yield Problem("error", str(path), None, None, "no rows", "at least one")
