"""The conversations of a folder, one at a time, and turns in them found by their words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
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

    id: str
    session: str
    text: str
    speaker: str | None = None  # Who said it or, where nobody is named, in which role.
    time: str | None = None

    @property
    def words(self) -> set[str]:
        """Its words, without case."""
        return words_of(self.text)

    def __str__(self) -> str:
        when = f"{self.time[:16].replace('T', ' ')}  " if self.time else ""
        return f"{self.id}  {when}{self.speaker or '?'}: {' '.join(self.text.split())}"


@dataclass(frozen=True, slots=True)
class SaidHistory:
    """One history."""

    id: str
    turns: tuple[SaidTurn, ...]

    @property
    def sessions(self) -> tuple[str, ...]:
        """The names of its sessions, in order of their first turns."""
        return tuple(dict.fromkeys(turn.session for turn in self.turns))


def words_of(text: str) -> set[str]:
    """Return the words of a text, without case."""
    return {word.casefold() for word in _WORD.findall(text)}


def read_conversations(folder: str | Path) -> Iterator[SaidHistory]:
    """Yield the conversations of a folder; raises ``UsageError`` where there are none to ask about.

    Raises ``DataError`` for a file that is no longer as it was written.
    """
    return (_conversation(line, place) for line, place in conversation_lines(folder))


def conversation_lines(folder: str | Path) -> Iterator[tuple[bytes, str]]:
    """Yield the line of each conversation of a folder, with the words by which errors name it.

    Raises ``UsageError`` where there are none, and ``DataError`` for a file that cannot be read.
    """
    file = Path(folder) / CONVERSATIONS_FILE
    if not os.path.isfile(file):  # noqa: PTH113 - It is quiet about what is no path.
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


def _conversation(line: bytes, place: str) -> SaidHistory:
    try:
        row: Any = from_json(line)
        turns = tuple(_turn(turn) for turn in row["context"])
        return SaidHistory(history_of(row), turns)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise DataError(f"{place}: no conversation as it was imported; import it again") from error


def _turn(turn: Mapping[str, str]) -> SaidTurn:
    speaker = turn.get("speaker") or turn.get("role")
    return SaidTurn(turn["id"], turn["session"], turn["text"], speaker, turn.get("time"))


def find_turns(
    folder: str | Path, words: str, most: int = 9, history: str | None = None
) -> list[SaidTurn]:
    """Return the turns that hold most of some words, or beginnings of them; the best come first."""
    wanted = [word.casefold() for word in _WORD.findall(words)]
    found: list[tuple[int, int, SaidTurn]] = []
    number = 0
    for conversation in read_conversations(folder):
        for turn in conversation.turns if history in (None, conversation.id) else ():
            number += 1
            own = turn.words
            hits = sum(any(word.startswith(part) for word in own) for part in wanted)
            if hits:
                found.append((-hits, number, turn))
        found = sorted(found, key=lambda each: each[:2])[:most]
    return [turn for *_, turn in found]
