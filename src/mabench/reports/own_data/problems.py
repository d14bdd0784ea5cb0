"""The problems of a data set as lines: one with a count where many rows have the same fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mabench.data import Problem
from mabench.data.problems import alike, describe_alike


def problem_lines(problems: Iterable[Problem]) -> Iterator[str]:
    """Yield a line for each problem, or for each kind of problem that there is several times."""
    for of_kind in alike(problems):
        for line in describe_alike(of_kind):
            yield f"{of_kind[0].severity}: {line}"
