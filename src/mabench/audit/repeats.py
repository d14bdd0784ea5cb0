"""Finds sessions that are told twice in one history, by their texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from mabench.data import Row
from mabench.data.turns import Message
from mabench.json_text import JsonRecord

# Characters of a session; shorter ones, such as greetings, may be said twice.
_FEWEST_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedSessions(JsonRecord):
    """The sessions of a source whose texts an earlier session of their history has."""

    sessions: int  # How many sessions of at least 100 characters there are.
    repeated: int  # How many of them repeat an earlier one.
    histories: int  # How many histories have such.
    # The first place: split, row, and the names of the session and of the one that it repeats.
    split: str
    row: int
    session: str
    first: str


class RepeatTally:
    """Looks for repeated sessions in the rows of one source; no text of theirs is kept."""

    def __init__(self) -> None:
        self._sessions = self._repeated = self._histories = 0  # As in ``RepeatedSessions``.
        self._example: _Example | None = None  # The first repeated session.

    def add(self, row: Row) -> None:
        """Look at a row; a history without sessions has none that repeat."""
        name_by_digest: dict[bytes, str] = {}  # Of the first session with a text.
        repeated_before = self._repeated
        for name, text in _sessions(row):
            if len(text) < _FEWEST_CHARACTERS:
                continue
            self._sessions += 1
            digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
            first = name_by_digest.setdefault(digest, name)
            if first != name:
                self._repeated += 1
                if self._example is None:
                    self._example = _Example(row.split, row.index, name, first)
        if self._repeated > repeated_before:
            self._histories += 1

    def summary(self) -> RepeatedSessions | None:
        """Return what was found; None if no session repeats another."""
        if self._example is None:
            return None
        return RepeatedSessions(
            sessions=self._sessions,
            repeated=self._repeated,
            histories=self._histories,
            **self._example._asdict(),
        )


class _Example(NamedTuple):
    """A repeated session, as in ``RepeatedSessions``."""

    split: str
    row: int
    session: str
    first: str


def _sessions(row: Row) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each session of a history, with single spaces between words.

    They are those of the row's turns, else those of its messages if it has messages.
    """
    parts_by_session: defaultdict[str, list[str]] = defaultdict(list)
    if row.turns is not None:
        for turn in row.turns:
            parts_by_session[turn.session].append(row.context[turn.start : turn.end])
    else:
        for message in Message.of_row(row) or ():
            parts_by_session[message.fields["session"]].append(message.text)
    for name, parts in parts_by_session.items():
        words = " ".join(parts).split()
        yield name, " ".join(words)
