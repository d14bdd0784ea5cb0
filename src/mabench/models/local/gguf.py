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
_LONGEST_NAME = 1 << 16
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
        version = self._number("I")
        if version not in _VERSIONS:
            raise NotGGUFError(f"its version is {version}; known: {', '.join(map(str, _VERSIONS))}")
        _tensors, values = self._number("Q"), self._number("Q")
        architecture, contexts = None, {}
        for _ in range(values):
            name, value = self._text(), self._value(self._number("I"))
            if name == _ARCHITECTURE:
                architecture = str(value)
            elif name.endswith(_CONTEXT) and isinstance(value, int):
                contexts[name] = value
            if architecture is not None and (context := contexts.get(architecture + _CONTEXT)):
                return GGUFHead(architecture, context)
        if architecture is None:
            raise NotGGUFError("it names no architecture")
        return GGUFHead(architecture, None)

    def _value(self, kind: int) -> object:
        """Return a number or a text; lists are passed over."""
        if kind == _TEXT:
            return self._text()
        if kind != _LIST:
            return self._number(self._format_of(kind))
        kind, length = self._number("I"), self._number("Q")
        if kind == _TEXT:
            for _ in range(length):
                self._skip(self._number("Q"))
        else:
            self._skip(struct.calcsize(self._format_of(kind)) * length)
        return None

    def _format_of(self, kind: int) -> str:
        if kind not in _NUMBERS:
            raise NotGGUFError(f"it holds a value of the unknown type {kind}")
        return _NUMBERS[kind]

    def _number(self, form: str) -> int:
        return struct.unpack(f"<{form}", self._bytes(struct.calcsize(form)))[0]  # type: ignore[no-any-return]

    def _text(self) -> str:
        length = self._number("Q")
        if length > _LONGEST_NAME:  # None that is looked for.
            self._skip(length)
            return ""
        return self._bytes(length).decode("utf-8", "replace")

    def _bytes(self, length: int) -> bytes:
        content = self._file.read(length)
        if len(content) < length:
            raise NotGGUFError("it is cut off")
        return content

    def _skip(self, length: int) -> None:
        if length > self._size - self._file.tell():
            raise NotGGUFError("it is cut off")
        self._file.seek(length, os.SEEK_CUR)
