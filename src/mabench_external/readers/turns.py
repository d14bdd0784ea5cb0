"""A history put together turn by turn, each with its id and its place in the text."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from mabench.text.times import read_time


class Turn(TypedDict):
    """A turn as ``turns`` of a row has it."""

    id: str
    session: str
    start: int
    end: int
    time: NotRequired[str]
    speaker: NotRequired[str]
    role: NotRequired[str]


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

    def say(
        self, session: str, turn_id: str, text: str, *, date: str, speaker: str = "", role: str = ""
    ) -> None:
        """Add what was said in a turn; a ``date`` that is none says nothing of its time."""
        start = self._length
        self.add(text)
        turn = Turn(id=turn_id, session=session, start=start, end=self._length)
        if (time := read_time(date)) is not None:
            turn["time"] = time.isoformat()
        if speaker:
            turn["speaker"] = speaker
        if role:
            turn["role"] = role
        self.turns.append(turn)
