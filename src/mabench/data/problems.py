"""A problem of a data set: where it is, what was found there, and what was expected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from mabench.printable import write_count

Severity = Literal["error", "warning"]
TEXT = "text that is not blank"
UNKNOWN_FIELD = "an unknown field"
_LONGEST_SHOWN = 80
_LONGEST_FIELD = 200  # Characters of a path; keys of a file may be of any length.
# From so many problems on, those of one kind share a line.
_MANY = 3
_NUMBER = re.compile(r"\[\d+\]")
_TOO_LONG_SHOWN = 10**_LONGEST_SHOWN


class Problem(NamedTuple):
    """What was found at one place of a data set, and what was expected there.

    ``file`` is a path, or a name for rows that come from no file; ``row`` counts from 0 within
    it and is None if the whole file is meant; ``field`` is a path such as ``answers[3][1]``.
    ``paste`` holds lines that mend it, where they can be told.
    """

    severity: Severity
    file: str
    row: int | None
    field: str | None
    found: str
    expected: str
    paste: str | None = None

    def __str__(self) -> str:
        """The problem as one line, without its severity."""
        place = self.file if self.row is None else f"{self.file}, row {self.row}"
        if self.field is not None:
            is_long = len(self.field) > _LONGEST_FIELD
            place = f"{place}, {self.field[:_LONGEST_FIELD]}{'...' * is_long}"
        return one_line(f"{place}: found {self.found}; expected {self.expected}")

    @property
    def is_unknown_field(self) -> bool:
        """Whether it is a field that rows do not have."""
        return self.found == UNKNOWN_FIELD

    @property
    def text(self) -> str:
        """The problem as one line, and below it the lines to paste, if any."""
        return f"{self}, such as:\n{self.paste}" if self.paste else str(self)

    def as_dict(self) -> dict[str, str | int | None]:
        """The problem as values that JSON can hold, by field name."""
        fields = self._asdict().items()
        return {name: value for name, value in fields if name != "paste" or value is not None}


def alike(problems: Iterable[Problem]) -> list[list[Problem]]:
    """Return problems by kind: of one kind, the same was expected in one field of a file's rows."""
    kinds: dict[tuple[object, ...], list[Problem]] = {}
    for problem in problems:
        field = None if problem.field is None else _NUMBER.sub("[]", problem.field)
        kind = (problem.severity, problem.file, field, problem.expected)
        kinds.setdefault(kind, []).append(problem)
    return [*kinds.values()]


def describe_alike(problems: Sequence[Problem]) -> Iterator[str]:
    """Yield a line for each of a few problems of one kind, or one line with the count of many."""
    if len(problems) < _MANY:
        yield from (problem.text for problem in problems)
        return
    rows = write_count(len({problem.row for problem in problems}), "row")
    yield f"{write_count(len(problems), 'time')} in {rows}, first in {problems[0].text}"


def one_line(text: str) -> str:
    """Return ``text`` with every run of white space as one space."""
    return " ".join(text.split())


def describe(value: object) -> str:
    """Return ``value`` in a few words, as a reader of a JSON file would name it."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return f"an object of {len(value)} fields"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}...")
    if isinstance(value, int) and abs(value) >= _TOO_LONG_SHOWN:
        return f"a whole number of more than {_LONGEST_SHOWN} digits"  # Python may not write it.
    text = repr(value)
    return f"{text[:_LONGEST_SHOWN]} ({type(value).__name__})"
