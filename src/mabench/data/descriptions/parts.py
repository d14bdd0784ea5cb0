"""Reads the parts of a published object by name and type; every error names the place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from mabench.data.problems import TEXT, Problem, describe
from mabench.data.records import Record
from mabench.errors import EXPECTED, reason
from mabench.json_text import has_surrogates
from mabench.printable import shorten
from mabench.userfile import read_json_file

T = TypeVar("T")
_NAMES: Mapping[type, str] = {
    str: "a string",
    list: "a list",
    dict: "an object",
    int: "a whole number",
}
_LONGEST_FOUND = 300  # Characters of what an error quotes.
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
        value: the value, unchecked. Where files were joined, it may hold parts of other records.
        place: where it is; empty for the whole object.
        is_there: whether the object has it.
    """

    record: Record
    value: Any
    place: str = ""
    is_there: bool = True

    @classmethod
    def of_file(cls, record: Record) -> JsonPart:
        """Return the content of the JSON file of a record, or raise a ``FieldError``."""
        try:
            return cls(record, read_json_file(Path(record.file), distinct_keys=True))
        except (OSError, ValueError) as error:
            expected = "JSON in UTF-8: copy or download the file again"
            raise FieldError(record.error(None, reason(error), expected)) from error

    def __getitem__(self, name: str) -> JsonPart:
        """Return a field of an object, which may be missing; raise as ``of`` does."""
        fields = self.of(dict)
        if isinstance(fields.get(name), JsonPart):
            return fields[name]  # type: ignore[no-any-return]
        place = f"{self.place}.{name}" if self.place else name
        return JsonPart(self.record, fields.get(name), place, name in fields)

    def walk(self, path: str) -> Iterator[tuple[dict[str, str], JsonPart]]:
        """Yield the parts at a path, each with the values of its ``{number}`` or other name."""
        segment, _, rest = path.partition(".")
        for values, part in self._step(segment) if segment else [({}, self)]:
            if not rest:
                yield values, part
                continue
            for more, inner in part.walk(rest):
                yield values | more, inner

    def at(self, path: str) -> JsonPart:
        """Return the part at a path without ``{}`` and ``[]``; raise as ``of`` does."""
        part = self
        for name in path.split("."):
            part = part[name] if name else part
        return part

    def _step(self, segment: str) -> Iterator[tuple[dict[str, str], JsonPart]]:
        if segment.endswith("[]"):
            yield from (({}, item) for item in self[segment[:-2]].items())
        elif "{" not in segment:
            yield {}, self[segment]
        else:
            before, name, after = re.split(r"\{(\w+)\}", segment, maxsplit=1)
            value = r"\d{1,9}" if name == "number" else ".+"
            matches = (
                re.fullmatch(f"{re.escape(before)}({value}){re.escape(after)}", key, re.DOTALL)
                for key in self.of(dict)
            )
            found = [match for match in matches if match]
            if name == "number":
                found.sort(key=lambda match: int(match[1]))
            yield from (({name: match[1]}, self[match[0]]) for match in found)

    def items(self) -> list[JsonPart]:
        """Return the items of a list; raise as ``of`` does."""
        items = enumerate(self.of(list))
        return [item if isinstance(item, JsonPart) else self._item(i, item) for i, item in items]

    def _item(self, index: int, value: object) -> JsonPart:
        return JsonPart(self.record, value, f"{self.place}[{index}]")

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
        shown = shorten(found, _LONGEST_FOUND)
        return FieldError(self.record.error(self.place or None, shown, expected))

    def doubt(self, expected: str, found: str | None = None) -> Problem:
        """Return the same as ``fault``, as a warning."""
        return self.record.warning(self.place, found or describe(self.value), expected)
