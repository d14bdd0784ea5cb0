"""One departure from what is expected of a data set, and how values are shown in it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal["error", "warning"]

_LONGEST_SHOWN = 80


class Problem(NamedTuple):
    """What was found at one place of a data set, and what was expected there.

    ``file`` is a path, or a name for rows that come from no file; ``row`` counts from 0 within
    it and is None where the whole file is meant; ``field`` is a path such as ``answers[3][1]``.
    """

    severity: Severity
    file: str
    row: int | None
    field: str | None
    found: str
    expected: str

    def __str__(self) -> str:
        """The problem as one line, without its severity."""
        place = self.file if self.row is None else f"{self.file}, row {self.row}"
        if self.field is not None:
            place = f"{place}, {self.field}"
        return one_line(f"{place}: found {self.found}; expected {self.expected}")

    def as_dict(self) -> dict[str, str | int | None]:
        """The problem as values that JSON can hold, by field name."""
        return self._asdict()


def one_line(text: str) -> str:
    """Return ``text`` with every run of white space as one space."""
    return " ".join(text.split())


def shown(value: object) -> str:
    """Return ``value`` in a few words, as a reader of a JSON file would name it."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return f"an object of {len(value)} fields"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}...")
    text = repr(value)
    return f"{text[:_LONGEST_SHOWN]} ({type(value).__name__})"
