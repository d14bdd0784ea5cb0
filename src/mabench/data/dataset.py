"""A data set: rows that can be read any number of times, and what is known about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

from mabench.data.entities import load_entities
from mabench.data.fingerprint import fingerprint_rows
from mabench.data.inventory import BY_NAME, REVISION
from mabench.data.problems import Problem
from mabench.data.readers.files import find_entities, find_files, read_files
from mabench.data.readers.hub import download
from mabench.data.readers.objects import object_records, row_records
from mabench.data.records import Record, nearest_sources, read_rows
from mabench.data.schema import Question, Row
from mabench.errors import UsageError


class Dataset:
    """Rows that are read one at a time, as often as they are asked for.

    Attributes:
        name: a short name to show: the folder's, the file's, ``hub``.
        location: what ``open_dataset`` opens again, or None for objects in memory.
        revision: the hub's revision, or None for any other data.
        entities_file: the ``entity2id.json`` beside the data, or None.
        manifest: how synthetic rows were made, or None.
        records: reads the rows from the beginning, unchecked, with what cannot be read.
    """

    def __init__(
        self,
        name: str,
        records: Callable[[], Iterable[Record | Problem]],
        *,
        location: str | None = None,
        revision: str | None = None,
        entities_file: Path | None = None,
    ) -> None:
        self.name = name
        self.records = records
        self.location = location
        self.revision = revision
        self.entities_file = entities_file
        self.manifest: dict[str, Any] | None = None
        self._of_sources: Callable[[Collection[str]], Iterable[Row]] | None = None

    @classmethod
    def from_rows(
        cls,
        name: str,
        rows_factory: Callable[[], Iterable[Row]],
        *,
        of_sources: Callable[[Collection[str]], Iterable[Row]] | None = None,
        entities: dict[str, int] | None = None,
        location: str | None = None,
    ) -> Self:
        """Make a data set of rows in memory, or of rows that are made when they are asked for.

        Args:
            name: a short name to show.
            rows_factory: returns the rows; every call starts anew.
            of_sources: returns the rows of some sources alone, where that is quicker.
            entities: entity name to id, when there are recommendation rows.
            location: what ``open_dataset`` opens again, or None.
        """
        dataset = cls(name, lambda: row_records(name, rows_factory()), location=location)
        dataset.entities = entities
        dataset._of_sources = of_sources
        return dataset

    def rows(self, sources: Collection[str] | None = None) -> Iterator[Row]:
        """Return the rows in order, only those of ``sources`` when given.

        Raises:
            UsageError: at once, when a source is unknown.
            DataError: while reading, at the first row that departs from the schema.
        """
        for name in sources or ():
            if name not in BY_NAME:
                raise UsageError(f"no source is named {name!r}: {nearest_sources(name)}")
        if sources is not None and self._of_sources is not None:
            return iter(self._of_sources(sources))
        rows = read_rows(self.records())
        return (row for row in rows if sources is None or row.source in sources)

    def questions(self, sources: Collection[str] | None = None) -> Iterator[Question]:
        """Return the questions of ``rows(sources)``, in order; raises as it does."""
        return (question for row in self.rows(sources) for question in row.flatten())

    @cached_property
    def fingerprint(self) -> str:
        """The sha256 of the rows' content, the same for every format; reads them all once."""
        return fingerprint_rows(self.rows())

    @cached_property
    def entities(self) -> dict[str, int] | None:
        """Entity name to id, from the ``entity2id.json`` beside the data; None without one.

        Raises:
            DataError: when the file is malformed.
        """
        return None if self.entities_file is None else load_entities(self.entities_file)


def open_dataset(data: object, *, offline: bool = False) -> Dataset:
    """Open a data set; its rows are read when they are asked for.

    Args:
        data: ``hub``; the path of a folder in the hub's layout or of a Parquet, JSON or JSONL
            file; an object of the ``datasets`` library; an iterable of dicts, or a mapping of
            split to such. What can be read only once is read into memory. An open data set
            is returned as it is.
        offline: never touch the network.

    Raises:
        DataError: when nothing is there to read, or the hub cannot be reached.
        UsageError: when ``data`` is none of these.
    """
    if isinstance(data, Dataset):
        return data
    if isinstance(data, str) and data == "hub":
        folder = download(offline)
        return _open_path(folder, "hub", "hub", REVISION)
    if isinstance(data, str | Path):
        path = Path(data).expanduser().resolve()
        find_files(path)  # Complain now rather than at the first row.
        return _open_path(path, path.parent.name if path.name == "data" else path.stem, str(path))
    return Dataset(type(data).__name__, object_records(data))


def _open_path(path: Path, name: str, location: str, revision: str | None = None) -> Dataset:
    return Dataset(
        name,
        partial(read_files, path),
        location=location,
        revision=revision,
        entities_file=find_entities(path),
    )
