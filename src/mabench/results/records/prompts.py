"""What language models were shown, in one compressed file beside the samples.

Each line is a gzip member of its own, so that one can be added at any time and a torn end hides
nothing else. Prompts of a row often begin with the same history. Of such a prompt only the rest is
stored, with its base, an earlier prompt, and how many characters of the base it begins with. Only
the latest prompts that were stored whole can be bases; writer and reader remember the same ones.
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
from typing import BinaryIO, NamedTuple

from mabench.errors import DataError, reason
from mabench.json_text import IfKnown, JsonRecord, parse, without_surrogates
from mabench.results.records.files import DamagedLine, OwnFile
from mabench.userfile import open_file

_MOST_BASES = 8  # Rows that run at a time, more or less.
_GZIP = 31  # The number by which zlib reads gzip members.
_READ_BYTES = 1 << 16  # Read from the file at a time.
_MOST = 1 << 32  # Of all prompts together, decompressed; ours have a tenth of that.
_LONGEST_MEMBER = 1 << 28  # Bytes, decompressed.
_LEAST_COST = 1 << 12  # Bytes that a member counts for beside its own; reading it takes time.
_NAME_DIGITS = 16  # Of the hash that names a prompt.


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
        """Name the file, which need not be there yet."""
        super().__init__(path)
        self._names: set[str] | None = None  # Of the prompts in the file, once it was repaired.
        self._bases: OrderedDict[str, str] = OrderedDict()  # Texts by name.

    def keep(self, text: str) -> str:
        """Keep a prompt unless it is kept already, and return the hash that names it."""
        prompt = without_surrogates(text)
        name = hashlib.sha256(prompt.encode()).hexdigest()[:_NAME_DIGITS]
        if self._names is None:
            self._names = self._repair()
        if name in self._names:
            return name
        # The base that it shares most with; of several such bases, the one whose name is last.
        shared, base = max(
            ((_common_length(prompt, text), name) for name, text in self._bases.items()),
            default=(0, ""),
        )
        shares_most_of_it = 2 * shared > len(prompt)
        if shares_most_of_it:
            stored = _StoredPrompt(name, prompt[shared:], base, shared)
        else:
            _add_base(self._bases, name, prompt)
            stored = _StoredPrompt(name, prompt)
        self.add(gzip.compress(f"{stored.to_json()}\n".encode(), mtime=0))
        self._names.add(name)
        return name

    def read(self, names: Collection[str]) -> dict[str, str]:
        """Return those of the named prompts that can be read, by hash."""
        texts: dict[str, str] = {}
        bases: OrderedDict[str, str] = OrderedDict()
        characters_left = _MOST
        for stored, _ in self._read_prompts():
            text = stored.text
            if stored.base is None:
                _add_base(bases, stored.prompt, text)
            elif stored.prompt in names:
                shared = bases.get(stored.base, "")[: stored.shared or 0]
                text = shared + text
            if stored.prompt in names:
                texts[stored.prompt] = text
                characters_left -= len(text)
            if characters_left < 0:
                raise DataError(f"{self.path}: too much to show at once; name fewer questions")
        return texts

    def _repair(self) -> set[str]:
        """Set aside what cannot be read, with all behind it, and return the names of the others.

        It is registered as a damaged line, unless it is the torn end that a stopped run leaves.
        """
        names: set[str] = set()
        readable_bytes = 0
        for stored, end in self._read_prompts():
            names.add(stored.prompt)
            readable_bytes = end
        if not self.is_there() or readable_bytes == self.path.stat().st_size:
            return names
        content = self.path.read_bytes()
        unreadable = content[readable_bytes:]
        beside = self.set_aside(unreadable)
        if not _is_torn(unreadable):
            fault = f"the data at byte {readable_bytes} is not a prompt"
            line = DamagedLine(self.path.name, len(names) + 1, fault, beside)
            OwnFile(self.path.with_name("damaged.jsonl")).add(f"{line.to_json()}\n".encode())
        self.write([content[:readable_bytes]])
        return names

    def _read_prompts(self) -> Iterator[tuple[_StoredPrompt, int]]:
        """Yield each prompt that can be read, and where in the file its member ends, in bytes.

        Nothing is read behind a member that is torn or damaged. Raises ``DataError`` for a file
        that cannot be read or is too large.
        """
        if not self.is_there():
            return
        end = 0
        bytes_left = _MOST  # That may still be decompressed.
        beginning = b""  # Of the next member, as far as it was read with the one before.
        try:
            with open_file(self.path, _MOST) as stream:
                while True:
                    beginning = beginning or stream.read(_READ_BYTES)
                    if not beginning:
                        return
                    most = min(bytes_left, _LONGEST_MEMBER)
                    member = _read_member(stream, beginning, most)
                    if member is None:
                        return
                    beginning = member.read_beyond
                    end += member.length
                    bytes_left -= len(member.content) + _LEAST_COST
                    for line in member.content.splitlines():
                        yield parse(_StoredPrompt, line), end
        except OSError as error:
            raise DataError(
                f"{self.path}: not readable: {reason(error)}; move it to another folder"
            ) from error
        except ValueError:
            return  # What follows may begin like what cannot be read.


def _add_base(bases: OrderedDict[str, str], name: str, text: str) -> None:
    """Add a prompt to those that others may begin like, and forget the oldest of too many."""
    bases[name] = text
    if len(bases) > _MOST_BASES:
        bases.popitem(last=False)


class _GzipMember(NamedTuple):
    """A gzip member of a file."""

    content: bytes  # Decompressed.
    read_beyond: bytes  # What was read from the file behind it.
    length: int  # How many bytes it has in the file.


def _read_member(stream: BinaryIO, beginning: bytes, most: int) -> _GzipMember | None:
    """Read a gzip member whose beginning was read already; return None if it is torn.

    Raises:
        OSError: when it has more than ``most`` bytes, decompressed.
        ValueError: when it is damaged.
    """
    member = zlib.decompressobj(_GZIP)
    content, length = bytearray(), 0
    compressed = beginning
    while compressed:
        try:
            content += member.decompress(compressed, most + 1 - len(content))
        except zlib.error as error:
            raise ValueError(str(error)) from error
        if len(content) > most:
            raise OSError(errno.EFBIG, "it is too large when decompressed")
        length += len(compressed) - len(member.unused_data)
        if member.eof:
            return _GzipMember(bytes(content), member.unused_data, length)
        compressed = stream.read(_READ_BYTES)
    return None


def _is_torn(content: bytes) -> bool:
    """Return whether some bytes are the beginning of a gzip member, whose end is missing."""
    nothing_more = io.BytesIO()
    try:
        return _read_member(nothing_more, content, _LONGEST_MEMBER) is None
    except (OSError, ValueError):
        return False


def _common_length(text: str, other: str) -> int:
    """Return how many characters two texts begin with alike, by halving the range of answers."""
    low, high = 0, min(len(text), len(other))  # The answer is from ``low`` to ``high``.
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
