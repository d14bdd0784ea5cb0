"""The files of a run folder: read a line at a time, written so that nothing is lost.

A line that cannot be read hides no other; a stop in the middle, or a full disk, loses nothing. Only
files are read and written: a pipe would be waited for, without an end.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from mabench.errors import DataError, reason
from mabench.results.records.encoding import IfKnown, JsonRecord, parse
from mabench.userfile import fault_of, lines_in

T = TypeVar("T")

# How our own lines begin where each names a question: what stands there is its key.
_KEY = re.compile(rb'\{"split": "[^"\\]*", "row": \d+, "question_index": \d+(?=, )')
_SHOWN = 200
# Where the system cannot refuse them, links are looked for first.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def is_there(file: Path) -> bool:
    """Whether a file is there.

    Raises:
        DataError: when something else is there, it is too large, or it cannot be told.
    """
    try:
        fault = fault_of(file.stat())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False  # A null character is in no name.
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise DataError(f"{file}: cannot be read: {reason(error)}") from error
    if fault:
        raise DataError(f"{file} is {fault}; remove it, or name another run folder")
    return True


@dataclass(frozen=True, slots=True)
class DamagedLine(JsonRecord):
    """A line of a run's file that cannot be read.

    Attributes:
        file: the name of the file.
        line: the number of the line, from 1.
        reason: why it cannot be read.
        set_aside: the name of the file to which it was moved, byte for byte.
    """

    file: str
    line: int
    reason: str
    set_aside: IfKnown[str | None] = None

    def __str__(self) -> str:
        what = "could not be read and was set aside" if self.set_aside else "cannot be read"
        return f"{self.file}, line {self.line} {what}: {self.reason[:_SHOWN]}"


class Line(NamedTuple):
    """A line of a file and its number, from 1."""

    number: int
    content: bytes

    @property
    def is_whole(self) -> bool:
        """Whether it was written to its end."""
        return self.content.endswith((b"\n", b"\r"))

    @property
    def is_cut(self) -> bool:
        """Whether it is the start of one line of ours, at which the writing was stopped."""
        return (
            not self.is_whole
            and self.content.startswith(b"{")
            and self.content.count(b'{"split": ') < 2
        )

    @property
    def ended(self) -> bytes:
        """What it holds, with an end."""
        return self.content if self.is_whole else self.content + b"\n"

    def damaged(self, file: Path, reason: str) -> DamagedLine:
        """Return what is wrong with it; a line that is only half written is torn."""
        return DamagedLine(file.name, self.number, reason if self.is_whole else f"torn: {reason}")


def lines_of(file: Path) -> Iterator[Line]:
    """Yield the lines of a file that are not blank; none when there is no file.

    Raises:
        DataError: when the file cannot be opened, or something else is in its place.
    """
    if not is_there(file):
        return
    try:
        with file.open("rb") as stream:
            for number, content in enumerate(lines_in(stream), start=1):
                if content.strip():
                    yield Line(number, content)
    except OSError as error:
        raise DataError(
            f"{file}: not readable: {reason(error)}; look at it, or put back a copy"
        ) from error


def records_in(
    file: Path,
    kind: type[T],
    sources: Container[str] | None,
    damaged: Callable[[DamagedLine], None],
) -> Iterator[tuple[Line, T]]:
    """Yield each line that can be read with its record, and tell of the others.

    Args:
        file: the file.
        kind: what each line holds.
        sources: those that a record may be of; None where they are not known.
        damaged: told of each line that cannot be read.

    Raises:
        DataError: when the file cannot be opened.
    """
    for line in lines_of(file):
        try:
            record = parse(kind, line.content)
            source = getattr(record, "source", None)
            reason = None
            if not (source is None or sources is None or source in sources):
                reason = f"the run has no source {source!r}"
        except ValueError as error:
            reason = str(error)
        if reason is None:
            yield line, record
        else:
            damaged(line.damaged(file, reason))


def repeated(file: Path, keys: Callable[[], Iterable[tuple[int, Hashable]]]) -> frozenset[int]:
    """Return the numbers of the lines whose question stands in a later line again.

    Args:
        file: the file; where all lines are as we write them and none repeats another, their
            beginnings tell.
        keys: number and key of each line that can be read.
    """
    seen: set[int] = set()
    for line in lines_of(file):
        found = _KEY.match(line.content)
        if found is None or hash(found[0]) in seen:
            break
        seen.add(hash(found[0]))
    else:
        return frozenset()
    latest: dict[Hashable, int] = {}
    earlier = set()
    for number, key in keys():
        if key in latest:
            earlier.add(latest[key])
        latest[key] = number
    return frozenset(earlier)


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
