"""The files of a run folder: read a line at a time, and written so that nothing is lost.

A line that cannot be read hides no other. A stop in the middle, or a full disk, loses nothing. Only
files are read and written: a pipe would be waited for without end. A line is whole if it has its
line end; without one, it is torn.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Generic, Literal, NamedTuple, TypeVar

from mabench.errors import DataError, reason
from mabench.json_text import IfKnown, JsonRecord, parse
from mabench.userfile import fault_of, lines_in, read_bytes

RecordT = TypeVar("RecordT", bound=JsonRecord)

# How mabench writes the beginning of a line about a question: what names the question.
_KEY = re.compile(rb'\{"split": "[^"\\]*", "row": \d+, "question_index": \d+(?=, )')
_LONGEST_REASON = 200  # Characters that are shown.
# The flag by which the system refuses to open a link; 0 where it has none.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class DamagedLine(JsonRecord):
    """A line of a run's file that cannot be read."""

    file: str  # The name of the file.
    line: int  # The number of the line, from 1.
    reason: str  # Why it cannot be read.
    set_aside: IfKnown[str | None] = None  # The file to which it was moved, byte for byte.

    def __str__(self) -> str:
        """What is wrong with the line, in words."""
        what = "could not be read and was set aside" if self.set_aside else "cannot be read"
        return f"{self.file}, line {self.line} {what}: {self.reason[:_LONGEST_REASON]}"


class _StoredLine(NamedTuple):
    """A line of a file as it is stored."""

    number: int  # From 1.
    content: bytes  # With its line end, if it has one.

    @property
    def is_whole(self) -> bool:
        """Whether it has its line end; only the last line may lack it."""
        return self.content.endswith((b"\n", b"\r"))

    @property
    def with_end(self) -> bytes:
        """The line with a line end, whether it has one or not."""
        return self.content if self.is_whole else self.content + b"\n"


