"""Reads the imported conversations of a folder, and finds turns in them by their words.

Conversations are read one at a time, so that a large export fits in memory. Each is a history: one
JSON line of a file, with its turns.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mabench.data.sheets import CONVERSATIONS_FILE, history_of
from mabench.errors import DataError, UsageError, reason
from mabench.json_text import from_json
from mabench.userfile import lines_in, open_file

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """One turn of a conversation."""

    id: str  # The name of its history, "-" and its number there.
    session: str
    text: str
    speaker: str | None = None  # Who said it or, where nobody is named, in which role.
    time: str | None = None  # In ISO format, such as 2026-05-01T09:30:00.

    @property
    def history(self) -> str:
        """The name of its history."""
        return self.id.rpartition("-")[0]

    @property
    def words(self) -> set[str]:
        """Its words, without case."""
        return words_of(self.text)

    def __str__(self) -> str:
        """The turn as people see it in a list: id, time to the minute, speaker and text."""
        minute = f"{self.time[:16].replace('T', ' ')}  " if self.time else ""
        return f"{self.id}  {minute}{self.speaker or '?'}: {' '.join(self.text.split())}"


@dataclass(frozen=True, slots=True)
class SaidHistory:
    """One history, which is a conversation over several sessions."""

    id: str  # Its name.
    turns: tuple[SaidTurn, ...]

    @property
    def sessions(self) -> tuple[str, ...]:
        """The names of its sessions, in order of their first turns."""
        return tuple(dict.fromkeys(turn.session for turn in self.turns))


def words_of(text: str) -> set[str]:
    """Return the words of a text, without case."""
    return {word.casefold() for word in _WORD.findall(text)}


def read_conversations(folder: str | Path) -> Iterator[SaidHistory]:
    """Yield the conversations of a folder. Errors are raised once the first is taken.

    Raises:
        UsageError: when the folder holds no conversations.
        DataError: when the file cannot be read, or is no longer as the import wrote it.
    """
    for line, place in conversation_lines(folder):
        yield _read_conversation(line, place)


def conversation_lines(folder: str | Path) -> Iterator[tuple[bytes, str]]:
    """Yield the JSON line of each conversation of a folder, and its place for messages of errors.

    Raises:
        UsageError: when the folder holds no conversations.
        DataError: when the file cannot be read.
    """
    file = Path(folder) / CONVERSATIONS_FILE
    # ``Path.is_file`` would raise for a text that can be no path.
    if not os.path.isfile(file):  # noqa: PTH113
        raise UsageError(
            f"{folder} holds no conversations; import them first: `mabench data import chats`"
        )
    try:
        with open_file(file) as stream:
            for number, line in enumerate(lines_in(stream), start=1):
                if line.strip():
                    yield line, f"{file}, line {number}"
    except OSError as error:
        raise DataError(f"{file}: not readable: {reason(error)}; import it again") from error


def _read_conversation(line: bytes, place: str) -> SaidHistory:
    """Return the conversation in a line of JSON; ``place`` names the line in messages of errors.

    Raises:
        DataError: when the line has another form than the import gave it.
    """
    try:
        row: Any = from_json(line)
        turns = tuple(_read_turn(fields) for fields in row["context"])
        return SaidHistory(history_of(row), turns)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise DataError(f"{place}: no conversation as it was imported; import it again") from error


def _read_turn(fields: Mapping[str, str]) -> SaidTurn:
    """Return a turn from its fields in the file."""
    return SaidTurn(
        id=fields["id"],
        session=fields["session"],
        text=fields["text"],
        speaker=fields.get("speaker") or fields.get("role"),
        time=fields.get("time"),
    )


@dataclass(frozen=True, slots=True)
class _TurnMatch:
    """A turn that holds some of the words that were looked for."""

    turn: SaidTurn
    words_held: int  # How many of the words.


def find_turns(
    folder: str | Path, words: str, most: int = 9, history: str | None = None
) -> list[SaidTurn]:
    """Return the turns that hold any of some words, those with the most of them first.

    A turn holds a word if one of its own words begins with it, whatever the case.

    Args:
        folder: the folder of the conversations.
        words: the words to look for.
        most: how many turns are returned at most; of equally good ones, the earlier.
        history: the name of the only history to look in; None for all.
    """
    wanted = [word.casefold() for word in _WORD.findall(words)]
    best: list[_TurnMatch] = []
    for conversation in read_conversations(folder):
        if history is not None and conversation.id != history:
            continue
        for turn in conversation.turns:
            words_held = _count_held(wanted, turn)
            if words_held > 0:
                best.append(_TurnMatch(turn, words_held))
        # The sort keeps the order of equals. Cut here, so that memory holds few turns.
        best.sort(key=lambda match: match.words_held, reverse=True)
        best = best[:most]
    return [match.turn for match in best]


def _count_held(wanted: Sequence[str], turn: SaidTurn) -> int:
    """Return how many of the wanted words a turn holds, at least as the beginning of a word."""
    own_words = turn.words
    return sum(any(own.startswith(word) for own in own_words) for word in wanted)
