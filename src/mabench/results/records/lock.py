"""One process owns a run folder while it writes there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from mabench.errors import DataError, UsageError, reason
from mabench.results.records.files import is_there, no_link

_LOCK = ".lock"
_OWNER = ".owner"
LOCK_FILES = (_LOCK, _OWNER)


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Own a run folder; the lock of a process that died is free, since the system lets go of it.

    Raises:
        UsageError: when another process owns it, naming that.
        DataError: when the folder cannot be written, or has a link in it, naming that.
    """
    for name in (_LOCK, _OWNER):
        is_there(folder / name)
    lock = FileLock(folder / _LOCK, timeout=0)
    try:
        _check_links(folder)
        lock.acquire()
        with open(folder / _OWNER, "w", encoding="ascii", opener=no_link) as stream:
            stream.write(f"{os.getpid()}\n")
    except Timeout as error:
        raise UsageError(
            f"{folder} is in use by process {_owner(folder)}; wait until that ends"
        ) from error
    except OSError as error:
        lock.release()
        raise DataError(f"{folder}: the run folder cannot be written: {reason(error)}") from error
    try:
        yield
    finally:
        lock.release()


def is_owned(folder: Path) -> bool:
    """Whether a process is writing in a run folder; False where that cannot be told."""
    try:
        import fcntl
    except ImportError:  # Windows.
        return False
    try:
        lock = os.open(folder / _LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def _check_links(folder: Path) -> None:
    """Raise a ``DataError`` when something in a run folder is a link."""
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink():
            raise DataError(
                f"{entry}: a link, and what it leads to is not written on; remove it, or put a "
                "copy of the file in its place"
            )


def _owner(folder: Path) -> str:
    try:
        return (folder / _OWNER).read_text(encoding="ascii").strip()
    except OSError:
        return "(unknown)"