class OwnFile:
    """A file of a run, or of our own beside it.

    Raises:
        DataError: by every method, when the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def is_there(self) -> bool:
        """Return whether the file is there.

        Raises ``DataError`` for what is no file or too large to read.
        """
        try:
            fault = fault_of(self.path.stat())
        except (FileNotFoundError, NotADirectoryError):
            return False
        except ValueError:  # No file has a null character in its name.
            return False
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return False
            raise DataError(f"{self.path}: cannot be read: {reason(error)}") from error
        if fault:
            raise DataError(f"{self.path} is {fault}; remove it, or name another run folder")
        return True

    def open(self, mode: Literal["ab", "wb"], buffering: int = -1) -> BinaryIO:
        """Open the file to write; raises ``OSError``, also if it is a link."""
        return open(self.path, mode, buffering, opener=_open_without_link)

    def add(self, content: bytes) -> None:
        """Add to the end of the file, which is made if it is not there."""
        self.is_there()  # Raises a DataError for what is no file.
        try:
            with self.open("ab", buffering=0) as stream:
                if stream.write(content) != len(content):
                    raise OSError("the disk is full")
        except OSError as error:
            raise self._write_error(error) from error

    def write(self, parts: Iterable[bytes]) -> None:
        """Replace the content of the file in one step; nothing is lost when that fails.

        The new content is written to a file beside it, which then takes its place.
        """
        new_file = OwnFile(self.path.with_name(f".{self.path.name}.{os.getpid()}.part"))
        self.is_there()  # Raises a DataError for what is no file.
        new_file.is_there()
        try:
            with new_file.open("wb") as stream:
                stream.writelines(parts)
            new_file.path.replace(self.path)
        except OSError as error:
            new_file.path.unlink(missing_ok=True)
            raise self._write_error(error) from error

    def read_record(self, kind: type[RecordT]) -> RecordT:
        """Return the one record, of a kind, that the file has as JSON."""
        try:
            return parse(kind, read_bytes(self.path))
        except (OSError, ValueError) as error:
            raise DataError(f"{self.path}: not readable: {reason(error)}") from error

    def write_text(self, text: str) -> None:
        """Replace the content of the file by a text, such as a record as JSON.

        Its folder is made if need be.
        """
        folder = self.path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = f"it cannot be made: {reason(error)}; give another `out`"
            raise DataError(f"{folder}: {why}") from error
        self.write([f"{text}\n".encode()])

    def set_aside(self, content: bytes) -> str:
        """Add what cannot be read of the file to one beside it, whose name is returned."""
        beside = self.path.with_name(f"{self.path.name}.damaged")
        OwnFile(beside).add(content)
        return beside.name

    def _write_error(self, error: OSError) -> DataError:
        """Return the error to raise when the file cannot be written."""
        return DataError(f"{self.path}: cannot be written: {reason(error)}; make room and resume")


class LineFile(OwnFile, Generic[RecordT]):
    """A file of a run with a record of a kind on each line."""

    def __init__(
        self,
        path: Path,
        kind: type[RecordT],
        damaged: dict[tuple[str, int], DamagedLine],
        begin_check: Callable[[], Callable[[JsonRecord], None] | None],
    ) -> None:
        """Name the file, which need not be there yet.

        Args:
            path: where it is.
            kind: the type of its records.
            damaged: gets the lines that cannot be read, by file and number; several files share it.
            begin_check: is called each time before the first line is read. It returns a function
                that raises ``ValueError`` for a record that may not count, or None if all may.
        """
        super().__init__(path)
        self._kind, self._damaged, self._begin_check = kind, damaged, begin_check
        self._was_read = False  # To its end, so that all its damaged lines are in ``damaged``.

    def append(self, record: RecordT) -> None:
        """Add a record; a line that is half written, on a full disk, is cut off on resume."""
        self.add(f"{record.to_json()}\n".encode())

    def records(self) -> Iterator[RecordT]:
        """Yield the records of all lines that can be read and may count."""
        return (record for _, record in self._read())

    def distinct(self) -> Iterator[RecordT]:
        """Yield the records, but only the first of equal lines."""
        seen: set[int] = set()  # Hashes of lines, which take less memory than these.
        for line, record in self._read():
            line_hash = hash(line.content.strip())
            if line_hash not in seen:
                seen.add(line_hash)
                yield record

    def latest(self, *, every: bool = False) -> Iterator[RecordT]:
        """Yield the records of questions: of each question the latest, or ``every`` one."""
        if every or self._has_one_line_each():
            yield from self.records()
            return
        last_lines = self._last_lines()
        for line, record in self._read():
            if line.number in last_lines:
                yield record

    def replace(self, records: Iterable[RecordT]) -> None:
        """Write all records anew, all at once: a stop in the middle leaves the old ones."""
        self.write(f"{record.to_json()}\n".encode() for record in records)

    def repair(self, register: LineFile[DamagedLine]) -> list[DamagedLine]:
        """Set aside the lines that cannot be read, and end the last line if it has no end.

        Each damaged line is added to ``register`` and returned. A line that a stop cut off is set
        aside as well, but is no damage.
        """
        if not self._was_read:
            for _ in self._read():  # This notes the lines that cannot be read.
                pass
        unreadable = {line for file, line in self._damaged if file == self.path.name}
        if not unreadable and self._ends_whole():
            return []
        damaged_lines = []
        for line in self._lines():
            if line.number not in unreadable:
                continue
            damaged = self._set_line_aside(line)
            if damaged is not None:
                register.append(damaged)
                damaged_lines.append(damaged)
        self.write(line.with_end for line in self._lines() if line.number not in unreadable)
        return damaged_lines

    def _set_line_aside(self, line: _StoredLine) -> DamagedLine | None:
        """Copy a line that cannot be read to the file for such lines.

        Returns what is wrong with it; None if a stop cut it off, which is no damage.
        """
        file_name = self.set_aside(line.with_end)
        damaged = self._damaged.pop((self.path.name, line.number))
        # A stop leaves one record that was begun and not ended; two in a line are no mere stop.
        has_one_beginning = line.content.startswith(b"{") and line.content.count(b'{"split": ') < 2
        was_cut_off = has_one_beginning and not line.is_whole
        return None if was_cut_off else replace(damaged, set_aside=file_name)

    def end_line(self) -> None:
        """End a last line that was half written, so that another can be added."""
        if any(not line.is_whole for line in self._lines()):
            self.add(b"\n")

    def _ends_whole(self) -> bool:
        """Return whether the last line has its line end, or the file has no line."""
        if not self.is_there():
            return True
        try:
            with self.path.open("rb") as stream:
                if stream.seek(0, os.SEEK_END) == 0:
                    return True
                stream.seek(-1, os.SEEK_END)
                return stream.read() in (b"\n", b"\r")
        except OSError as error:
            raise self._read_error(error) from error

    def _lines(self) -> Iterator[_StoredLine]:
        """Yield the lines that are not blank."""
        if not self.is_there():
            return
        try:
            with self.path.open("rb") as stream:
                for number, content in enumerate(lines_in(stream), start=1):
                    if content.strip():
                        yield _StoredLine(number, content)
        except OSError as error:
            raise self._read_error(error) from error

    def _read_error(self, error: OSError) -> DataError:
        """Return the error to raise when the file cannot be read."""
        return DataError(
            f"{self.path}: not readable: {reason(error)}; inspect it, or restore a copy"
        )

    def _read(self) -> Iterator[tuple[_StoredLine, RecordT]]:
        """Yield each line that can be read and may count, with its record; note the others.

        They are noted in ``damaged``, with the reason.
        """
        check = self._begin_check() if self.is_there() else None
        for line in self._lines():
            try:
                record = parse(self._kind, line.content)
                if check is not None:
                    check(record)
            except ValueError as error:
                fault = str(error) if line.is_whole else f"torn: {error}"
                damaged = DamagedLine(self.path.name, line.number, fault)
                self._damaged[damaged.file, damaged.line] = damaged
            else:
                yield line, record
        self._was_read = True

    def _last_lines(self) -> Container[int]:
        """Return the number of the last line of each question, of those that can be read."""
        last_lines = {
            (record["split"], record["row"], record["question_index"]): line.number
            for line, record in self._read()
        }
        return frozenset(last_lines.values())

    def _has_one_line_each(self) -> bool:
        """Return whether it can be told without parsing that no question has two lines.

        That is so if each line begins with the key of a question as mabench writes it, and no two
        lines with the same.
        """
        seen: set[int] = set()  # Hashes of keys, which take less memory than these.
        for line in self._lines():
            key = _KEY.match(line.content)
            if key is None or hash(key[0]) in seen:
                return False
            seen.add(hash(key[0]))
        return True


def _open_without_link(file: str, flags: int) -> int:
    """Open a file as ``os.open`` does, but raise ``OSError`` if it is a link."""
    try:
        if not _NO_LINK and Path(file).is_symlink():
            raise OSError(errno.ELOOP, "is a link")
        return os.open(file, flags | _NO_LINK, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise OSError(error.errno, "it is a link, which is not followed; remove it") from None
        raise
