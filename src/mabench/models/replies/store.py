"""Replies kept on disk, so that no request is paid for twice.

One SQLite file, which any number of processes may use at once; a reply is on disk before it is
used, so a process that is killed has lost nothing that was paid for. Replies to our own readers
and judges are kept as texts, those to the calls of memories as the bytes that came.
"""

from __future__ import annotations

import errno
import sqlite3
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from mabench.errors import DataError, reason
from mabench.installation import cache_folder
from mabench.models.replies.kept import Kept, KeptBody, packed, unpacked_body, unpacked_text
from mabench.models.spec import Reply
from mabench.redact import redact_values
from mabench.userfile import fault_of

FILE = "replies.sqlite"
_TABLE = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, used REAL NOT NULL, bytes INTEGER NOT NULL,
    text TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, estimated INTEGER,
    cached_tokens INTEGER, type TEXT, encoding TEXT
)"""
# Sizes are added up, and what was unused for longest is found, without reading the replies.
_INDEX = "CREATE INDEX IF NOT EXISTS replies_used ON replies (used, bytes)"
_SELECT = """
SELECT text, input_tokens, output_tokens, estimated, cached_tokens, type, encoding
FROM replies WHERE key = ?"""
_INSERT = (
    "INTO replies (key, used, bytes, text, input_tokens, output_tokens, estimated, "
    "cached_tokens, type, encoding) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
# Down to nine tenths of the limit, so that not every reply makes room anew.
_SHRINK = """
DELETE FROM replies WHERE key IN (
    SELECT key FROM (SELECT key, SUM(bytes) OVER (ORDER BY used DESC, key) AS so_far FROM replies)
    WHERE so_far > ?
)"""
# How many seconds another process may hold up this one.
_PATIENCE = 5.0
_MOST_TOKENS = 10**8
# Of what all replies are kept: runs and questions, by everything that determines their requests.
_WHOLE = "CREATE TABLE IF NOT EXISTS whole (key TEXT PRIMARY KEY)"
DEFAULT_LIMIT = 10 * 1024**3


class Contents(NamedTuple):
    """How much a cache holds."""

    replies: int
    bytes: int


class ResponseCache:
    """Replies by everything that determines them.

    Args:
        folder: where the file is kept; mabench's cache folder when None.
        limit: the size in bytes beyond which the replies unused for longest are dropped.
        reads_only: whether nothing in the folder is changed, not even when a reply was used.

    Raises:
        DataError: when the file cannot be opened, or is to be read only and is not there.
    """

    def __init__(
        self,
        folder: Path | None = None,
        limit: int = DEFAULT_LIMIT,
        *,
        reads_only: bool = False,
    ) -> None:
        self.path = (folder or cache_folder()) / FILE
        self.limit = limit
        self._reads_only = reads_only
        try:
            _check_files(self.path)
            self._connection = _read_only(self.path) if reads_only else _writable(self.path)
            self._bytes = self.contents().bytes
        except (OSError, sqlite3.Error) as error:
            raise DataError(
                f"{self.path}: the cache cannot be opened: {reason(error)}; set MABENCH_CACHE to "
                "another folder, or delete it"
            ) from error

    def get(self, key: str) -> Reply | None:
        """Return the reply to a reader that is kept under ``key``, marked as cached."""
        kept = self._used(key)
        return kept if isinstance(kept, Reply) else None

    def body(self, key: str) -> KeptBody | None:
        """Return the reply to a memory that is kept under ``key``."""
        kept = self._used(key)
        return kept if isinstance(kept, KeptBody) else None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply to a reader; when the cache is full, forget those unused for longest.

        Raises:
            DataError: when it cannot be kept, or holds a secret, without which it would be another.
        """
        if redact_values(reply.text) != reply.text:
            raise DataError("a reply holds a secret of the environment")
        self._add(key, reply, "INSERT OR REPLACE")

    def put_body(self, key: str, body: KeptBody) -> KeptBody:
        """Keep a reply to a memory; return what is kept, which another process may have been first.

        Raises:
            DataError: when it cannot be kept.
        """
        if self._add(key, body, "INSERT OR IGNORE"):
            return body
        if (first := self.body(key)) is not None:
            return first
        self._add(key, body, "INSERT OR REPLACE")  # What is there is damaged.
        return body

    def mark_whole(self, keys: Iterable[str]) -> None:
        """Remember that all replies of some works are kept; do nothing where that cannot be."""
        marks = [(key,) for key in keys]
        with suppress(sqlite3.Error), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT OR IGNORE INTO whole VALUES (?)", marks)

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

    def _used(self, key: str) -> Kept | None:
        """Return what is kept under ``key``, and note that it was used; None if it is damaged."""
        try:
            row = self._connection.execute(_SELECT, (key,)).fetchone()
            reply = _read(key, row) if row else None
        except (sqlite3.Error, ValueError):
            return None
        if reply is not None and not self._reads_only:
            change = "UPDATE replies SET used = ? WHERE key = ?"
            with suppress(sqlite3.Error):  # A full disk, or one that cannot be written.
                self._connection.execute(change, (time.time(), key))
        return reply

    def _add(self, key: str, reply: Kept, how: str) -> bool:
        """Add a reply; return whether it was added."""
        content = packed(reply)
        size = len(content.encode() if isinstance(content, str) else content) + len(key)
        values = (key, time.time(), size, content, *_written(reply))
        try:
            added = self._connection.execute(f"{how} {_INSERT}", values).rowcount > 0
            if added:
                self._bytes += size
            if self._bytes > self.limit:
                self._bytes = self.contents().bytes  # Other processes add and forget, too.
                if self._bytes > self.limit:
                    self._connection.execute(_SHRINK, (int(0.9 * self.limit),))
                    self._bytes = self.contents().bytes
        except (sqlite3.Error, UnicodeEncodeError) as error:
            raise DataError(f"{self.path}: a reply cannot be kept: {error}") from error
        return added


