"""What the readers of published files share: parts of objects, histories, what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from mabench.data.records import TEXT, Problem, Record, describe
from mabench.errors import EXPECTED
from mabench.json_text import has_surrogates

T = TypeVar("T")

# Fields of one reason that are named with their counts; of more, a few names alone.
_MOST_NAMED = 8
_FEW_NAMED = 4
_LONGEST_NAME = 80  # Characters of a name that are shown.
_NAMES: Mapping[type, str] = {
    str: "a string",
    list: "a list",
    dict: "an object",
    int: "a whole number",
}
_AGAIN = "copy or download the file again"


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
            raise self.fault(f"{_NAMES[kind]}; {_AGAIN}")
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


class History:
    """The text of a history, and the turns in it as ``turns`` of a row has them."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.turns: list[dict[str, Any]] = []

    @property
    def text(self) -> str:
        """All that was added so far."""
        return "".join(self._parts)

    def add(self, text: str) -> None:
        """Add text that is no turn: a date, a speaker's name, a line break."""
        self._parts.append(text)
        self._length += len(text)

    def say(self, session: str, turn_id: str, text: str, time: datetime | None, **who: str) -> None:
        """Add what was said in a turn, at a ``time`` if that is known."""
        place = {"start": self._length, "end": self._length + len(text)}
        self.add(text)
        known = {"time": time.isoformat()} if time is not None else {}
        known |= {name: value for name, value in who.items() if value}
        self.turns.append({"id": turn_id, "session": session, **place, **known})

    def check(self, record: Record) -> Iterator[Problem]:
        """Yield a warning where several turns have one id, so that evidence means the last of them.

        Raises:
            FieldError: when there is no turn at all.
        """
        if not self.turns:
            found = "a history in which nothing is said"
            raise FieldError(record.error(None, found, f"at least one turn; {_AGAIN}"))
        counts = Counter(turn["id"] for turn in self.turns)
        twice = [name for name, count in counts.items() if count > 1]
        if twice:
            found = describe(twice[0]) + (f" and {len(twice) - 1} more" if twice[1:] else "")
            yield record.warning(None, f"turns with the same id: {found}", "every id once")


def left_out(
    record: Record, counts: Mapping[str, int], kept: Mapping[str, str], otherwise: str
) -> Iterator[Problem]:
    """Yield warnings that count what of an object is no part of its row, one for each reason.

    ``counts`` has how often each field, or other thing, was left out, ``kept`` what a row has in
    its place; ``otherwise`` is what it has in place of all other fields.
    """
    reasons: dict[str, dict[str, int]] = {}
    for name, count in counts.items():
        if count:
            reasons.setdefault(kept.get(name, otherwise), {})[name] = count
    for reason, names in reasons.items():
        shown = [
            name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..." for name in names
        ]
        listed = ", ".join(
            f"{count} {name}" for name, count in zip(shown, names.values(), strict=True)
        )
        if len(names) > _MOST_NAMED:
            first = ", ".join(shown[:_FEW_NAMED])
            listed = f"{sum(names.values())} fields of {len(names)} names ({first}, ...)"
        yield record.warning(None, f"{listed}, left out", reason)


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
