"""What language models were shown, in one compressed file beside the samples.

Each line is a gzip member of its own, so that one can be added at any time and a torn end hides
nothing else. Prompts of a row often begin with the same history: of such a one only the rest is
stored, with how much it shares with an earlier one.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mabench.json_text import without_surrogates
from mabench.runs.records.encoding import IfKnown, JsonRecord, parse
from mabench.runs.records.plain import is_there
from mabench.runs.records.writing import append_bytes, replace_content

_BASES = 8  # Rows that run at a time, more or less.
_GZIP = 31  # What zlib calls a gzip member.
_READ = 1 << 16


@dataclass(frozen=True, slots=True)
class StoredPrompt(JsonRecord):
    """A prompt, or what it adds to an earlier one.

    Attributes:
        prompt: the hash of the whole text, by which samples name it.
        text: the text, or the rest of it.
        base: the hash of the prompt that it begins like.
        shared: how many characters of that it begins with.
    """

    prompt: str
    text: str
    base: IfKnown[str | None] = None
    shared: IfKnown[int | None] = None


class Prompts:
    """The prompts of a run.

    Attributes:
        file: where they are kept.

    Raises:
        DataError: by every method, when the file cannot be read or written.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._known: set[str] | None = None
        self._bases: OrderedDict[str, str] = OrderedDict()

    def keep(self, text: str) -> str:
        """Keep a prompt unless it is kept already, and return the hash that names it."""
        text = without_surrogates(text)
        name = hashlib.sha256(text.encode()).hexdigest()[:16]
        if self._known is None:
            self._known = {stored.prompt for stored in self._repaired()}
        if name not in self._known:
            line = f"{self._stored(name, text).to_json()}\n".encode()
            append_bytes(self.file, gzip.compress(line, mtime=0))
            self._known.add(name)
        return name

    def read(self) -> dict[str, str]:
        """Return what can be read of the prompts, by hash."""
        texts: dict[str, str] = {}
        for stored in self._entries():
            base = texts.get(stored.base or "", "")
            texts[stored.prompt] = base[: stored.shared or 0] + stored.text
        return texts

    def _stored(self, name: str, text: str) -> StoredPrompt:
        shared, base = max(
            ((_shared(text, other), base) for base, other in self._bases.items()), default=(0, None)
        )
        if 2 * shared > len(text):
            return StoredPrompt(name, text[shared:], base, shared)
        self._bases[name] = text
        if len(self._bases) > _BASES:
            self._bases.popitem(last=False)
        return StoredPrompt(name, text)

    def _repaired(self) -> list[StoredPrompt]:
        """Return what can be read, after cutting off a torn end: what is added after it is lost."""
        members = list(self._members())
        whole = members[-1][1] if members else 0
        if is_there(self.file) and whole < self.file.stat().st_size:
            replace_content(self.file, [self.file.read_bytes()[:whole]])
        return [stored for stored, _ in members]

    def _entries(self) -> Iterator[StoredPrompt]:
        return (entry for entry, _ in self._members())

    def _members(self) -> Iterator[tuple[StoredPrompt, int]]:
        """Yield each prompt that can be read, and where in the file it ends."""
        if not is_there(self.file):
            return
        end, left = 0, b""
        with self.file.open("rb") as stream:
            while left := left or stream.read(_READ):
                read = _member(stream, left)
                if read is None:
                    return
                content, left, length = read
                end += length
                try:
                    yield parse(StoredPrompt, content), end
                except ValueError:
                    return


def _member(stream: BinaryIO, start: bytes) -> tuple[bytes, bytes, int] | None:
    """Read a gzip member that begins with ``start``.

    Returns:
        Its content, what was read beyond it, and its length in the file; None where it is torn.
    """
    member, content, length = zlib.decompressobj(_GZIP), b"", 0
    while start:
        try:
            content += member.decompress(start)
        except zlib.error:
            return None
        length += len(start) - len(member.unused_data)
        if member.eof:
            return content, member.unused_data, length
        start = stream.read(_READ)
    return None


def _shared(text: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
