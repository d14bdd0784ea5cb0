"""The sheet while it is worked on: saved after every change, so that stopping loses nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from mabench.data.sheets import (
    SHEET_FILES,
    QuestionStatus,
    SheetLine,
    find_sheet,
    read_sheet,
    write_sheet,
)
from mabench.errors import DataError
from mabench.questioning.conversations import SaidHistory


@dataclass(frozen=True)
class QuestionCounts:
    """How far the questions of a folder are."""

    accepted: int
    drafts: int
    rejected: int
    histories: int
    unasked: int  # Histories without an accepted question.

    @property
    def margin(self) -> float:
        """How far a score of 50 may be off, in points, for other questions about the same."""
        return 196 * (0.25 / self.accepted) ** 0.5 if self.accepted else 100.0


class Sheet:
    """The questions about the conversations of a folder."""

    def __init__(self, file: Path, lines: Iterable[SheetLine]) -> None:
        self.file = file
        self.lines = [*lines]

    @classmethod
    def open(cls, folder: str | Path, kind: str = "csv") -> Sheet:
        """Return the sheet of a folder, which is made if there is none, as ``csv`` or ``json``.

        Raises ``DataError`` where a line of it is wrong, with all that is.
        """
        found = find_sheet(Path(folder))
        if found is None:
            name = next(each for each in SHEET_FILES if each.endswith(f".{kind}"))
            sheet = cls(Path(folder) / name, [])
            sheet.save()
            return sheet
        lines, problems = read_sheet(found)
        if problems:
            raise DataError("\n".join(map(str, problems)))
        return cls(found, lines)

    def save(self) -> None:
        """Write the sheet whole; raises as ``write_file`` does."""
        write_sheet(self.file, self.lines)

    def add(self, line: SheetLine) -> None:
        """Add a question, and save."""
        self.lines.append(line)
        self.save()

    def decide(self, number: int, status: QuestionStatus) -> None:
        """Accept or reject the question of a number, and save."""
        self.lines[number] = replace(self.lines[number], status=status)
        self.save()

    def edit(self, number: int, question: str, answers: tuple[str, ...]) -> None:
        """Accept a question in other words, and save."""
        self.lines[number] = replace(
            self.lines[number], question=question, answers=answers, status=QuestionStatus.ACCEPTED
        )
        self.save()

    def drafts(self) -> list[int]:
        """Return the numbers of the questions that nobody has decided on."""
        return [n for n, line in enumerate(self.lines) if line.status is QuestionStatus.DRAFT]

    def of_history(self, history: str) -> list[SheetLine]:
        """Return the questions about a history, whatever their status."""
        return [line for line in self.lines if line.history == history]

    def count_questions(self, conversations: Iterable[SaidHistory]) -> QuestionCounts:
        """Count the questions by their status, and the histories without one."""
        counts = dict.fromkeys(QuestionStatus, 0)
        asked = set()
        for line in self.lines:
            counts[line.status] += 1
            asked |= {line.history} if line.status is QuestionStatus.ACCEPTED else set()
        ids = [conversation.id for conversation in conversations]
        return QuestionCounts(
            accepted=counts[QuestionStatus.ACCEPTED],
            drafts=counts[QuestionStatus.DRAFT],
            rejected=counts[QuestionStatus.REJECTED],
            histories=len(ids),
            unasked=sum(name not in asked for name in ids),
        )
