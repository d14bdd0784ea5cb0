"""Replies kept on disk, so that no request is paid for twice.

One SQLite file, which any number of processes may use at once; a reply is on disk before it is
used, so a process that is killed has lost nothing that was paid for.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from mabench.cache import cache_folder
from mabench.errors import DataError
from mabench.json_text import from_json, has_surrogates, to_json
from mabench.models.spec import ModelRequest, Reply
from mabench.redact import redact_values

FILE = "replies.sqlite"
_TABLE = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, used REAL NOT NULL, bytes INTEGER NOT NULL,
    text TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, estimated INTEGER
)"""
# Earlier versions had no such column.
_ADDED = "ALTER TABLE replies ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT 0"
_FIELDS = "text, input_tokens, output_tokens, estimated, cached_tokens"
# How many seconds another process may hold up this one.
_PATIENCE = 5.0
# Of what all replies are kept: a run, by everything that determines its requests.
_WHOLE = "CREATE TABLE IF NOT EXISTS whole (key TEXT PRIMARY KEY)"
DEFAULT_LIMIT = 2 * 1024**3


class Contents(NamedTuple):
    """How much a cache holds."""

    replies: int
    bytes: int


class ResponseCache:
    """Replies by everything that determines them.

    Args:
        folder: where the file is kept; mabench's cache folder when None.
        limit: the size in bytes beyond which the replies unused for longest are dropped.

    Raises:
        DataError: when the file cannot be opened.
    """

    def __init__(self, folder: Path | None = None, limit: int = DEFAULT_LIMIT) -> None:
        self.path = (folder or cache_folder()) / FILE
        self._limit = limit
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                self.path,
                timeout=_PATIENCE,
                isolation_level=None,
                # In a notebook the run has a thread of its own; one thread at a time uses it.
                check_same_thread=False,
            )
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(_TABLE)
            self._connection.execute(_WHOLE)
            with suppress(sqlite3.OperationalError):  # It is there.
                self._connection.execute(_ADDED)
            self._bytes = self.contents().bytes
        except (OSError, sqlite3.Error) as error:
            raise DataError(
                f"{self.path}: the cache cannot be opened: {error}; set MABENCH_CACHE to another "
                "folder, or delete it"
            ) from error

    def get(self, key: str) -> Reply | None:
        """Return the reply kept under ``key``, marked as cached."""
        try:
            found = self._connection.execute(
                f"UPDATE replies SET used = ? WHERE key = ? RETURNING {_FIELDS}",  # noqa: S608 - ours
                (time.time(), key),
            ).fetchone()
        except sqlite3.Error:  # A full disk, or one that cannot be written.
            found = self._connection.execute(
                f"SELECT {_FIELDS} FROM replies WHERE key = ?",  # noqa: S608 - ours
                (key,),
            ).fetchone()
        if found is None:
            return None
        kept, input_tokens, output_tokens, estimated, cached_tokens = found
        text = str(from_json(kept)) if isinstance(kept, bytes) else kept
        return Reply(
            text,
            input_tokens,
            output_tokens,
            bool(estimated),
            cached=True,
            cached_tokens=cached_tokens,
        )

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; when the cache is full, forget those unused for longest.

        Raises:
            DataError: when it cannot be kept.
        """
        try:
            self._put(key, reply)
        except (sqlite3.Error, UnicodeEncodeError) as error:
            raise DataError(f"{self.path}: a reply cannot be kept: {error}") from error

    def _put(self, key: str, reply: Reply) -> None:
        kept = _kept(redact_values(reply.text))
        size = len(kept.encode() if isinstance(kept, str) else kept) + len(key)
        counts = (reply.input_tokens, reply.output_tokens, reply.estimated, reply.cached_tokens)
        self._connection.execute(
            f"INSERT OR REPLACE INTO replies (key, used, bytes, {_FIELDS}) "  # noqa: S608 - ours
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (key, time.time(), size, kept, *counts),
        )
        self._bytes += size
        if self._bytes > self._limit:
            self._shrink()

    def mark_whole(self, key: str) -> None:
        """Remember that all replies of some work are kept; do nothing where that cannot be."""
        with suppress(sqlite3.Error):
            self._connection.execute("INSERT OR IGNORE INTO whole VALUES (?)", (key,))

    def is_whole(self, key: str) -> bool:
        """Whether all replies of some work were kept once; some may have been dropped since."""
        with suppress(sqlite3.Error):
            found = self._connection.execute("SELECT 1 FROM whole WHERE key = ?", (key,))
            return found.fetchone() is not None
        return False

    def contents(self) -> Contents:
        """Return how much is kept."""
        row = self._connection.execute("SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM replies")
        return Contents(*row.fetchone())

    def clear(self) -> None:
        """Forget everything."""
        self._connection.execute("DELETE FROM replies")
        self._connection.execute("DELETE FROM whole")
        self._connection.execute("VACUUM")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _shrink(self) -> None:
        """Forget down to nine tenths of the limit, so that not every reply makes room anew."""
        self._bytes = self.contents().bytes  # Other processes add and forget, too.
        while self._bytes > 0.9 * self._limit:
            self._bytes -= self._connection.execute(
                "DELETE FROM replies WHERE key = "
                "(SELECT key FROM replies ORDER BY used LIMIT 1) RETURNING bytes"
            ).fetchone()[0]


def _kept(text: str) -> str | bytes:
    """Return a reply as SQLite takes it: as JSON, in bytes, where UTF-8 cannot hold it."""
    return to_json(text).encode() if has_surrogates(text) else text


def request_key(model: str, server: str | None, request: ModelRequest) -> str:
    """Return a hash of everything that determines a reply."""
    determining = {"model": model, "server": server, **asdict(request)}
    if not request.system:  # Requests had no such field once; their replies were paid for.
        del determining["system"]
    return hashlib.sha256(json.dumps(determining, sort_keys=True).encode()).hexdigest()
