"""The problems of a data set as lines: one with a count where many rows have the same fault."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mabench.data import Problem
from mabench.printable import write_count

# From this many problems on, those of one kind share a line.
_MANY = 3
_NUMBER = re.compile(r"\[\d+\]")


def problem_lines(problems: Iterable[Problem]) -> Iterator[str]:
    """Yield a line for each problem, or for each kind of problem that there is several times.

    Problems are of one kind if the same was expected in the same field of the rows of a file.
    """
    kinds: dict[tuple[object, ...], list[Problem]] = {}
    for problem in problems:
        field = None if problem.field is None else _NUMBER.sub("[]", problem.field)
        kind = (problem.severity, problem.file, field, problem.expected)
        kinds.setdefault(kind, []).append(problem)
    for alike in kinds.values():
        if len(alike) < _MANY:
            yield from (f"{problem.severity}: {problem.text}" for problem in alike)
        else:
            first, times = alike[0], write_count(len(alike), "time")
            rows = len({problem.row for problem in alike})
            yield f"{first.severity}: {times} in {write_count(rows, 'row')}, first in {first.text}"
