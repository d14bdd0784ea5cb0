"""The lines of a run's files, read one at a time; one that cannot be read hides no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from mabench.errors import DataError, reason
from mabench.runs.records.encoding import IfKnown, JsonRecord, parse
from mabench.runs.records.plain import is_there
from mabench.userfile import lines_in

T = TypeVar("T")

# How our own lines begin where each names a question: what stands there is its key.
_KEY = re.compile(rb'\{"split": "[^"\\]*", "row": \d+, "question_index": \d+(?=, )')
_SHOWN = 200


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
    check: Callable[[T], str | None],
    damaged: Callable[[DamagedLine], None],
) -> Iterator[tuple[Line, T]]:
    """Yield each line that can be read with its record, and tell of the others.

    Args:
        file: the file.
        kind: what each line holds.
        check: says why a record does not belong there; None where it does.
        damaged: told of each line that cannot be read.

    Raises:
        DataError: when the file cannot be opened.
    """
    for line in lines_of(file):
        try:
            record = parse(kind, line.content)
            reason = check(record)
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
