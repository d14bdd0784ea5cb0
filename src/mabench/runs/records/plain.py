"""Only files are read and written in a run folder: a pipe would be waited for, without an end."""

from __future__ import annotations

import errno
from pathlib import Path

from mabench.errors import DataError, reason
from mabench.userfile import fault_of


def is_there(file: Path) -> bool:
    """Whether a file is there.

    Raises:
        DataError: when something else is there, it is too large, or it cannot be told.
    """
    try:
        fault = fault_of(file.stat())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False  # A null character is in no name.
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise DataError(f"{file}: cannot be read: {reason(error)}") from error
    if fault:
        raise DataError(f"{file} is {fault}; remove it, or name another run folder")
    return True
