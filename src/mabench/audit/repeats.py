"""Sessions that are told twice in one history, by their texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

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
        self._sessions = self._repeated = self._histories = 0
        self._example: tuple[str, int, str, str] | None = None

    def add(self, row: Row) -> None:
        """Look at a row; a history without sessions has none that repeat."""
        first: dict[bytes, str] = {}  # The names of sessions, by their texts.
        before = self._repeated
        for name, text in _sessions(row):
            if len(text) >= _FEWEST_CHARACTERS:
                self._sessions += 1
                digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
                same = first.setdefault(digest, name)
                if same != name:
                    self._repeated += 1
                    self._example = self._example or (row.split, row.index, name, same)
        self._histories += self._repeated > before

    def summary(self) -> RepeatedSessions | None:
        """Return what was found; None if no session repeats another."""
        if self._example is None:
            return None
        split, row, session, first = self._example
        return RepeatedSessions(
            sessions=self._sessions,
            repeated=self._repeated,
            histories=self._histories,
            split=split,
            row=row,
            session=session,
            first=first,
        )


def _sessions(row: Row) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of a history's sessions, with white space squeezed."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    if row.turns is not None:
        for turn in row.turns:
            texts[turn.session].append(row.context[turn.start : turn.end])
    else:
        for message in Message.of_row(row) or ():
            texts[message.fields["session"]].append(message.text)
    for name, said in texts.items():
        yield name, " ".join(" ".join(said).split())
