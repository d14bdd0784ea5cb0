"""Files of a form of their own, which a user's ``sources.toml`` describes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mabench.data.descriptions import format_of, read_description
from mabench.data.formats import DataFormat
from mabench.data.inventory import Source
from mabench.data.sources.toml_file import DESCRIPTION
from mabench.errors import DataError
from mabench.userfile import read_toml_file


def own_formats(sources_file: Path, declared: Mapping[str, Source]) -> list[DataFormat]:
    """Return the formats that the sources of a ``sources.toml`` without faults describe.

    Raises:
        DataError: when a description has a fault, names sources, or describes several files.
    """
    formats = []
    for name, fields in read_toml_file(sources_file).items():
        if DESCRIPTION not in fields or name not in declared:
            continue
        file = sources_file.parent / fields[DESCRIPTION]
        form = read_description(file)
        if form.sources or form.find:
            what = "sources" if form.sources else "find"
            raise DataError(
                f"{file}, {what}: found one; expected none, since {sources_file.name} names the "
                "source and the data are one file"
            )
        if declared[name].timezone is not None:
            raise DataError(
                f"{sources_file}, [{name}] timezone: found one; expected none, since times without "
                f"a zone are in UTC in a file that {file.name} describes"
            )
        formats.append(format_of(form, declared[name]))
    return formats
