"""The golds and verdicts of a run that people marked as wrong: a sentence, and a list.

A gold is a right answer by the data; a verdict says whether an agent's answer is right.
"""

from __future__ import annotations

from collections.abc import Sequence

from mabench.printable import write_count
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import Mark, MarkKind

_COLUMNS: tuple[Column[Mark], ...] = (
    Column("Source", lambda mark: mark.source),
    Column("Row", lambda mark: mark.row, spec=""),
    Column("Question", lambda mark: mark.question_index, spec=""),
    Column("Marked", lambda mark: mark.mark),
    Column("Note", lambda mark: mark.note),
)


def describe_marks(marks: Sequence[Mark]) -> str | None:
    """Return how many golds and verdicts people say are wrong; None without such marks."""
    golds = sum(mark.mark == MarkKind.GOLD_WRONG for mark in marks)
    verdicts = sum(mark.mark == MarkKind.VERDICT_WRONG for mark in marks)
    if not golds and not verdicts:
        return None
    counts = ((golds, "gold"), (verdicts, "verdict"))
    marked = " and ".join(write_count(number, noun) for number, noun in counts if number)
    verb = "is" if len(marks) == 1 else "are"
    return f"{marked} {verb} marked as wrong; no score counts the marks."


def marks_table(marks: Sequence[Mark]) -> Table:
    """Return a table with a row for each mark, in the order of the questions."""
    return tabulate(_COLUMNS, sorted(marks, key=lambda mark: (mark.source, *mark.key)))
