"""The one way to write a file or a folder that a user names.

It is written beside its place and renamed once it is whole: a full disk or a kill leaves what was
there before. What is a link is refused, since the file behind it may be another's. A missing folder
is made below the current folder, and nowhere else.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mabench.errors import DataError, UsageError, reason

# Characters of a name that another is made of: most systems allow 255, and some are added.
_LONGEST_NAME = 200
# Characters of a long path in an error.
_SHOWN_BEGINNING, _SHOWN_END = 40, 20


@contextmanager
def write_whole(out: str | Path, *, folder: bool = False) -> Iterator[Path]:
    """Yield the path to write to, beside ``out``; what was written is renamed to it at the end.

    If the body of the ``with`` fails, what it has written is deleted. A file that is at ``out`` is
    replaced, and keeps its permissions. A device or a pipe, such as ``/dev/stdout``, is written to
    as it is.

    Args:
        out: where the file or the folder goes.
        folder: whether a folder is written; it is made, and ``out`` must be missing or empty.

    Raises:
        UsageError: when ``out`` is a link, or a folder that is not empty, or its own folder is
            missing and not below the current one.
        DataError: when it cannot be written.
    """
    out = Path(out)
    check_writable(out, folder=folder)
    try:
        if _is_stream(out):
            yield out
            return
        part = out.with_name(f".{out.name[:_LONGEST_NAME]}.{os.getpid()}.part")
        try:
            # ``check_writable`` has refused a missing folder that is not below the current one.
            out.parent.mkdir(parents=True, exist_ok=True)
            if folder:
                part.mkdir()
            yield part
            if out.is_file():
                shutil.copymode(out, part)
            part.replace(out)
        finally:  # After the renaming, nothing is left to delete.
            if part.is_dir():
                shutil.rmtree(part, ignore_errors=True)
            else:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"cannot write to {out}: {reason(error)}") from error


def write_file(out: str | Path, content: str | bytes) -> None:
    """Write a file whole, a text as UTF-8; raises as ``write_whole`` does."""
    with write_whole(out) as part:
        part.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def check_writable(out: Path, *, folder: bool = False) -> None:
    """Raise what ``write_whole`` would raise before it writes, as far as that can be seen."""
    try:
        if _is_stream(out):
            return
        if out.is_symlink():
            raise UsageError(f"{out} is a link and is not replaced; name the file itself")
        if folder and out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise UsageError(f"{out} is not an empty folder; choose a new one")
        if not folder and out.is_dir():
            raise UsageError(f"{out} is a folder; name a file")
        _check_parent(out)
    except OSError as error:  # The system refuses the path, such as one that is too long.
        raise UsageError(f"{_shorten(out)}: {reason(error)}; name another") from error


def _check_parent(out: Path) -> None:
    """Refuse a path in whose folder nothing can be written.

    A missing folder is refused unless it is below the current one, where it will be made.
    """
    parent = out.absolute().parent
    if parent.is_dir():
        if not os.access(parent, os.W_OK):
            raise DataError(f"{out}: it cannot be written: Permission denied; name another")
        return
    if parent.exists():
        raise UsageError(f"{out}: the folder {parent} is not a folder; make it, or name another")
    if not _is_below_current(parent):
        raise UsageError(f"{out}: the folder {parent} does not exist; make it, or name another")


def _is_below_current(folder: Path) -> bool:
    """Return whether a folder is the current one or below it, and is not written with ".."."""
    return ".." not in folder.parts and folder.is_relative_to(Path.cwd())


def _is_stream(out: Path) -> bool:
    """Return whether a path, or what it links to, is a device or a pipe."""
    return out.exists() and not out.is_file() and not out.is_dir()


def _shorten(out: Path) -> str:
    """Return a path as an error shows it: of one that is too long, its beginning and its end."""
    text = str(out)
    if len(text) <= _LONGEST_NAME:
        return text
    return f"{text[:_SHOWN_BEGINNING]}…{text[-_SHOWN_END:]}"
