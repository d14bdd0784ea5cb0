"""Writing a run's files so that a stop in the middle, or a full disk, loses nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from mabench.errors import DataError
from mabench.runs.records.encoding import JsonRecord


def append_line(file: Path, record: JsonRecord) -> None:
    """Add a line; one that is only half written, on a full disk, is cut off on resume.

    Raises:
        DataError: when it cannot be written.
    """
    try:
        with file.open("ab", buffering=0) as stream:
            content = f"{record.to_json()}\n".encode()
            if stream.write(content) != len(content):
                raise OSError("the disk is full")
    except OSError as error:
        raise DataError(f"{file}: cannot be written: {error}; make room and resume") from error


def replace_content(file: Path, parts: Iterable[bytes]) -> None:
    """Replace what a file holds in one step; nothing is lost when it cannot be written.

    Raises:
        DataError: when it cannot be written.
    """
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as stream:
            stream.writelines(parts)
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise DataError(f"{file}: cannot be written: {error}; make room and resume") from error
