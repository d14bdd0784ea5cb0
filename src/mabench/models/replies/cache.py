"""The cache of replies: which are kept and given back, and why one is not.

Any number of processes may use its file at once; a reply is on disk before it is used.
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

_LIMIT = 10 * 1024**3
# Digits of the name of a reply.
_SHOWN = 12


class ResponseCache:
    """Replies by everything that determines them, in mabench's cache folder by default.

    Beyond ``limit`` bytes the replies unused for longest are dropped. One that ``reads_only``
    changes nothing in the folder, and a reply that is not kept is an error; else ``not_kept`` says
    why one could not be kept.
    """

    FILE = FILE_NAME
    longest = LONGEST_REPLY

    def __init__(
        self, folder: Path | None = None, limit: int = _LIMIT, *, reads_only: bool = False
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
        """Return the reply that is kept under ``key``, if it is not damaged, and note its use."""
        return self._rows.get(key, notes_use=not self.reads_only)

    @asynccontextmanager
    async def lookup(
        self, key: str, path: str, model: str | None
    ) -> AsyncIterator[KeptReply | None]:
        """Yield the reply that is kept under ``key``; None if who looks is to send the request.

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
            if not self._rows.add(key, reply):
                if (first := self.get(key)) is not None:
                    return first
                self._rows.add(key, reply, replaces=True)  # What is there is damaged.
        except sqlite3.Error as error:
            self.not_kept = redact(f"{self.path}: a reply cannot be cached: {error}")
            return None
        return reply

    def contents(self) -> CacheContents:
        """Return how much is kept."""
        return self._rows.contents()

    def clear(self) -> None:
        """Forget everything."""
        self._rows.clear()

    def close(self) -> None:
        """Close the file."""
        self._rows.close()
