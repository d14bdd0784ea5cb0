"""A first look at a file or folder: enough to tell its format, bounded in bytes and time.

It never raises for what a file holds: a file that is no JSON simply has no first value.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mabench.userfile import LARGEST_DOCUMENT, fault_of

# How much of a list or of lines is read. Its first item must be complete within this.
_BEGINNING_BYTES = 1 << 24
_FIRST_LINE_BYTES = 1 << 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# What separates values, by the ending of a file of them.
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True)
class Glimpse:
    """What a file or folder looks like; each property is read once, when it is first asked for."""

    path: Path

    @cached_property
    def entries(self) -> frozenset[str]:
        """The names in a folder; none of a file."""
        try:
            return frozenset(child.name for child in self.path.iterdir())
        except OSError:
            return frozenset()

    @cached_property
    def document(self) -> Any:
        """The value of a JSON file that is one object; None of every other file."""
        content = self._beginning
        if not content.lstrip().startswith(b"{"):
            return None
        return _value_of(content if self._is_complete else self._read(LARGEST_DOCUMENT))

    @cached_property
    def first_line(self) -> Mapping[str, Any] | None:
        """The first object of a file with a JSON object a line; None of every other file."""
        lines = self._beginning.lstrip().splitlines()
        first = _value_of(lines[0]) if lines else None
        return first if isinstance(first, dict) else None

    @cached_property
    def first_item(self) -> Mapping[str, Any] | None:
        """The first object of a JSON list; None of every other file."""
        content = self._beginning.lstrip()
        if not content.startswith(b"["):
            return None
        items = _value_of(content, is_cut=True)
        first = items[0] if isinstance(items, list) and items else None
        return first if isinstance(first, dict) else None

    @property
    def is_json(self) -> bool:
        """Whether a file begins with an object, or with a list of objects."""
        return any(value is not None for value in (self.document, self.first_line, self.first_item))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names in the first line of a CSV or TSV file; none of every other file."""
        delimiter = _DELIMITERS.get(self.path.suffix.lower())
        if delimiter is None:
            return ()
        beginning = self._beginning[:_FIRST_LINE_BYTES].decode("utf-8", "replace")
        try:
            names = next(csv.reader(io.StringIO(beginning), delimiter=delimiter), [])
        except csv.Error:
            return ()
        return tuple(name.strip() for name in names)

    @cached_property
    def _beginning(self) -> bytes:
        return self._read(_BEGINNING_BYTES)

    @property
    def _is_complete(self) -> bool:
        """Whether the file has no more bytes than its beginning."""
        return len(self._beginning) < _BEGINNING_BYTES

    def _read(self, most: int) -> bytes:
        """Return up to ``most`` bytes, unpacked; none of a file that cannot be read."""
        try:
            if fault_of(self.path.stat()):
                return b""
            is_zipped = self.path.suffix.lower() == ".gz"
            with gzip.open(self.path) if is_zipped else self.path.open("rb") as stream:
                return stream.read(most).removeprefix(_BYTE_ORDER_MARK)
        except (OSError, EOFError, gzip.zlib.error):  # type: ignore[attr-defined]
            return b""


def _value_of(content: bytes, *, is_cut: bool = False) -> Any:
    """Return the value of a JSON text, or what is complete of one that is cut; else None."""
    try:
        if not is_cut:
            return json.loads(content.decode("utf-8", "surrogatepass"))
        from pydantic_core import from_json

        return from_json(content.decode("utf-8", "replace"), allow_partial=True)
    except (ValueError, RecursionError):
        return None
