"""Only files are read and written in a run folder: a pipe would be waited for, without an end."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

from mabench.errors import DataError, reason

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def is_there(file: Path) -> bool:
    """Whether a file is there.

    Raises:
        DataError: when something else is there, or it cannot be told.
    """
    try:
        mode = file.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False  # A null character is in no name.
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise DataError(f"{file}: cannot be read: {reason(error)}") from error
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise DataError(f"{file} is {kind}, not a file; remove it, or name another run folder")
    return True
