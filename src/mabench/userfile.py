"""The one way to open a user's file: a regular one, of a size and depth that can be read.

A pipe would be waited for without an end, a sparse file read for hours, and brackets that are
nested deeply enough exhaust any parser. Each is refused, with a reason that completes "the file
is …", before it can do harm.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from mabench.errors import UsageError, reason
from mabench.json_text import Json, from_json

_LARGEST = 1 << 36  # Bytes of a file that is read piece by piece.
LARGEST_DOCUMENT = 1 << 28  # Of one that is read as a whole, which takes many times its memory.
_LARGEST_TOML = 1 << 20
_LONGEST_LINE = 1 << 28
_DEEPEST = 32

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
# All of TOML that nests, and the strings and comments in which the same characters do not.
_TOML_MARKS = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"{3,5}|\\?\Z)|\'\'\'.*?(?:\'{3,5}|\Z)'
    r'|"(?:\\[^\n]|[^"\\\n])*"?|\'[^\'\n]*\'?|#[^\n]*|[][{}.,=\n]',
    re.DOTALL,
)


def fault_of(status: os.stat_result, most: int = _LARGEST) -> str | None:
    """Return what keeps a file from being read, such as "a named pipe, not a file"; else None."""
    if not stat.S_ISREG(status.st_mode):
        return f"{_KINDS.get(stat.S_IFMT(status.st_mode), 'something else')}, not a file"
    return f"larger than {_size(most)}" if status.st_size > most else None


def open_file(path: Path, most: int = _LARGEST) -> BinaryIO:
    """Open a file to read it; raises ``OSError``."""
    if fault := fault_of(path.stat(), most):
        raise OSError(errno.EINVAL, fault)
    return path.open("rb")


def read_bytes(path: Path, most: int = LARGEST_DOCUMENT) -> bytes:
    """Return what a file holds; raises as ``open_file`` does."""
    with open_file(path, most) as stream:
        content = stream.read(most + 1)
    if len(content) > most:  # Files of the system have no size.
        raise OSError(errno.EFBIG, f"larger than {_size(most)}")
    return content


def read_json_file(path: Path, *, distinct_keys: bool = False) -> Json:
    """Return the content of a JSON file; raises as ``open_file`` and ``from_json`` do."""
    return from_json(read_bytes(path), distinct_keys=distinct_keys)


def read_toml_file(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file; raises ``OSError`` or ``ValueError``."""
    text = read_bytes(path, _LARGEST_TOML).decode("utf-8-sig")
    depth = dots = 0
    for mark in _TOML_MARKS.findall(text):
        depth += (mark in ("[", "{")) - (mark in ("]", "}"))
        # A key of thousands of parts takes the parser minutes.
        dots = dots + (mark == ".") if mark not in (",", "=", "\n") else 0
        if max(depth, dots) > _DEEPEST:
            raise ValueError(f"nested deeper than {_DEEPEST} levels")
    return tomllib.loads(text)


def read_tables(path: Path, remedy: str, parameter: str) -> dict[str, Any]:
    """Return the tables of a TOML file; raises ``UsageError`` with the ``remedy``."""
    try:
        return read_toml_file(path)
    except (OSError, ValueError) as error:
        problem = f"{path}: not a readable TOML file: {reason(error)}; {remedy}"
        raise UsageError(problem, parameter=parameter) from error


def lines_in(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file with their ends; raises ``OSError`` where one is too long."""
    while line := stream.readline(_LONGEST_LINE + 1):
        if len(line) > _LONGEST_LINE:
            raise OSError(errno.EFBIG, f"a file with a line of more than {_size(_LONGEST_LINE)}")
        if b"\r" in line:
            yield from line.splitlines(keepends=True)
        else:
            yield line


def _size(count: int) -> str:
    return f"{count >> 30} GiB" if count >= 1 << 30 else f"{count >> 20} MiB"
