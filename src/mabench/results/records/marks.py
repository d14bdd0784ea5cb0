"""Marks, by which people say that a gold or a verdict is wrong.

They are the lines of ``marks.jsonl``. No score counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Self

from mabench.errors import DataError
from mabench.json_text import IfKnown, parse
from mabench.results.records.lines import Key, QuestionPlace, Sample
from mabench.userfile import read_bytes

_LONGEST_NOTE = 2_000  # Characters.
_LARGEST_FILE = 50_000_000  # Bytes.
_LONGEST_SHOWN = 40  # Characters of a wrong value in a message.
FILE_NAME = "marks.jsonl"


class MarkKind(StrEnum):
    """What a person says is wrong."""

    GOLD_WRONG = "gold-wrong"  # The gold is no right answer, or not the only one.
    VERDICT_WRONG = "verdict-wrong"  # The answer is scored otherwise than it should be.


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark(QuestionPlace):
    """What a person says of a question, or takes back."""

    source: str  # The source of the row.
    mark: str  # What is wrong: ``gold-wrong`` or ``verdict-wrong``.
    note: str = ""  # Why, in the person's words.
    date: IfKnown[str | None] = None  # When it was made, in UTC.
    # The hash of the answer that was seen: a mark of a verdict holds for this answer only.
    answer: IfKnown[str | None] = None
    withdrawn: IfKnown[bool | None] = None  # Whether the person takes back the same mark.

    def __post_init__(self) -> None:
        """Raise a ``ValueError`` for an unknown mark or a note that is too long."""
        if self.mark not in list(MarkKind):
            shown = self.mark[:_LONGEST_SHOWN]
            raise ValueError(f"{shown!r} is no mark: there are {', '.join(MarkKind)}")
        if len(self.note) > _LONGEST_NOTE:
            raise ValueError(f"a note of more than {_LONGEST_NOTE:,} characters")

    @classmethod
    def of(cls, sample: Sample, kind: MarkKind, note: str = "", *, withdrawn: bool = False) -> Self:
        """Return a mark of a question that is made now.

        Raises ``ValueError`` for a note that is too long.
        """
        return cls(
            split=sample.split,
            row=sample.row,
            question_index=sample.question_index,
            source=sample.source,
            mark=kind,
            note=note,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            answer=sample.answer_hash if sample.prediction is not None else None,
            withdrawn=True if withdrawn else None,
        )

    @classmethod
    def parse_given(cls, sample: Sample, given: Mapping[str, object]) -> Self:
        """Return a mark of a question from the JSON object that a page sent.

        Raises ``ValueError`` if the object is no mark.
        """
        kind, note = given.get("mark"), given.get("note", "")
        if not isinstance(kind, str) or not isinstance(note, str):
            raise ValueError("mark and note are texts")
        return cls.of(sample, MarkKind(kind), note, withdrawn=given.get("withdrawn") is True)


def latest_marks(marks: Iterable[Mark]) -> list[Mark]:
    """Return the last mark of each kind of each question, without those that were withdrawn."""
    latest: dict[tuple[Key, str], Mark] = {}  # By the question and what is wrong.
    for mark in marks:
        latest[mark.key, mark.mark] = mark
    return [mark for mark in latest.values() if not mark.withdrawn]


def read_marks(file: Path) -> Iterator[Mark]:
    """Yield the marks of a file that a page saved, or of a run's folder.

    Raises:
        DataError: when the file cannot be read, or a line is no mark: it names the line.
    """
    path = file / FILE_NAME if file.is_dir() else file
    try:
        content = read_bytes(path)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: not readable: {error}") from error
    if len(content) > _LARGEST_FILE:
        raise DataError(f"{path}: {len(content):,} bytes are no file of marks")
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield parse(Mark, line)
        except ValueError as error:
            remedy = "correct or delete the line"
            raise DataError(f"{path}, line {number}: no mark: {error}; {remedy}") from error
