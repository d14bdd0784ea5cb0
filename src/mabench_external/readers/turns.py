"""A history put together turn by turn, each with its id and its place in the text."""

from __future__ import annotations

from typing import TypedDict


class Turn(TypedDict):
    """A turn as ``turns`` of a row has it."""

    id: str
    session: str
    start: int
    end: int


class History:
    """The text of a history and the turns in it."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.turns: list[Turn] = []

    @property
    def text(self) -> str:
        """All that was added so far."""
        return "".join(self._parts)

    def add(self, text: str) -> None:
        """Add text that is no turn: a date, a speaker's name, a line break."""
        self._parts.append(text)
        self._length += len(text)

    def say(self, session: str, turn_id: str, text: str) -> None:
        """Add what was said in a turn."""
        start = self._length
        self.add(text)
        self.turns.append(Turn(id=turn_id, session=session, start=start, end=self._length))
