"""The kept replies in a file: looked up, added, counted, and trimmed to a limit."""

from __future__ import annotations

import sqlite3
import time
import zlib
from contextlib import suppress
from typing import Any, NamedTuple

from mabench.models.replies.kept_reply import LONGEST_REPLY, KeptReply
from mabench.models.usage import Usage

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
# Little is gained by more, which would take more than a millisecond a call.
_LEVEL = 1


class CacheContents(NamedTuple):
    """How much the cache holds."""

    replies: int
    bytes: int


class ReplyRows:
    """Replies by their keys; beyond a limit in bytes, those unused for longest are dropped."""

    def __init__(self, connection: sqlite3.Connection, limit: int) -> None:
        self._limit = limit
        self._connection = connection
        self._bytes = self.contents().bytes

    def get(self, key: str, *, notes_use: bool) -> KeptReply | None:
        """Return the reply of a key, if it is not damaged."""
        try:
            row = self._connection.execute(_SELECT, (key,)).fetchone()
        except sqlite3.Error:
            return None
        reply = _read(row) if row else None
        if reply is not None and notes_use:
            change = "UPDATE replies SET used = ? WHERE key = ?"
            with suppress(sqlite3.Error):  # A full disk, or one that cannot be written.
                self._connection.execute(change, (time.time(), key))
        return reply

    def add(self, key: str, reply: KeptReply, *, replaces: bool = False) -> bool:
        """Add a reply unless there is one, which it may replace; return whether it was added."""
        how = "REPLACE" if replaces else "IGNORE"
        content = zlib.compress(reply.body, _LEVEL)  # Its checksum shows damage.
        size = len(content) + len(key)
        counts = reply.usage or (None, None, None, None)
        values = (key, time.time(), size, content, *counts, reply.type, reply.encoding)
        added = self._connection.execute(f"INSERT OR {how} {_INSERT}", values).rowcount > 0
        if added:
            self._bytes += size
        if self._bytes > self._limit:
            self._bytes = self.contents().bytes  # Other processes add and forget, too.
            if self._bytes > self._limit:
                self._connection.execute(_SHRINK, (int(0.9 * self._limit),))
                self._bytes = self.contents().bytes
        return added

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
        reply = KeptReply(reader.decompress(content, LONGEST_REPLY), usage, media, encoding)
    except zlib.error:
        return None
    return reply if reader.eof and reply.can_be_kept else None
