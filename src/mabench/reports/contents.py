"""What a data set holds, on one screen."""

from __future__ import annotations

from collections import defaultdict

from mabench.data import Dataset, Row
from mabench.data.inventory import BY_NAME
from mabench.reports.table import Table
from mabench.text import estimate_tokens


def contents_table(dataset: Dataset) -> Table:
    """Return one row for each source of a data set, with the hub's counts beside its own.

    Raises:
        DataError: when a row cannot be read.
    """
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in dataset.rows():
        for place, number in enumerate(_numbers(row)):
            totals[row.source][place] += number
    headers = ("Source", "Split", "Rows", "Questions", "Answers", "Tokens a row, about")
    rows = [
        (
            name,
            dataset.sources[name].split if name in dataset.sources else "unknown source",
            _beside(rows, name, "rows"),
            _beside(questions, name, "questions"),
            f"{answers:,}",
            f"{tokens // rows:,}",
        )
        for name, (rows, questions, answers, tokens) in totals.items()
    ]
    return Table(headers, rows, (False, False, True, True, True, True))


def _beside(number: int, source: str, what: str) -> str:
    """Return a count with that of the inventory, for a source that is in it."""
    return f"{number} of {getattr(BY_NAME[source], what)}" if source in BY_NAME else str(number)


def _numbers(row: Row) -> tuple[int, int, int, int]:
    answers = sum(map(len, row.answers))
    return 1, len(row.questions), answers, estimate_tokens(row.context)
