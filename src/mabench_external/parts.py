"""Parts of a published object, read by name and type, each fault with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from mabench.data.problems import TEXT, Problem, describe
from mabench.data.records import Record
from mabench.errors import EXPECTED
from mabench.json_text import has_surrogates

T = TypeVar("T")
_NAMES: Mapping[type, str] = {
    str: "a string",
    list: "a list",
    dict: "an object",
    int: "a whole number",
}
AGAIN = "copy or download the file again"


class FieldError(ValueError):
    """A part of an object is not what its format says; ``problem`` names it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(slots=True)
class Part:
    """A value in an object of a file, and its place there, such as ``qa[3].question``.

    Attributes:
        record: the object.
        value: the value, unchecked.
        place: where it stands; empty for the whole object.
        is_there: whether it does.
    """

    record: Record
    value: Any
    place: str = ""
    is_there: bool = True

    def __getitem__(self, name: str) -> Part:
        """Return a field of an object, which need not be there; raises as ``of``."""
        fields = self.of(dict)
        place = f"{self.place}.{name}" if self.place else name
        return Part(self.record, fields.get(name), place, name in fields)

    def items(self) -> list[Part]:
        """Return the items of a list; raises as ``of``."""
        items = enumerate(self.of(list))
        return [Part(self.record, item, f"{self.place}[{i}]") for i, item in items]

    def of(self, kind: type[T]) -> T:
        """Return the value if it is of the type ``kind``; raises ``FieldError`` otherwise."""
        if not isinstance(self.value, kind) or isinstance(self.value, bool):
            raise self.fault(f"{_NAMES[kind]}; {AGAIN}")
        if isinstance(self.value, str) and has_surrogates(self.value):
            raise self.fault(EXPECTED["string_unicode"])
        return self.value

    def text(self) -> str:
        """Return a text that is not blank; raises as ``of``."""
        if not (text := self.of(str)).strip():
            raise self.fault(TEXT)
        return text

    def answer(self) -> str:
        """Return a gold as text; one that is a number is its text. Raises as ``of``."""
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return str(self.value)
        if self.value is not None and not isinstance(self.value, str):
            raise self.fault("a string or a number")
        return self.text()

    def fault(self, expected: str, found: str | None = None) -> FieldError:
        """Return the error that something else is expected than ``found``, or than the value."""
        found = found or (describe(self.value) if self.is_there else "nothing")
        return FieldError(self.record.error(self.place or None, found, expected))

    def doubt(self, expected: str, found: str | None = None) -> Problem:
        """Return the same as a warning."""
        return self.record.warning(self.place, found or describe(self.value), expected)


def row_of(
    record: Record, split: str, read: Callable[[Record], tuple[dict[str, object], list[Problem]]]
) -> Iterator[Record | Problem]:
    """Yield the row of a ``split`` that ``read`` makes of a record, after what is wrong with it.

    ``read`` returns the content of the row and what was left out; it raises a ``FieldError``.
    """
    try:
        content, problems = read(record)
    except FieldError as error:
        yield error.problem
        return
    yield from problems
    yield record._replace(split=split, content=content)
