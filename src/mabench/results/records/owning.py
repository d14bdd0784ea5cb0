"""Owning a run folder: one process at a time writes in it, and the others are told which does.

Never wait for a lock: whoever finds the folder in use is told so at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mabench.errors import DataError, UsageError, reason
from mabench.results.records.files import OwnFile

_LOCK, _OWNER = ".lock", ".owner"
# What owning a folder leaves in it.
LOCK_FILES = (_LOCK, _OWNER)


@contextmanager
def own(folder: Path) -> Iterator[None]:
    """Own a folder, which is made; the system frees the lock of a process that died.

    Raises:
        UsageError: when another process owns it, naming that.
        DataError: when it cannot be written, or has a link in it, naming that.
    """
    from filelock import FileLock, Timeout  # Who only reads a folder needs none of it.

    for name in LOCK_FILES:
        OwnFile(folder / name).is_there()
    lock, owner = FileLock(folder / _LOCK, timeout=0), OwnFile(folder / _OWNER)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for link in filter(Path.is_symlink, sorted(folder.iterdir())):
            raise DataError(
                f"{link}: a link, and link targets are not written; remove it, or replace it "
                "with a copy of the file"
            )
        lock.acquire()
        with owner.open("wb") as stream:
            stream.write(f"{os.getpid()}\n".encode())
    except Timeout as error:
        raise UsageError(
            f"{folder} is in use by process {_read_owner(owner.path)}; wait until that ends"
        ) from error
    except OSError as error:
        lock.release()
        why = f"the run folder cannot be written: {reason(error)}; give another `out`"
        raise DataError(f"{folder}: {why}") from error
    try:
        yield
    finally:
        lock.release()


def is_owned(folder: Path) -> bool:
    """Return whether a process owns a folder; False where that cannot be told."""
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


def _read_owner(file: Path) -> str:
    """Return the number of the process that owns a folder, as it wrote it there."""
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError:
        return "(unknown)"
