"""Files of other benchmarks as they are published: known by their fields or folders, read as rows.

Each format is an entry point of the group ``mabench.formats``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mabench.data.inventory import Source
from mabench.data.records import Problem, Record
from mabench.errors import UsageError
from mabench.plugins import Group, load_plugin, missing_part, plugins
from mabench.suggestions import unknown


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """How the files of a benchmark are known, and read.

    A format is of files that list objects (``fields``, ``items`` and ``rows``), or of folders
    (``find`` and ``read``).
    """

    sources: tuple[Source, ...]  # Those that its rows may have.
    published: str  # What the file or folder is called.
    fields: frozenset[str] = frozenset()  # What every such object holds, and no row of ours does.
    items: str = ""  # What the file lists.
    # Yields the row that an object is, and what is wrong with it or left out of it.
    rows: Callable[[Record], Iterator[Record | Problem]] | None = None
    # Returns the files of a folder, or of the part of one that a file stands for; none if the path
    # is not of this format.
    find: Callable[[Path], list[Path]] | None = None
    # Yields what ``rows`` does, of such a path, or of one of its files.
    read: Callable[[Path], Iterator[Record | Problem]] | None = None
    sources_in: Callable[[Path], Iterable[Source]] | None = None  # Those of such a path.


def file_formats() -> dict[str, FileFormat]:
    """Return the installed formats by their benchmarks; raises ``UsageError``."""
    formats: dict[str, FileFormat] = {}
    for name, point in plugins(Group.FORMATS).items():
        file_format = load_plugin(point, "file format")
        if not isinstance(file_format, FileFormat):
            kind = type(file_format).__name__
            raise UsageError(f"{point.value} is of type {kind}; expected a FileFormat")
        formats[name] = file_format
    return formats


def format_named(name: str) -> FileFormat:
    """Return the format of a benchmark; raises ``UsageError`` if there is none of that name."""
    formats = file_formats()
    if name not in formats:
        raise missing_part(name) or UsageError(unknown("no benchmark named", name, formats))
    return formats[name]


def published_sources() -> Mapping[str, Source]:
    """Return the sources of all formats by name."""
    return {source.name: source for each in file_formats().values() for source in each.sources}
