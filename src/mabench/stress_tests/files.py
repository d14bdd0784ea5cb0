"""What is left in files: a store's folder is searched for planted words, also packed ones."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path

_MOST = 1 << 26  # Bytes of a file that are read, and of what is unpacked from it.
_PACKED = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")
_MOST_PACKED = 2000  # Places in a file at which something packed may begin.
_EITHER = 32 + zlib.MAX_WBITS  # gzip and zlib.
_FORMS: dict[str, Callable[[str], bytes]] = {
    "as text": lambda word: word.encode(),
    "as UTF-16": lambda word: word.encode("utf-16-le"),
    "as UTF-32": lambda word: word.encode("utf-32-le"),
    "in hexadecimal": lambda word: word.encode().hex().encode(),
}


def traces_in(folder: Path, words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each word that stands in a file of a folder, or in its name, and where and how."""
    sought = sorted(words)
    for file in files_in(folder):
        name = file.relative_to(folder).as_posix()
        yield from ((word, f"in the name of {name}") for word in sought if word in name)
        with file.open("rb") as stream:
            content = stream.read(_MOST)
        for part, packed in chain([(content, "")], _unpack(content)):
            yield from ((word, f"in {name} {how}{packed}") for word, how in _find(sought, part))


def files_in(folder: Path) -> list[Path]:
    """Return the files of a folder, and of those in it."""
    return [file for file in sorted(folder.rglob("*")) if file.is_file() and not file.is_symlink()]


def bytes_in(folder: Path) -> int:
    """Return how many bytes the files of a folder hold."""
    return sum(file.stat().st_size for file in files_in(folder))


def _find(words: Iterable[str], content: bytes) -> Iterator[tuple[str, str]]:
    plain = content.lower()
    for word in words:
        # What surely stands in base64 of a text with this word, by where the word begins.
        coded = (
            base64.b64encode(b"\0" * before + word.encode())[first : (before + len(word)) * 8 // 6]
            for before, first in enumerate((0, 2, 3))
        )
        for how, form in _FORMS.items():
            if form(word.lower()) in plain:
                yield word, how
                break
        else:
            if any(part in content for part in coded):
                yield word, "in base64"


def _unpack(content: bytes) -> Iterator[tuple[bytes, str]]:
    for match in islice(_PACKED.finditer(content), _MOST_PACKED):
        with suppress(zlib.error):
            packed = memoryview(content)[match.start() :]
            yield zlib.decompressobj(_EITHER).decompress(packed, _MOST), ", compressed"
