"""Builds a history from a published file: its text, and the place of each turn in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from mabench.data.descriptions.parts import AGAIN, FieldError
from mabench.data.problems import Problem, describe
from mabench.data.records import Record


class HistoryBuilder:
    """The text of a history, and its turns in the form of a row's ``turns``."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.turns: list[dict[str, Any]] = []

    @property
    def text(self) -> str:
        """All that was added so far."""
        return "".join(self._parts)

    def add(self, text: str) -> None:
        """Add text that is not part of a turn, such as a date or a speaker's name."""
        self._parts.append(text)
        self._length += len(text)

    def say(self, session: str, turn_id: str, text: str, time: datetime | None, **who: str) -> None:
        """Add the text of a turn, with its time if that is known."""
        place = {"start": self._length, "end": self._length + len(text)}
        self.add(text)
        known = {"time": time.isoformat()} if time is not None else {}
        known |= {name: value for name, value in who.items() if value}
        self.turns.append({"id": turn_id, "session": session, **place, **known})

    def check(self, record: Record) -> Iterator[Problem]:
        """Yield a warning if several turns have the same id: evidence then means the last one.

        Raises:
            FieldError: when there is no turn at all.
        """
        if not self.turns:
            found = "a history in which nothing is said"
            raise FieldError(record.error(None, found, f"at least one turn; {AGAIN}"))
        counts = Counter(turn["id"] for turn in self.turns)
        twice = [name for name, count in counts.items() if count > 1]
        if twice:
            found = describe(twice[0]) + (f" and {len(twice) - 1} more" if twice[1:] else "")
            yield record.warning(None, f"turns with the same id: {found}", "every id once")
