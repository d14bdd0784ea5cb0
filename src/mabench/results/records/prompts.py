"""What language models were shown, in one compressed file beside the samples.

Each line is a gzip member of its own, so that one can be added at any time and a torn end hides
nothing else. Prompts of a row often begin with the same history: of such a one only the rest is
stored, with how much it shares with an earlier one.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import zlib
from collections import OrderedDict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mabench.errors import DataError, reason
from mabench.json_text import IfKnown, JsonRecord, parse, without_surrogates
from mabench.results.records.files import DamagedLine, OwnFile
from mabench.userfile import open_file

_BASES = 8  # Rows that run at a time, more or less.
_GZIP = 31  # What zlib calls a gzip member.
_READ = 1 << 16
_MOST = 1 << 32  # Bytes of all prompts; ours hold a tenth of that.
_LONGEST = 1 << 28
_LEAST = 1 << 12  # What reading a member costs in any case.


@dataclass(frozen=True, slots=True)
class _StoredPrompt(JsonRecord):
    """A prompt, or what it adds to an earlier one."""

    prompt: str  # The hash of the whole text, by which samples name it.
    text: str  # Or the rest of it.
    base: IfKnown[str | None] = None  # The hash of the prompt that it begins like.
    shared: IfKnown[int | None] = None  # How many characters of that it begins with.


class PromptFile(OwnFile):
    """The prompts of a run, kept in a file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._names: set[str] | None = None
        self._bases: OrderedDict[str, str] = OrderedDict()

    def keep(self, text: str) -> str:
        """Keep a prompt unless it is kept already, and return the hash that names it."""
        text = without_surrogates(text)
        name = hashlib.sha256(text.encode()).hexdigest()[:16]
        if self._names is None:
            self._names = self._repair()
        if name in self._names:
            return name
        shares = ((_common_length(text, other), base) for base, other in self._bases.items())
        shared, base = max(shares, default=(0, None))
        if 2 * shared > len(text):
            stored = _StoredPrompt(name, text[shared:], base, shared)
        else:
            _add_base(self._bases, name, text)
            stored = _StoredPrompt(name, text)
        self.add(gzip.compress(f"{stored.to_json()}\n".encode(), mtime=0))
        self._names.add(name)
        return name

    def read(self, names: Collection[str]) -> dict[str, str]:
        """Return those of the named prompts that can be read, by hash."""
        texts: dict[str, str] = {}
        bases: OrderedDict[str, str] = OrderedDict()
        left = _MOST
        for stored, _ in self._entries():
            text = stored.text
            if stored.base is None:
                _add_base(bases, stored.prompt, text)
            elif stored.prompt in names:
                text = bases.get(stored.base, "")[: stored.shared or 0] + text
            if stored.prompt in names:
                texts[stored.prompt] = text
                left -= len(text)
            if left < 0:
                raise DataError(f"{self.path}: too much to show at once; name fewer questions")
        return texts

    def _repair(self) -> set[str]:
        """Set aside what cannot be read, with all behind it, and return what names the others."""
        names: set[str] = set()
        whole = 0
        for stored, end in self._entries():
            names.add(stored.prompt)
            whole = end
        if not self.is_there() or whole == self.path.stat().st_size:
            return names
        content = self.path.read_bytes()
        beside = self.set_aside(content[whole:])
        try:
            was_stopped = _read_member(io.BytesIO(), content[whole:], _LONGEST) is None
        except (OSError, ValueError):
            was_stopped = False
        if not was_stopped:
            fault = f"the data at byte {whole} is not a prompt"
            line = DamagedLine(self.path.name, len(names) + 1, fault, beside)
            OwnFile(self.path.with_name("damaged.jsonl")).add(f"{line.to_json()}\n".encode())
        self.write([content[:whole]])
        return names

    def _entries(self) -> Iterator[tuple[_StoredPrompt, int]]:
        """Yield each prompt that can be read, and where in the file its member ends."""
        if not self.is_there():
            return
        end, left, most = 0, b"", _MOST
        try:
            with open_file(self.path, _MOST) as stream:
                while left := left or stream.read(_READ):
                    member = _read_member(stream, left, min(most, _LONGEST))
                    if member is None:
                        return
                    content, left, length = member
                    end += length
                    most -= len(content) + _LEAST
                    for line in content.splitlines():
                        yield parse(_StoredPrompt, line), end
        except OSError as error:
            raise DataError(
                f"{self.path}: not readable: {reason(error)}; move it to another folder"
            ) from error
        except ValueError:
            return  # What follows may begin like what cannot be read.


def _add_base(bases: OrderedDict[str, str], name: str, text: str) -> None:
    """Add a prompt that others may begin like; the writer and the reader forget the same ones."""
    bases[name] = text
    if len(bases) > _BASES:
        bases.popitem(last=False)


def _read_member(stream: BinaryIO, start: bytes, most: int) -> tuple[bytes, bytes, int] | None:
    """Read a gzip member that begins with ``start``; return None if it is torn.

    Else its content, what was read beyond it, and its length in the file.

    Raises:
        OSError: when it holds more than ``most`` bytes.
        ValueError: when it is damaged.
    """
    member, size, length = zlib.decompressobj(_GZIP), 0, 0
    parts: list[bytes] = []
    while start:
        try:
            parts.append(member.decompress(start, most + 1 - size))
        except zlib.error as error:
            raise ValueError(str(error)) from error
        size += len(parts[-1])
        if size > most:
            raise OSError(errno.EFBIG, "it is too large when decompressed")
        length += len(start) - len(member.unused_data)
        if member.eof:
            return b"".join(parts), member.unused_data, length
        start = stream.read(_READ)
    return None


def _common_length(text: str, other: str) -> int:
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
