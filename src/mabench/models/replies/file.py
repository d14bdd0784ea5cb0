"""Opens the SQLite database of cached replies, to write or only to read.

A database with views or triggers is refused: somebody else's statements must never run.
"""

from __future__ import annotations

import errno
import sqlite3
from contextlib import suppress
from pathlib import Path

from mabench.errors import DataError
from mabench.userfile import fault_of

FILE_NAME = "replies.sqlite"

_TABLES = (
    # The column ``text`` holds the bytes of the reply, compressed.
    "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, used REAL NOT NULL, "
    "bytes INTEGER NOT NULL, text TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, "
    "estimated INTEGER, cached_tokens INTEGER, type TEXT, encoding TEXT)",
    # For the total size and the least recently used replies, without reading the replies.
    "CREATE INDEX IF NOT EXISTS replies_used ON replies (used, bytes)",
)
# Seconds to wait while another process has locked the database.
_PATIENCE = 5.0


def check_files(path: Path) -> None:
    """Raise an ``OSError`` if the database, or a file that SQLite adds, is no ordinary file."""
    for end in ("", "-wal", "-shm", "-journal"):
        file = path.with_name(f"{FILE_NAME}{end}")
        with suppress(FileNotFoundError):  # Another process may remove it at any time.
            if fault := fault_of(file.stat()):
                raise OSError(errno.EINVAL, f"{file.name} is {fault}")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    """Connect to the database; ``mode`` is the query of its URI, such as ``mode=ro``."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}",
        uri=True,
        timeout=_PATIENCE,
        isolation_level=None,
        # In a notebook the run has a thread of its own. Only one thread uses it at a time.
        check_same_thread=False,
    )
    # A view or trigger of somebody else could make our queries run for ever.
    for (statement,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"):
        if not str(statement).startswith(("CREATE TABLE ", "CREATE INDEX ")):
            raise sqlite3.DatabaseError("it holds a view or a trigger, which mabench never makes")
    return connection


def open_file(path: Path) -> sqlite3.Connection:
    """Open the database to read and write; create it if there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = _connect(path, "mode=rwc")
    for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", *_TABLES):
        connection.execute(statement)
    return connection


def open_file_to_read(path: Path) -> sqlite3.Connection:
    """Open an existing database to read only, perhaps on a medium that cannot be written.

    Raises:
        DataError: when there is none.
        sqlite3.Error: when it cannot be read.
    """
    if not path.is_file():
        raise DataError(
            f"{path.parent}: no cached replies here; name the folder that holds "
            f"{FILE_NAME}, as printed by `mabench cache show`"
        )
    try:
        connection = _connect(path, "mode=ro")
        connection.execute("SELECT 1 FROM replies LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        log = path.with_name(f"{FILE_NAME}-wal")
        if log.exists() and log.stat().st_size:
            raise  # Opened as immutable, SQLite would overlook the replies in this log.
        return _connect(path, "immutable=1")
    return connection
