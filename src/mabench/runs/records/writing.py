"""Writing a run's files so that a stop in the middle, or a full disk, loses nothing."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from mabench.errors import DataError, reason
from mabench.runs.records.encoding import JsonRecord
from mabench.runs.records.plain import is_there

# Where the system cannot refuse them, links are looked for first.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def no_link(file: str, flags: int) -> int:
    """Open a file of a run folder, but not what a link in its place leads to: an ``opener``.

    Raises:
        OSError: when it cannot be opened, or is a link.
    """
    try:
        if not _NO_LINK and Path(file).is_symlink():
            raise OSError(errno.ELOOP, "is a link")
        return os.open(file, flags | _NO_LINK, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise OSError(error.errno, "it is a link, which is not followed; remove it") from None
        raise


def append_line(file: Path, record: JsonRecord) -> None:
    """Add a line; one that is only half written, on a full disk, is cut off on resume.

    Raises:
        DataError: when it cannot be written.
    """
    append_bytes(file, f"{record.to_json()}\n".encode())


def append_bytes(file: Path, content: bytes) -> None:
    """Add to a file.

    Raises:
        DataError: when it cannot be written.
    """
    is_there(file)
    try:
        with open(file, "ab", buffering=0, opener=no_link) as stream:
            if stream.write(content) != len(content):
                raise OSError("the disk is full")
    except OSError as error:
        raise DataError(
            f"{file}: cannot be written: {reason(error)}; make room and resume"
        ) from error


def set_aside(file: Path, content: bytes) -> str:
    """Add what cannot be read of a file to one beside it, and return the name of that.

    Raises:
        DataError: when it cannot be written.
    """
    beside = file.with_name(f"{file.name}.damaged")
    append_bytes(beside, content)
    return beside.name


def replace_content(file: Path, parts: Iterable[bytes]) -> None:
    """Replace what a file holds in one step; nothing is lost when it cannot be written.

    Raises:
        DataError: when it cannot be written.
    """
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    is_there(file)
    is_there(part)
    try:
        with open(part, "wb", opener=no_link) as stream:
            stream.writelines(parts)
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise DataError(
            f"{file}: cannot be written: {reason(error)}; make room and resume"
        ) from error
