"""What the head of a GGUF file says of its model: architecture and trained context.

Only the head is read, up to what is looked for. The file may be anybody's: no length in it is
believed beyond what the file holds. The format is described with ggml, in docs/gguf.md.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import IO, NamedTuple

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_ARCHITECTURE = "general.architecture"
_CONTEXT = ".context_length"
_LONGEST_TEXT = 1 << 16  # Bytes of a text that is read; names and architectures are shorter.
# Which formats of `struct` the numbers have, by their types.
_NUMBERS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_TEXT, _LIST = 8, 9
# The formats of what comes before values.
_TYPE_FORMAT, _VERSION_FORMAT, _LENGTH_FORMAT = "I", "I", "Q"


class NotGGUFError(ValueError):
    """The file is no GGUF, or it ends within its head."""


class GGUFHead(NamedTuple):
    """What the head of a file says."""

    architecture: str
    context: int | None  # How many tokens the model was trained with; None if it does not say.


def read_head(path: Path) -> GGUFHead:
    """Return what the head of a file says.

    Raises:
        NotGGUFError: when the file is no GGUF or is cut off; OSError: when it cannot be read.
    """
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise NotGGUFError("it does not begin with GGUF")
        return _Head(file).read()


class _Head:
    """Reads the named values of a head, one after the other."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._size = os.fstat(file.fileno()).st_size

    def read(self) -> GGUFHead:
        """Read what follows ``GGUF``: version, numbers of tensors and of values, and the values.

        The name of the trained context holds the architecture: ``llama.context_length``.
        """
        version = self._read_number(_VERSION_FORMAT)
        if version not in _VERSIONS:
            raise NotGGUFError(f"its version is {version}; known: {', '.join(map(str, _VERSIONS))}")
        self._read_number(_LENGTH_FORMAT)  # Of tensors.
        values = self._read_number(_LENGTH_FORMAT)
        architecture = None
        contexts: dict[str, int] = {}
        for _ in range(values):
            name = self._read_text()
            value = self._read_value()
            if name == _ARCHITECTURE:
                architecture = str(value)
            elif name.endswith(_CONTEXT) and isinstance(value, int):
                contexts[name] = value
            if architecture is not None and (context := contexts.get(architecture + _CONTEXT)):
                return GGUFHead(architecture, context)
        if architecture is None:
            raise NotGGUFError("it names no architecture")
        return GGUFHead(architecture, None)

    def _read_value(self) -> object:
        """Read a type and the value after it: a number or a text; None for a list."""
        kind = self._read_number(_TYPE_FORMAT)
        if kind == _TEXT:
            return self._read_text()
        if kind == _LIST:
            self._skip_list()
            return None
        return self._read_number(self._format_of(kind))

    def _skip_list(self) -> None:
        """Pass over a list; one of lists is not known and raises a ``NotGGUFError``."""
        kind, length = self._read_number(_TYPE_FORMAT), self._read_number(_LENGTH_FORMAT)
        if kind == _TEXT:
            for _ in range(length):
                self._skip(self._read_number(_LENGTH_FORMAT))
        else:
            self._skip(struct.calcsize(self._format_of(kind)) * length)

    def _format_of(self, kind: int) -> str:
        if kind not in _NUMBERS:
            raise NotGGUFError(f"it holds a value of the unknown type {kind}")
        return _NUMBERS[kind]

    def _read_number(self, form: str) -> int:
        """Read a number in a format of `struct`, by which it may be a float or a boolean."""
        return struct.unpack(f"<{form}", self._read_bytes(struct.calcsize(form)))[0]  # type: ignore[no-any-return]

    def _read_text(self) -> str:
        """Read a length and the text after it; empty for one too long to be looked for."""
        length = self._read_number(_LENGTH_FORMAT)
        if length > _LONGEST_TEXT:
            self._skip(length)
            return ""
        return self._read_bytes(length).decode("utf-8", "replace")

    def _read_bytes(self, length: int) -> bytes:
        content = self._file.read(length)
        if len(content) < length:
            raise NotGGUFError("it is cut off")
        return content

    def _skip(self, length: int) -> None:
        if length > self._size - self._file.tell():
            raise NotGGUFError("it is cut off")
        self._file.seek(length, os.SEEK_CUR)