def _check_files(path: Path) -> None:
    """Raise an ``OSError`` where something that is no file would be opened."""
    for end in ("", "-wal", "-shm", "-journal"):
        file = path.with_name(f"{FILE}{end}")
        if file.exists() and (fault := fault_of(file.stat())):
            raise OSError(errno.EINVAL, f"{file.name} is {fault}")


def _check_schema(connection: sqlite3.Connection) -> None:
    """Raise a ``DatabaseError`` where a query would run what somebody else wrote, without end."""
    for (statement,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"):
        if not str(statement).startswith(("CREATE TABLE ", "CREATE INDEX ")):
            raise sqlite3.DatabaseError("it holds a view or a trigger, which mabench never makes")


def _writable(path: Path) -> sqlite3.Connection:
    """Open the file, which is made where it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection: sqlite3.Connection = sqlite3.connect(
        path,
        timeout=_PATIENCE,
        isolation_level=None,
        # In a notebook the run has a thread of its own; one thread at a time uses it.
        check_same_thread=False,
    )
    _check_schema(connection)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(_TABLE)
    connection.execute(_INDEX)
    connection.execute(_WHOLE)
    return connection


def _read_only(path: Path) -> sqlite3.Connection:
    """Open the file of somebody else, perhaps on a medium that cannot be written.

    Raises:
        DataError: when there is none.
    """
    if not path.is_file():
        raise DataError(
            f"{path.parent}: no kept replies are there; name the folder that holds {FILE}, as "
            "`mabench cache show` prints it"
        )
    address = path.absolute().as_uri()
    given: dict[str, Any] = {"uri": True, "timeout": _PATIENCE, "check_same_thread": False}
    try:
        connection: sqlite3.Connection = sqlite3.connect(
            f"{address}?mode=ro", isolation_level=None, **given
        )
        _check_schema(connection)
        connection.execute("SELECT 1 FROM replies LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        log = path.with_name(f"{FILE}-wal")
        if log.exists() and log.stat().st_size:
            raise  # It holds replies that would be overlooked.
        connection = sqlite3.connect(f"{address}?immutable=1", isolation_level=None, **given)
        _check_schema(connection)
    return connection


def _written(kept: Kept) -> tuple[object, ...]:
    """Return what stands beside the content of a reply, in the order of the columns."""
    if isinstance(kept, Reply):
        counts = (kept.input_tokens, kept.output_tokens, kept.estimated, kept.cached_tokens)
        return (*counts, None, None)
    taken, given, had = kept.tokens or (None, None, None)
    return (taken, given, kept.estimated, had, kept.type, kept.encoding)


def _read(key: str, found: tuple[Any, ...]) -> Kept:
    """Return what the columns hold; raise a ``ValueError`` where they cannot be."""
    content, taken, given, estimated, had, kind, encoding = found
    counts = [count for count in (taken, given, had) if count is not None]
    if not all(isinstance(count, int) and 0 <= count <= _MOST_TOKENS for count in counts):
        raise ValueError("no counts")
    if kind is None:
        if taken is None or given is None:
            raise ValueError("no counts")
        text = unpacked_text(content)
        return Reply(
            text, taken, given, bool(estimated), cached=True, cached_tokens=had or 0, kept_as=key
        )
    if not isinstance(kind, str) or not isinstance(encoding, str):
        raise ValueError("no type")
    tokens = None if taken is None else (taken, given or 0, had or 0)
    reply = KeptBody(kind, encoding, unpacked_body(content), tokens, bool(estimated))
    if not reply.can_be_kept:
        raise ValueError("no type or encoding of a reply")
    return reply
