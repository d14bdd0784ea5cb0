"""What people say of the golds and verdicts of a run: a sentence, and the list on request."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.printable import write_count
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import Mark, MarkKind

_COLUMNS: tuple[Column[Mark], ...] = (
    Column("Source", lambda mark: mark.source),
    Column("Row", lambda mark: mark.row, ""),
    Column("Question", lambda mark: mark.question_index, ""),
    Column("Marked", lambda mark: mark.mark.value),
    Column("Note", lambda mark: mark.note),
)


def describe_marks(marks: Sequence[Mark]) -> str | None:
    """Return how many golds and verdicts people say are wrong; None without marks."""
    counts = []
    for kind, noun in ((MarkKind.GOLD_WRONG, "gold"), (MarkKind.VERDICT_WRONG, "verdict")):
        number = sum(mark.mark is kind for mark in marks)
        if number:
            counts.append(write_count(number, noun))
    if not counts:
        return None
    verb = "is" if len(marks) == 1 else "are"
    return f"{' and '.join(counts)} {verb} marked as wrong; no score counts the marks."


def marks_table(marks: Sequence[Mark]) -> Table:
    """Return the marks, a line each, in the order of the questions."""
    return tabulate(_COLUMNS, sorted(marks, key=lambda mark: (mark.source, *mark.key)))
