"""The one way to open a user's file: only a regular file, of a size and depth that can be read.

A pipe would be waited for without an end, a sparse file read for hours, and brackets that are
nested deeply enough exhaust any parser. Each is refused before it can do harm. The reason completes
the sentence "the file is …".
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

# In bytes.
_LARGEST = 1 << 36  # A file that is read piece by piece.
LARGEST_DOCUMENT = 1 << 28  # One that is read as a whole, which takes many times its memory.
_LARGEST_TOML = 1 << 20
_LONGEST_LINE = 1 << 28
_DEEPEST = 32  # Levels of nesting in a TOML file.

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
    """Return why a file is not read, such as "a named pipe, not a file"; None if it can be read.

    ``status`` is what ``stat`` says of it, and ``most`` how many bytes it may have.
    """
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        return f"{kind}, not a file"
    if status.st_size > most:
        return f"larger than {_write_size(most)}"
    return None


def open_file(path: Path, most: int = _LARGEST) -> BinaryIO:
    """Open a file of up to ``most`` bytes to read it; raises ``OSError``."""
    fault = fault_of(path.stat(), most)
    if fault is not None:
        raise OSError(errno.EINVAL, fault)
    return path.open("rb")


def read_bytes(path: Path, most: int = LARGEST_DOCUMENT) -> bytes:
    """Return what a file of up to ``most`` bytes holds; raises as ``open_file`` does."""
    with open_file(path, most) as stream:
        content = stream.read(most + 1)
    if len(content) > most:  # A file of the system, as in /proc, says that its size is 0.
        raise OSError(errno.EFBIG, f"larger than {_write_size(most)}")
    return content


def read_json_file(path: Path, *, distinct_keys: bool = False) -> Json:
    """Return the content of a JSON file; raises as ``open_file`` and ``from_json`` do."""
    return from_json(read_bytes(path), distinct_keys=distinct_keys)


def read_toml_file(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file; raises ``OSError`` or ``ValueError``."""
    text = read_bytes(path, _LARGEST_TOML).decode("utf-8-sig")
    _refuse_deep_toml(text)
    return tomllib.loads(text)


def _refuse_deep_toml(text: str) -> None:
    """Raise ``ValueError`` if brackets, or the parts of a key, are nested too deeply.

    Deep brackets end the parser with an error of its own, and a key of thousands of parts, as in
    ``a.b.c = 1``, takes it minutes.
    """
    open_brackets = dots_of_key = 0
    for mark in _TOML_MARKS.findall(text):
        if mark in ("[", "{"):
            open_brackets += 1
        elif mark in ("]", "}"):
            open_brackets -= 1
        elif mark == ".":
            dots_of_key += 1
        elif mark in (",", "=", "\n"):  # Here a key ends.
            dots_of_key = 0
        if max(open_brackets, dots_of_key) > _DEEPEST:
            raise ValueError(f"nested deeper than {_DEEPEST} levels")


def read_tables(path: Path, remedy: str, parameter: str) -> dict[str, Any]:
    """Return the tables of a TOML file that the value of ``parameter`` names.

    Raises:
        UsageError: when it cannot be read; the message ends with the ``remedy``.
    """
    try:
        return read_toml_file(path)
    except (OSError, ValueError) as error:
        problem = f"{path}: not a readable TOML file: {reason(error)}; {remedy}"
        raise UsageError(problem, parameter=parameter) from error


def lines_in(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file with their ends, which may be those of any system.

    Raises:
        OSError: when a line is too long.
    """
    while line := stream.readline(_LONGEST_LINE + 1):
        if len(line) > _LONGEST_LINE:
            longest = _write_size(_LONGEST_LINE)
            raise OSError(errno.EFBIG, f"a file with a line of more than {longest}")
        if b"\r" in line:  # A line may end with it alone; the stream knows only "\n".
            yield from line.splitlines(keepends=True)
        else:
            yield line


def _write_size(count: int) -> str:
    """Return a number of bytes in whole GiB or MiB."""
    return f"{count >> 30} GiB" if count >= 1 << 30 else f"{count >> 20} MiB"
