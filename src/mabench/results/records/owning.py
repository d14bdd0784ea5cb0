"""Owning a run folder: one process at a time writes in it, and others are told which does.

The owner locks a file in the folder. Nobody waits for the lock: whoever finds the folder in use is
told so at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mabench.errors import DataError, UsageError, reason
from mabench.results.records.files import OwnFile

_LOCK, _OWNER = ".lock", ".owner"  # The file that is locked, and one with the owner's number.
# What owning a folder leaves in it.
LOCK_FILES = (_LOCK, _OWNER)


@contextmanager
def own(folder: Path) -> Iterator[None]:
    """Own a folder within a block; it is made if need be.

    The system frees the lock of a process that died.

    Raises:
        UsageError: when another process owns it, naming that.
        DataError: when it cannot be written, or has a link in it, naming that.
    """
    from filelock import FileLock, Timeout  # Loaded here: who only reads a folder needs no lock.

    for name in LOCK_FILES:
        OwnFile(folder / name).is_there()  # Raises a DataError for what is no file.
    lock, owner = FileLock(folder / _LOCK, timeout=0), OwnFile(folder / _OWNER)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_links(folder)
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


def _refuse_links(folder: Path) -> None:
    """Raise a ``DataError`` if a file in a folder is a link: what it leads to is not written."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink():
            raise DataError(
                f"{path}: a link, and link targets are not written; remove it, or replace it "
                "with a copy of the file"
            )


def is_owned(folder: Path) -> bool:
    """Return whether a process owns a folder; False where that cannot be told.

    It is owned if its file cannot be locked here, even for reading.
    """
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
    """Return the number of the process that owns a folder, which it wrote into a file there."""
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError:
        return "(unknown)"
