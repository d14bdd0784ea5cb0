"""The cache of model replies, which are looked up by everything that determines them.

Any number of processes may use its file at once. A reply is on disk before it is used. It never
holds a secret: a reply that contains a value of a secret environment variable is not cached.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from weakref import WeakValueDictionary

from mabench.errors import DataError, reason
from mabench.installation import cache_folder
from mabench.models.errors import ReplyNotKeptError
from mabench.models.replies.file import FILE_NAME, check_files, open_file, open_file_to_read
from mabench.models.replies.kept_reply import LONGEST_REPLY, KeptReply
from mabench.models.replies.rows import CacheContents, ReplyRows
from mabench.redact import redact, redact_values

# Bytes.
_DEFAULT_LIMIT = 10 * 1024**3
# How many digits of a reply's key are shown in errors.
_KEY_DIGITS = 12


class ResponseCache:
    """Cached replies in a folder, by default mabench's cache folder.

    Beyond ``limit`` bytes, the replies that were unused for longest are dropped. With
    ``reads_only`` nothing in the folder changes, and looking up a missing reply is an error.
    ``not_kept`` says why the latest reply that could not be cached was not; None if there is none.
    """

    FILE = FILE_NAME
    longest = LONGEST_REPLY

    def __init__(
        self, folder: Path | None = None, limit: int = _DEFAULT_LIMIT, *, reads_only: bool = False
    ) -> None:
        self.path = (folder or cache_folder()) / self.FILE
        self.reads_only = reads_only
        self.not_kept: str | None = None
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        try:
            check_files(self.path)
            connection = open_file_to_read(self.path) if reads_only else open_file(self.path)
            self._rows = ReplyRows(connection, limit)
        except (OSError, sqlite3.Error) as error:
            raise DataError(
                f"{self.path}: the cache cannot be opened: {reason(error)}; set MABENCH_CACHE to "
                "another folder, or delete it"
            ) from error

    def get(self, key: str) -> KeptReply | None:
        """Return the cached reply of ``key`` and note its use; None if it is missing or damaged."""
        return self._rows.get(key, notes_use=not self.reads_only)

    @asynccontextmanager
    async def lookup(
        self, key: str, path: str, model: str | None
    ) -> AsyncIterator[KeptReply | None]:
        """Yield the cached reply of ``key``; None if the caller must send the request.

        Equal requests wait here until the first of them has its reply. ``path`` and ``model`` are
        for the error.

        Raises:
            ReplyNotKeptError: when the cache is only read and lacks the reply.
        """
        async with self._locks.setdefault(key, asyncio.Lock()):
            reply = self.get(key)
            if reply is None and self.reads_only:
                raise self.missing(key, path, model)
            yield reply

    def missing(self, key: str, path: str, model: str | None) -> ReplyNotKeptError:
        """Return the error for a request whose reply is not cached but may not be requested."""
        of_model = f" of {model}" if model else ""
        return ReplyNotKeptError(
            f"no reply to {path}{of_model} (request {key[:_KEY_DIGITS]}) is cached in "
            f"{self.path.parent}"
        )

    def put(self, key: str, reply: KeptReply) -> KeptReply | None:
        """Cache a reply and return it; return another process's reply if that was first.

        Return None and set ``not_kept`` if the reply cannot be cached.
        """
        if not reply.can_be_kept:
            self.not_kept = "a reply is too long, or not in a form that can be replayed"
            return None
        text = reply.body.decode("utf-8", "replace")
        if redact_values(text) != text:
            self.not_kept = "a reply holds a secret of the environment"
            return None
        try:
            if not self._rows.add(key, reply):
                first = self.get(key)
                if first is not None:
                    return first
                self._rows.add(key, reply, replaces=True)  # The existing one is damaged.
        except sqlite3.Error as error:
            self.not_kept = redact(f"{self.path}: a reply cannot be cached: {error}")
            return None
        return reply

    def contents(self) -> CacheContents:
        """Return the number and total size of the replies."""
        return self._rows.contents()

    def clear(self) -> None:
        """Delete all replies."""
        self._rows.clear()

    def close(self) -> None:
        """Close the file."""
        self._rows.close()
