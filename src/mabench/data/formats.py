"""How files of other benchmarks are recognized, and read as rows.

A format comes from an entry point; no benchmark is named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mabench.data.inventory import Source
from mabench.data.problems import Problem
from mabench.data.records import Record
from mabench.errors import UsageError, unknown
from mabench.plugins import Group, load_plugin, missing_part, plugins


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """How files of another benchmark, as it is published, are known, and read as rows.

    A format is of files that list objects (``fields``, ``items`` and ``rows``), or of folders
    (``find`` and ``read``). Each is an entry point of the group ``mabench.formats``.
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

    @classmethod
    def installed(cls) -> dict[str, FileFormat]:
        """Return the installed formats by their benchmarks; raises ``UsageError``."""
        formats: dict[str, FileFormat] = {}
        for name, point in plugins(Group.FORMATS).items():
            file_format = load_plugin(point, "file format")
            if not isinstance(file_format, FileFormat):
                kind = type(file_format).__name__
                raise UsageError(f"{point.value} is of type {kind}; expected a FileFormat")
            formats[name] = file_format
        return formats

    @classmethod
    def named(cls, name: str) -> FileFormat:
        """Return the format of a benchmark; raises ``UsageError`` if there is none of that name."""
        formats = cls.installed()
        if name not in formats:
            raise missing_part(name) or UsageError(unknown("no benchmark named", name, formats))
        return formats[name]


def published_sources() -> Mapping[str, Source]:
    """Return the sources of all formats by name."""
    formats = FileFormat.installed().values()
    return {source.name: source for each in formats for source in each.sources}
