"""The sheet of questions of a folder of conversations, while a user works on it.

It is saved after every change, so that stopping loses nothing.
"""

from __future__ import annotations

import math
from collections import Counter
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

# The standard deviation of the score of one question, in points, if half of all are right; and how
# many standard errors a 95 % interval extends to each side.
_DEVIATION = 50
_STANDARD_ERRORS = 1.96


@dataclass(frozen=True)
class QuestionCounts:
    """The numbers of the questions of a folder, by status, and of its histories."""

    accepted: int
    drafts: int
    rejected: int
    histories: int
    unasked: int  # Histories without an accepted question.

    @property
    def margin(self) -> float:
        """Half the 95 % interval of a score of 50 over the accepted questions, in points.

        It covers other questions of the same kind. Without a question it is 100: nothing is known.
        """
        if not self.accepted:
            return 100.0
        return _STANDARD_ERRORS * _DEVIATION / math.sqrt(self.accepted)


class Sheet:
    """The questions about the conversations of a folder, one a line, and the file they are in."""

    def __init__(self, file: Path, lines: Iterable[SheetLine]) -> None:
        self.file = file
        self.lines = list(lines)

    @classmethod
    def open(cls, folder: str | Path, kind: str = "csv") -> Sheet:
        """Return the sheet of a folder; if there is none, make an empty one of ``kind``.

        Args:
            folder: the folder of the conversations.
            kind: ``csv`` or ``json``.

        Raises:
            DataError: when lines are wrong; the message lists all their problems.
        """
        file = find_sheet(Path(folder))
        if file is None:
            names_by_ending = {Path(name).suffix: name for name in SHEET_FILES}
            sheet = cls(Path(folder) / names_by_ending[f".{kind}"], lines=[])
            sheet.save()
            return sheet
        lines, problems = read_sheet(file)
        if problems:
            raise DataError("\n".join(str(problem) for problem in problems))
        return cls(file, lines)

    def save(self) -> None:
        """Write all lines to the file; raises as ``write_file`` does."""
        write_sheet(self.file, self.lines)

    def add(self, line: SheetLine) -> None:
        """Add a question, and save."""
        self.lines.append(line)
        self.save()

    def decide(self, index: int, status: QuestionStatus) -> None:
        """Accept or reject the question at an index of ``lines``, and save."""
        self.lines[index] = replace(self.lines[index], status=status)
        self.save()

    def edit(self, index: int, question: str, answers: tuple[str, ...]) -> None:
        """Accept the question at an index of ``lines``, with other texts, and save."""
        self.lines[index] = replace(
            self.lines[index], question=question, answers=answers, status=QuestionStatus.ACCEPTED
        )
        self.save()

    def draft_indices(self) -> list[int]:
        """Return the indices in ``lines`` of the questions that nobody has decided on."""
        return [
            index for index, line in enumerate(self.lines) if line.status is QuestionStatus.DRAFT
        ]

    def of_history(self, history: str) -> list[SheetLine]:
        """Return the questions about a history, whatever their status."""
        return [line for line in self.lines if line.history == history]

    def count_questions(self, conversations: Iterable[SaidHistory]) -> QuestionCounts:
        """Count the questions by their status, and the histories without an accepted one."""
        by_status = Counter(line.status for line in self.lines)
        asked_about = {
            line.history for line in self.lines if line.status is QuestionStatus.ACCEPTED
        }
        histories = [conversation.id for conversation in conversations]
        return QuestionCounts(
            accepted=by_status[QuestionStatus.ACCEPTED],
            drafts=by_status[QuestionStatus.DRAFT],
            rejected=by_status[QuestionStatus.REJECTED],
            histories=len(histories),
            unasked=sum(history not in asked_about for history in histories),
        )
