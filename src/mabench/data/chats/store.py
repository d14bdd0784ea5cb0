"""Messages of exports, kept on disk until they are written by history and in order of time.

An export may be larger than the memory, and has its messages in any order.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mabench.formats import ChatMessage, HistoryUnit
from mabench.json_text import to_json, without_surrogates

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_BEFORE_ALL = -(1 << 62)  # Microseconds: a moment before that of any message.
# Messages, and characters of them, that wait to be written at most.
_BATCH, _BATCH_CHARACTERS = 5_000, 1 << 20
_PAGES = -8_000  # SQLite's cache, in KiB if negative.
_INSERT = "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)"
# What makes a history, in SQL; a user who is not named is who speaks.
_KEYS = {
    HistoryUnit.USER: "coalesce(user, speaker)",
    HistoryUnit.CHANNEL: "channel",
    HistoryUnit.FILE: "file",
}


class MessageStore:
    """The messages of an import, in a file that is deleted in the end."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._database = sqlite3.connect(file)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute("PRAGMA temp_store = FILE")
        self._database.execute(f"PRAGMA cache_size = {_PAGES}")
        self._database.execute(
            "CREATE TABLE messages (number INTEGER PRIMARY KEY, moment INTEGER, user TEXT, "
            "speaker TEXT, channel TEXT, file TEXT, said TEXT)"
        )
        self._waiting: list[tuple[Any, ...]] = []
        self._characters = 0  # In the messages that wait to be written.
        self._people: set[str] = set()
        # The time of the last message so far that has one, by file and channel.
        self._latest: dict[tuple[str, str | None], int] = {}
        self.count = 0

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close and delete the file."""
        self._database.close()
        self._file.unlink(missing_ok=True)

    def add(self, message: ChatMessage, file: str) -> None:
        """Keep a message whose time has a zone; one without a time stays behind the one before."""
        place = (file, message.channel)
        moment = self._latest.get(place, _BEFORE_ALL)
        if message.time is not None:
            moment = (message.time - _EPOCH) // _MICROSECOND
            self._latest[place] = moment
        said = {
            "text": message.text,
            "time": message.time.isoformat() if message.time else None,
            "speaker": message.speaker,
            "role": message.role,
            "session": message.session,
            "attachments": message.attachments,
        }
        names = (message.user, message.speaker, message.channel, file)
        clean = (name and without_surrogates(name) for name in names)
        line = without_surrogates(to_json(said))
        self._waiting.append((self.count, moment, *clean, line))
        self._characters += len(line)
        self.count += 1
        for name in (message.user, message.speaker, *message.mentioned):
            if name is not None:
                self._people.add(without_surrogates(name))
        if len(self._waiting) >= _BATCH or self._characters >= _BATCH_CHARACTERS:
            self._write()

    def _write(self) -> None:
        self._database.executemany(_INSERT, self._waiting)
        self._waiting.clear()
        self._characters = 0

    def people(self) -> list[str]:
        """Return all who speak, have a conversation, or are mentioned, in a fixed order."""
        return sorted(self._people)

    def names_all(self, unit: HistoryUnit) -> bool:
        """Return whether every message names what makes a history of this kind."""
        self._write()
        # Who speaks counts as a user only if that is asked for.
        column = "user" if unit is HistoryUnit.USER else unit.value
        query = f"SELECT count(*) FROM messages WHERE {column} IS NULL"  # noqa: S608 - A constant.
        [(missing,)] = self._database.execute(query)
        return not missing

    def count_unnamed(self, unit: HistoryUnit) -> int:
        """Return how many messages belong to no history of this kind."""
        self._write()
        query = f"SELECT count(*) FROM messages WHERE {_KEYS[unit]} IS NULL"  # noqa: S608
        [(missing,)] = self._database.execute(query)
        return int(missing)

    def histories(self, unit: HistoryUnit) -> list[str]:
        """Return the names of the histories, in the order of their first messages in the files."""
        self._write()
        key = _KEYS[unit]
        self._database.execute(f"CREATE INDEX by_history ON messages ({key}, moment, number)")
        query = f"SELECT {key} FROM messages GROUP BY {key} ORDER BY min(number)"  # noqa: S608
        return [name for (name,) in self._database.execute(query)]

    def messages(self, unit: HistoryUnit, history: str) -> Iterator[Mapping[str, Any]]:
        """Yield what was said in a history, in order of time; of one time, in order of the file."""
        key = _KEYS[unit]
        query = f"SELECT said FROM messages WHERE {key} = ? ORDER BY moment, number"  # noqa: S608
        for (said,) in self._database.execute(query, (history,)):
            yield json.loads(said)
