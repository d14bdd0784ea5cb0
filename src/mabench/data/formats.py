"""How files of other benchmarks are recognized, and read as rows.

A format comes from an entry point; no benchmark is named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

from mabench.data.inventory import Source
from mabench.data.problems import Problem
from mabench.data.records import Record
from mabench.formats import FormatKind, Glimpse, installed_formats, named_format


@dataclass(frozen=True, kw_only=True)
class DataFormat:
    """How files of another benchmark, as it is published, are known, and read as rows.

    A format is of files that list objects (``fields``, ``items`` and ``rows``), or of folders
    (``find`` and ``read``). Each is an entry point of the group ``mabench.formats``.
    """

    kind: ClassVar[FormatKind] = FormatKind.DATA

    sources: tuple[Source, ...]  # Those that its rows may have.
    published: str  # What the file or folder is called.
    fields: frozenset[str] = frozenset()  # What every such object holds, and no row of ours does.
    # Whether an object with these fields is of this benchmark; None if every one is.
    fits: Callable[[Mapping[str, object]], bool] | None = None
    items: str = ""  # What the file lists.
    # Yields the row that an object is, and what is wrong with it or left out of it.
    rows: Callable[[Record], Iterator[Record | Problem]] | None = None
    # Returns the files of a folder, or of the part of one that a file stands for; none if the path
    # is not of this format.
    find: Callable[[Path], list[Path]] | None = None
    # Yields what ``rows`` does, of such a path, or of one of its files.
    read: Callable[[Path], Iterator[Record | Problem]] | None = None
    sources_in: Callable[[Path], Iterable[Source]] | None = None  # Those of such a path.
    licence: str = ""
    citation: str = ""
    faults: tuple[str, ...] = ()  # What is known to be wrong with the data, each as a clause.

    def recognizes(self, glimpse: Glimpse) -> bool:
        """Return whether a file's first object has the fields, or a folder the files."""
        if self.find is not None and self.find(glimpse.path):
            return True
        return self.describes(glimpse.first_item or glimpse.first_line or {})

    def describes(self, content: Mapping[str, object]) -> bool:
        """Return whether an object of a file is of this format."""
        has_fields = bool(self.fields) and self.fields <= content.keys()
        return has_fields and (self.fits is None or self.fits(content))

    @classmethod
    def installed(cls) -> dict[str, DataFormat]:
        """Return the installed formats by their benchmarks; raises ``UsageError``."""
        return cast("dict[str, DataFormat]", installed_formats(FormatKind.DATA))

    @classmethod
    def named(cls, name: str) -> DataFormat:
        """Return the format of a benchmark; raises ``UsageError`` if there is none of that name."""
        return cast("DataFormat", named_format(name, FormatKind.DATA))


def published_sources() -> Mapping[str, Source]:
    """Return the sources of all formats by name."""
    formats = DataFormat.installed().values()
    return {source.name: source for each in formats for source in each.sources}


def known_faults(sources: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Return what is known to be wrong with the benchmarks of some sources, by their names."""
    names = {*sources}
    return {
        name: each.faults
        for name, each in DataFormat.installed().items()
        if each.faults and names & {source.name for source in each.sources}
    }
