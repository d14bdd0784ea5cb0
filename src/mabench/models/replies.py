"""Replies kept on disk, so that no request is paid for twice.

Any number of processes may use the file at once; a reply is on disk before it is used.
"""

from __future__ import annotations

import asyncio
import errno
import re
import sqlite3
import time
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Self
from weakref import WeakValueDictionary

from mabench.errors import DataError, reason
from mabench.installation import cache_folder
from mabench.models.spec import ReplyNotKeptError
from mabench.models.usage import Usage
from mabench.redact import redact, redact_values
from mabench.userfile import fault_of

_TABLES = (
    # The column of the bytes is called text.
    "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, used REAL NOT NULL, "
    "bytes INTEGER NOT NULL, text TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, "
    "estimated INTEGER, cached_tokens INTEGER, type TEXT, encoding TEXT)",
    # Sizes are added up, and what was unused for longest is found, without reading the replies.
    "CREATE INDEX IF NOT EXISTS replies_used ON replies (used, bytes)",
)
_SELECT = """
SELECT text, input_tokens, output_tokens, cached_tokens, estimated, type, encoding
FROM replies WHERE key = ?"""
_INSERT = (
    "INTO replies (key, used, bytes, text, input_tokens, output_tokens, cached_tokens, "
    "estimated, type, encoding) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
# Down to nine tenths of the limit, so that not every reply makes room anew.
_SHRINK = """
DELETE FROM replies WHERE key IN (
    SELECT key FROM (SELECT key, SUM(bytes) OVER (ORDER BY used DESC, key) AS so_far FROM replies)
    WHERE so_far > ?
)"""
# How many seconds another process may hold up this one.
_PATIENCE = 5.0
_LIMIT = 10 * 1024**3
# A line of a reply's head may hold no line break, or it would end there.
_TYPE = re.compile(r"[\x20-\x7e]{0,200}")
_ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
# Little is gained by more, which would take more than a millisecond a call.
_LEVEL = 1
_SHOWN = 12  # Digits of the name of a reply.


# The media types of whole texts, and of those that broke off at the limit of their tokens.
_TEXT = "text/plain"
_CUT_OFF = f"{_TEXT}; cut-off=true"


class KeptReply(NamedTuple):
    """A reply as who called got it: a memory the bytes that came, our readers and judges a text."""

    body: bytes
    usage: Usage | None = None  # None where nobody counts the tokens.
    type: str = _TEXT  # The media type; a stream is ``text/event-stream``.
    encoding: str = ""  # How the bytes are compressed; empty for not at all.

    @classmethod
    def of_text(cls, text: str, usage: Usage, *, cut_off: bool) -> Self:
        """Return what is kept of a reply to a reader or judge of ours."""
        kind = _CUT_OFF if cut_off else _TEXT
        return cls(text.encode("utf-8", "surrogatepass"), usage, kind)

    @property
    def cut_off(self) -> bool:
        """Whether the text broke off because all tokens that it was allowed were used."""
        return self.type == _CUT_OFF

    @property
    def text(self) -> str:
        """The text that was kept, even one that UTF-8 cannot hold."""
        return self.body.decode("utf-8", "surrogatepass")

    @property
    def can_be_kept(self) -> bool:
        """Whether it has a form in which it can be given back, here and elsewhere."""
        return (
            self.encoding in _ENCODINGS
            and _TYPE.fullmatch(self.type) is not None
            and len(self.body) <= ResponseCache.longest
        )


class CacheContents(NamedTuple):
    """How much the cache holds."""

    replies: int
    bytes: int


class ResponseCache:
    """Replies by everything that determines them, in mabench's cache folder by default.

    Beyond ``limit`` bytes the replies unused for longest are dropped. One that ``reads_only``
    changes nothing in the folder, and a reply that is not kept is an error; else ``not_kept`` says
    why one could not be kept.
    """

    FILE = "replies.sqlite"

    longest = 64 * 1024**2  # Bytes; a longer reply is not kept.

    def __init__(
        self, folder: Path | None = None, limit: int = _LIMIT, *, reads_only: bool = False
    ) -> None:
        self.path = (folder or cache_folder()) / self.FILE
        self.limit = limit
        self.reads_only = reads_only
        self.not_kept: str | None = None
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        try:
            for end in ("", "-wal", "-shm", "-journal"):
                file = self.path.with_name(f"{ResponseCache.FILE}{end}")
                with suppress(FileNotFoundError):  # Another process may remove it at any time.
                    if fault := fault_of(file.stat()):
                        raise OSError(errno.EINVAL, f"{file.name} is {fault}")
            self._connection = _open_to_read(self.path) if reads_only else _open(self.path)
            self._bytes = self.contents().bytes
        except (OSError, sqlite3.Error) as error:
            raise DataError(
                f"{self.path}: the cache cannot be opened: {reason(error)}; set MABENCH_CACHE to "
                "another folder, or delete it"
            ) from error

    def get(self, key: str) -> KeptReply | None:
        """Return the reply that is kept under ``key``, if it is not damaged, and note its use."""
        try:
            row = self._connection.execute(_SELECT, (key,)).fetchone()
        except sqlite3.Error:
            return None
        reply = _read(row) if row else None
        if reply is not None and not self.reads_only:
            change = "UPDATE replies SET used = ? WHERE key = ?"
            with suppress(sqlite3.Error):  # A full disk, or one that cannot be written.
                self._connection.execute(change, (time.time(), key))
        return reply

    @asynccontextmanager
    async def lookup(
        self, key: str, path: str, model: str | None
    ) -> AsyncIterator[KeptReply | None]:
        """Yield the reply that is kept under ``key``; None where who looks is to send the request.

        Equal requests wait for one. A ``ReplyNotKeptError`` names ``path`` and ``model``.
        """
        async with self._locks.setdefault(key, asyncio.Lock()):
            reply = self.get(key)
            if reply is None and self.reads_only:
                raise self.missing(key, path, model)
            yield reply

    def missing(self, key: str, path: str, model: str | None) -> ReplyNotKeptError:
        """Return the error of a request whose reply would have to be kept."""
        of = f" of {model}" if model else ""
        return ReplyNotKeptError(
            f"no reply to {path}{of} (request {key[:_SHOWN]}) is cached in {self.path.parent}"
        )

    def put(self, key: str, reply: KeptReply) -> KeptReply | None:
        """Keep a reply; return what is kept, perhaps by another process, else set ``not_kept``."""
        if not reply.can_be_kept:
            self.not_kept = "a reply is too long, or not in a form that can be replayed"
            return None
        text = reply.body.decode("utf-8", "replace")
        if redact_values(text) != text:
            self.not_kept = "a reply holds a secret of the environment"
            return None
        try:
            if not self._add("INSERT OR IGNORE", key, reply):
                if (first := self.get(key)) is not None:
                    return first
                self._add("INSERT OR REPLACE", key, reply)  # What is there is damaged.
        except sqlite3.Error as error:
            self.not_kept = redact(f"{self.path}: a reply cannot be cached: {error}")
            return None
        return reply

    def contents(self) -> CacheContents:
        """Return how much is kept."""
        row = self._connection.execute("SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM replies")
        return CacheContents(*row.fetchone())

    def clear(self) -> None:
        """Forget everything."""
        self._connection.execute("DELETE FROM replies")
        self._connection.execute("VACUUM")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _add(self, how: str, key: str, reply: KeptReply) -> bool:
        content = zlib.compress(reply.body, _LEVEL)  # Its checksum shows damage.
        size = len(content) + len(key)
        counts = reply.usage or (None, None, None, None)
        values = (key, time.time(), size, content, *counts, reply.type, reply.encoding)
        added = self._connection.execute(f"{how} {_INSERT}", values).rowcount > 0
        if added:
            self._bytes += size
        if self._bytes > self.limit:
            self._bytes = self.contents().bytes  # Other processes add and forget, too.
            if self._bytes > self.limit:
                self._connection.execute(_SHRINK, (int(0.9 * self.limit),))
                self._bytes = self.contents().bytes
        return added


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}",
        uri=True,
        timeout=_PATIENCE,
        isolation_level=None,
        # In a notebook the run has a thread of its own; one thread at a time uses it.
        check_same_thread=False,
    )
    # A query would run what somebody else wrote, without end.
    for (statement,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"):
        if not str(statement).startswith(("CREATE TABLE ", "CREATE INDEX ")):
            raise sqlite3.DatabaseError("it holds a view or a trigger, which mabench never makes")
    return connection


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = _connect(path, "mode=rwc")
    for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", *_TABLES):
        connection.execute(statement)
    return connection


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Open the file of somebody else, perhaps on a medium that cannot be written."""
    if not path.is_file():
        raise DataError(
            f"{path.parent}: no cached replies here; name the folder that holds "
            f"{ResponseCache.FILE}, as printed by `mabench cache show`"
        )
    try:
        connection = _connect(path, "mode=ro")
        connection.execute("SELECT 1 FROM replies LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        log = path.with_name(f"{ResponseCache.FILE}-wal")
        if log.exists() and log.stat().st_size:
            raise  # It holds replies that would be overlooked.
        return _connect(path, "immutable=1")
    return connection


def _read(row: tuple[Any, ...]) -> KeptReply | None:
    content, taken, given, cached, estimated, media, encoding = row
    usage = None
    if taken is not None:
        usage = Usage(taken, given, cached, bool(estimated))
        if not usage.is_possible:
            return None
    if not all(map(isinstance, (content, media, encoding), (bytes, str, str))):
        return None
    reader = zlib.decompressobj()
    try:
        reply = KeptReply(reader.decompress(content, ResponseCache.longest), usage, media, encoding)
    except zlib.error:
        return None
    return reply if reader.eof and reply.can_be_kept else None
