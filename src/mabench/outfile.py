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


@contextmanager
def write_whole(out: str | Path, *, folder: bool = False) -> Iterator[Path]:
    """Give a place beside ``out`` for a file or a ``folder``, which goes there once it is whole.

    A file that is there is replaced, and keeps its permissions. A device or a pipe, such as
    ``/dev/stdout``, is written to as it is.

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
            out.parent.mkdir(parents=True, exist_ok=True)  # Below the current folder alone.
            if folder:
                part.mkdir()
            yield part
            if out.is_file():
                shutil.copymode(out, part)
            part.replace(out)
        finally:
            if part.is_dir():
                shutil.rmtree(part, ignore_errors=True)
            else:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"cannot write to {out}: {reason(error)}") from error


_LONGEST_NAME = 200  # Of a name that is taken over, so that the name of the part is not too long.


def write_file(out: str | Path, content: str | bytes) -> None:
    """Write a file whole; raises as ``write_whole`` does."""
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
        parent = out.absolute().parent
        if not parent.is_dir() and (parent.exists() or not _is_below_here(parent)):
            problem = "is not a folder" if parent.exists() else "does not exist"
            raise UsageError(f"{out}: the folder {parent} {problem}; make it, or name another")
        if parent.is_dir() and not os.access(parent, os.W_OK):
            raise DataError(f"{out}: it cannot be written: Permission denied; name another")
    except OSError as error:
        raise UsageError(f"{_shorten(out)}: {reason(error)}; name another") from error


def _is_below_here(folder: Path) -> bool:
    return ".." not in folder.parts and folder.is_relative_to(Path.cwd())


def _is_stream(out: Path) -> bool:
    """Return whether something is there that is neither a file nor a folder, as behind a link."""
    return out.exists() and not out.is_file() and not out.is_dir()


def _shorten(out: Path) -> str:
    """Return a path as an error shows it: a name that is too long for a file is cut."""
    text = str(out)
    return text if len(text) <= _LONGEST_NAME else f"{text[:40]}…{text[-20:]}"
