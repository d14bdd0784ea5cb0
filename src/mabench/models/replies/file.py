"""The file in which replies are kept: a database, opened to be written or only to be read."""

from __future__ import annotations

import errno
import sqlite3
from contextlib import suppress
from pathlib import Path

from mabench.errors import DataError
from mabench.userfile import fault_of

FILE_NAME = "replies.sqlite"

_TABLES = (
    # The column of the bytes is called text.
    "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, used REAL NOT NULL, "
    "bytes INTEGER NOT NULL, text TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, "
    "estimated INTEGER, cached_tokens INTEGER, type TEXT, encoding TEXT)",
    # Sizes are added up, and what was unused for longest is found, without reading the replies.
    "CREATE INDEX IF NOT EXISTS replies_used ON replies (used, bytes)",
)
# How many seconds another process may hold up this one.
_PATIENCE = 5.0


def check_files(path: Path) -> None:
    """Raise an ``OSError`` if the file, or what SQLite puts beside it, is no ordinary file."""
    for end in ("", "-wal", "-shm", "-journal"):
        file = path.with_name(f"{FILE_NAME}{end}")
        with suppress(FileNotFoundError):  # Another process may remove it at any time.
            if fault := fault_of(file.stat()):
                raise OSError(errno.EINVAL, f"{file.name} is {fault}")


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


def open_file(path: Path) -> sqlite3.Connection:
    """Open the file, which is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = _connect(path, "mode=rwc")
    for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", *_TABLES):
        connection.execute(statement)
    return connection


def open_file_to_read(path: Path) -> sqlite3.Connection:
    """Open the file of somebody else, perhaps on a medium that cannot be written."""
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
            raise  # It holds replies that would be overlooked.
        return _connect(path, "immutable=1")
    return connection
