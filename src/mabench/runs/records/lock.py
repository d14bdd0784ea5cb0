"""One process owns a run folder while it writes there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from mabench.errors import DataError, UsageError

_LOCK = ".lock"
_OWNER = ".owner"
LOCK_FILES = (_LOCK, _OWNER)


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Own a run folder; the lock of a process that died is free, since the system lets go of it.

    Raises:
        UsageError: when another process owns it, naming that.
        DataError: when the folder cannot be written.
    """
    lock = FileLock(folder / _LOCK, timeout=0)
    try:
        lock.acquire()
        (folder / _OWNER).write_text(f"{os.getpid()}\n", encoding="ascii")
    except Timeout as error:
        raise UsageError(
            f"{folder} is in use by process {_owner(folder)}; wait until that ends"
        ) from error
    except OSError as error:
        lock.release()
        raise DataError(f"{folder}: the run folder cannot be written: {error}") from error
    try:
        yield
    finally:
        lock.release()


def _owner(folder: Path) -> str:
    try:
        return (folder / _OWNER).read_text(encoding="ascii").strip()
    except OSError:
        return "(unknown)"
