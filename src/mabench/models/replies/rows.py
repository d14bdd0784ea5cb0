"""The rows of the cache's database: looked up, added, counted, and trimmed to a limit."""

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
# Deletes the least recently used replies, down to a number of bytes.
_SHRINK = """
DELETE FROM replies WHERE key IN (
    SELECT key FROM (SELECT key, SUM(bytes) OVER (ORDER BY used DESC, key) AS so_far FROM replies)
    WHERE so_far > ?
)"""
# Trims to this part of the limit, so that not every further reply trims again.
_TRIMMED_PART = 0.9
# zlib's fastest level: a higher one saves little and takes more than a millisecond a reply.
_LEVEL = 1


class CacheContents(NamedTuple):
    """The number of replies in the cache, and their bytes on disk."""

    replies: int
    bytes: int


class ReplyRows:
    """Replies by their keys; beyond ``limit`` bytes the least recently used are deleted."""

    def __init__(self, connection: sqlite3.Connection, limit: int) -> None:
        self._limit = limit
        self._connection = connection
        self._bytes = self.contents().bytes

    def get(self, key: str, *, notes_use: bool) -> KeptReply | None:
        """Return the reply of a key; None if it is missing or damaged."""
        try:
            row = self._connection.execute(_SELECT, (key,)).fetchone()
        except sqlite3.Error:
            return None
        reply = _parse_row(row) if row else None
        if reply is not None and notes_use:
            # The disk may be full or not writable.
            with suppress(sqlite3.Error):
                change = "UPDATE replies SET used = ? WHERE key = ?"
                self._connection.execute(change, (time.time(), key))
        return reply

    def add(self, key: str, reply: KeptReply, *, replaces: bool = False) -> bool:
        """Add a reply unless there is one; return whether it was added.

        With ``replaces``, an existing reply is overwritten.
        """
        on_conflict = "REPLACE" if replaces else "IGNORE"
        content = zlib.compress(reply.body, _LEVEL)  # With a checksum, which detects damage.
        size = len(content) + len(key)
        counts = reply.usage or (None, None, None, None)  # In the order of ``_INSERT``.
        values = (key, time.time(), size, content, *counts, reply.type, reply.encoding)
        added = self._connection.execute(f"INSERT OR {on_conflict} {_INSERT}", values).rowcount > 0
        if added:
            self._bytes += size
        if self._bytes > self._limit:
            self._bytes = self.contents().bytes  # Other processes add and delete, too.
            if self._bytes > self._limit:
                self._connection.execute(_SHRINK, (int(_TRIMMED_PART * self._limit),))
                self._bytes = self.contents().bytes
        return added

    def contents(self) -> CacheContents:
        """Return the number and total size of the replies."""
        count_query = "SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM replies"
        replies, size = self._connection.execute(count_query).fetchone()
        return CacheContents(replies, size)

    def clear(self) -> None:
        """Delete all replies."""
        self._connection.execute("DELETE FROM replies")
        self._connection.execute("VACUUM")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _parse_row(row: tuple[Any, ...]) -> KeptReply | None:
    """Return the reply in a row of the table; None if the row is damaged in any way."""
    content, input_tokens, output_tokens, cached_tokens, estimated, media_type, encoding = row
    usage = None
    if input_tokens is not None:
        usage = Usage(input_tokens, output_tokens, cached_tokens, bool(estimated))
        if not usage.is_possible:
            return None
    if not (
        isinstance(content, bytes) and isinstance(media_type, str) and isinstance(encoding, str)
    ):
        return None
    decompressor = zlib.decompressobj()
    try:
        body = decompressor.decompress(content, LONGEST_REPLY)
    except zlib.error:
        return None
    reply = KeptReply(body, usage, media_type, encoding)
    return reply if decompressor.eof and reply.can_be_kept else None
