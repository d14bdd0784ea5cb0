"""The problems of a data set as lines and as a table.

Where many rows have the same fault, the lines have it once, with a count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mabench.data import Problem
from mabench.data.problems import alike, describe_alike
from mabench.reports.tables import Column, Table, tabulate


def problem_lines(problems: Iterable[Problem]) -> Iterator[str]:
    """Yield a line for each problem, or for each kind of problem that there is several times."""
    for of_kind in alike(problems):
        for line in describe_alike(of_kind):
            yield f"{of_kind[0].severity}: {line}"


def problems_table(problems: Iterable[Problem]) -> Table:
    """Return a table with a row for each problem."""
    return tabulate(_COLUMNS, problems)


_COLUMNS: tuple[Column[Problem], ...] = (
    Column("Severity", lambda problem: problem.severity),
    Column("File", lambda problem: problem.file),
    Column("Row", lambda problem: problem.row, ""),
    Column("Field", lambda problem: problem.field or None),
    Column("Found", lambda problem: problem.found),
    Column("Expected", lambda problem: problem.expected),
)
