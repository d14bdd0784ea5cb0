"""The values in a file of somebody else's, read by name and type; a fault names its place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mabench.errors import DataError
from mabench.printable import shorten

_LONGEST_SHOWN = 60
_MOST_DIGITS = 18  # Of a number that is written as text; further ones are cut off.


@dataclass(frozen=True, slots=True)
class Item:
    """A value in a file, with its place there, such as ``results.json, qa[3].question``.

    Every method that returns a value of one type raises a ``DataError`` if it has another. Those
    that may be missing (``optional_…``) return None for a missing field and for null.
    """

    file: str
    place: str  # Empty for the whole file.
    value: Any

    def __getitem__(self, name: str) -> Item:
        """Return a field of an object; its value is None if it is missing."""
        fields = self.fields()
        return Item(self.file, f"{self.place}.{name}" if self.place else name, fields.get(name))

    def __contains__(self, name: str) -> bool:
        """Return whether an object has a field, be it null."""
        return isinstance(self.value, dict) and name in self.value

    def __str__(self) -> str:
        return f"{self.file}, {self.place}" if self.place else self.file

    def fields(self) -> dict[str, Any]:
        """Return the fields of an object."""
        if not isinstance(self.value, dict):
            raise self.fault("an object")
        return self.value

    def entries(self) -> Iterator[tuple[str, Item]]:
        """Yield the names and values of an object."""
        for name in self.fields():
            yield name, self[name]

    def items(self) -> list[Item]:
        """Return the items of a list."""
        if not isinstance(self.value, list):
            raise self.fault("a list")
        return [
            Item(self.file, f"{self.place}[{number}]", value)
            for number, value in enumerate(self.value)
        ]

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str):
            raise self.fault("a text")
        return self.value

    def optional_text(self) -> str | None:
        """Return a text, or None."""
        return None if self.value is None else self.text()

    def gold(self) -> str:
        """Return a gold as text: a number is written as text, and nothing as an empty one."""
        if self.value is None:
            return ""
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return str(self.value)
        return self.text()

    def golds(self) -> tuple[str, ...]:
        """Return a gold, or a list of golds however deep, as texts in one list."""
        if isinstance(self.value, list):
            return tuple(gold for item in self.items() for gold in item.golds())
        return (self.gold(),)

    def whole_number(self) -> int:
        """Return a whole number, which may be written as a text of digits."""
        if isinstance(self.value, str) and self.value.isascii() and self.value.isdecimal():
            return int(self.value[:_MOST_DIGITS])
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.fault("a whole number")
        return self.value

    def optional_whole_number(self) -> int | None:
        """Return a whole number, or None."""
        return None if self.value is None else self.whole_number()

    def number(self, most: float = 1.0) -> float:
        """Return a number from 0 to ``most``; true is 1 and false is 0."""
        value = self.value
        if not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= most:
            raise self.fault(f"a number from 0 to {most:g}")
        return float(value)

    def optional_number(self, most: float = 1.0) -> float | None:
        """Return a number from 0 to ``most``, or None."""
        return None if self.value is None else self.number(most)

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.fault("true or false")
        return self.value

    def fault(self, expected: str) -> DataError:
        """Return the error that something else than the value is expected here."""
        found = "nothing" if self.value is None else shorten(repr(self.value), _LONGEST_SHOWN)
        return DataError(
            f"{self}: found {found}, expected {expected}; correct the file or write it again"
        )
