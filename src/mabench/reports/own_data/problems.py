"""The problems that were found in a data set, as lines for a terminal and as a table.

If many rows have the same fault, the lines have it once, with a count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mabench.data import Problem
from mabench.data.problems import alike, describe_alike
from mabench.reports.tables import Column, Table, tabulate


def problem_lines(problems: Iterable[Problem]) -> Iterator[str]:
    """Yield lines for the problems: those that are alike together, after their severity."""
    for alike_problems in alike(problems):
        severity = alike_problems[0].severity
        for description in describe_alike(alike_problems):
            yield f"{severity}: {description}"


def problems_table(problems: Iterable[Problem]) -> Table:
    """Return a table with a row for each problem."""
    return tabulate(_COLUMNS, problems)


_COLUMNS: tuple[Column[Problem], ...] = (
    Column("Severity", lambda problem: problem.severity),
    Column("File", lambda problem: problem.file),
    Column("Row", lambda problem: problem.row, spec=""),
    Column("Field", lambda problem: problem.field or None),
    Column("Found", lambda problem: problem.found),
    Column("Expected", lambda problem: problem.expected),
)
