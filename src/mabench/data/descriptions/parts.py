"""Reads the parts of a published object by name and type; every error names the place."""

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
    """A part of an object does not have its format; ``problem`` says where and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(slots=True)
class JsonPart:
    """A value in an object of a file, and its place there, such as ``qa[3].question``.

    Attributes:
        record: the object.
        value: the value, unchecked.
        place: where it is; empty for the whole object.
        is_there: whether the object has it.
    """

    record: Record
    value: Any
    place: str = ""
    is_there: bool = True

    def __getitem__(self, name: str) -> JsonPart:
        """Return a field of an object, which may be missing; raise as ``of`` does."""
        fields = self.of(dict)
        place = f"{self.place}.{name}" if self.place else name
        return JsonPart(self.record, fields.get(name), place, name in fields)

    def items(self) -> list[JsonPart]:
        """Return the items of a list; raise as ``of`` does."""
        items = enumerate(self.of(list))
        return [JsonPart(self.record, item, f"{self.place}[{i}]") for i, item in items]

    def of(self, kind: type[T]) -> T:
        """Return the value; raise a ``FieldError`` if it is not of this type."""
        if not isinstance(self.value, kind) or isinstance(self.value, bool):
            raise self.fault(f"{_NAMES[kind]}; {AGAIN}")
        if isinstance(self.value, str) and has_surrogates(self.value):
            raise self.fault(EXPECTED["string_unicode"])
        return self.value

    def text(self) -> str:
        """Return a text that is not blank; raise as ``of`` does."""
        text = self.of(str)
        if not text.strip():
            raise self.fault(TEXT)
        return text

    def answer(self) -> str:
        """Return a gold as text, also if it is a number; raise as ``of`` does."""
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return str(self.value)
        if self.value is not None and not isinstance(self.value, str):
            raise self.fault("a string or a number")
        return self.text()

    def fault(self, expected: str, found: str | None = None) -> FieldError:
        """Return the error that something was expected, and ``found``, or the value, is there."""
        found = found or (describe(self.value) if self.is_there else "nothing")
        return FieldError(self.record.error(self.place or None, found, expected))

    def doubt(self, expected: str, found: str | None = None) -> Problem:
        """Return the same as ``fault``, as a warning."""
        return self.record.warning(self.place, found or describe(self.value), expected)


def row_of(
    record: Record, split: str, read: Callable[[Record], tuple[dict[str, object], list[Problem]]]
) -> Iterator[Record | Problem]:
    """Yield the row that ``read`` makes of a record, after warnings; or only what is wrong.

    ``read`` returns the content of the row and warnings, or raises a ``FieldError``.
    """
    try:
        content, problems = read(record)
    except FieldError as error:
        yield error.problem
        return
    yield from problems
    yield record._replace(split=split, content=content)
