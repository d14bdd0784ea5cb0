"""Rows of another benchmark's file, written once and told what was left out of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mabench.data.dataset import Dataset
from mabench.data.export import export_hub_layout
from mabench.data.inventory import OTHERS
from mabench.data.problems import Problem
from mabench.data.readers.files import find_published_sources, read_files
from mabench.data.readers.published import CHAT, find_chats
from mabench.data.records import Record
from mabench.data.row_checks import fields_of, items_of
from mabench.errors import DataError, UsageError
from mabench.progress import Progress
from mabench.suggestions import unknown

_BEAM = "beam"
# What the file of a benchmark is called, or its folder.
_PUBLISHED = {
    "locomo": "the file locomo10.json",
    "longmemeval": "a file such as longmemeval_s.json",
    _BEAM: f"the folder chats, or one of a size in it, with 100K/1/{CHAT} and so on",
}


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
        benchmark: ``locomo``, ``longmemeval`` or ``beam``.
        path: the file as it is published, for ``beam`` the folder.
        out: a new or an empty folder.
        progress: told of each row that is written.

    Returns:
        What became of each row.

    Raises:
        UsageError: when there is no such benchmark, or ``out`` is not an empty or a new folder.
        DataError: when nothing of the benchmark is there, at the first place that departs from
            its form, or when a file cannot be written. Nothing is left at ``out`` then.
    """
    place = _place(benchmark, Path(path).expanduser().resolve())
    known = find_published_sources(place) if benchmark == _BEAM else {benchmark: OTHERS[benchmark]}
    told: list[ImportedRow] = []

    def records() -> Iterator[Record | Problem]:
        told.clear()
        named = None if benchmark == _BEAM else benchmark
        return _telling(place, read_files(place, named), told)

    export_hub_layout(Dataset(place.stem, records, sources=known), out, progress)
    return told


def _place(benchmark: str, path: Path) -> Path:
    """Return the path where something of the benchmark is, as far as can be seen at once."""
    if benchmark not in _PUBLISHED:
        raise UsageError(unknown("no benchmark named", benchmark, _PUBLISHED))
    if not path.exists():
        raise DataError(f"no such file or folder: {path}; give {_PUBLISHED[benchmark]}")
    right = bool(find_chats(path)) if benchmark == _BEAM else path.is_file()
    if not right:
        raise DataError(f"{path} is nothing of {benchmark}; give {_PUBLISHED[benchmark]}")
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
