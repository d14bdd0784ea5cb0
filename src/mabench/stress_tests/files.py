"""What is left in files: a store's folder is searched for planted words, also packed ones."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

_MOST = 1 << 26  # Bytes of a file that are read, and of what is unpacked from it.
_PACKED = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")
_MOST_PACKED = 2000  # Places in a file at which something packed may begin.
_FORMS: dict[str, Callable[[str], bytes]] = {
    "as text": lambda word: word.encode(),
    "as UTF-16": lambda word: word.encode("utf-16-le"),
    "as UTF-32": lambda word: word.encode("utf-32-le"),
    "in hexadecimal": lambda word: word.encode().hex().encode(),
}


def traces_in(folder: Path, words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each word that stands in a file of a folder, or in its name, and where and how."""
    sought = sorted(words)
    for file in sorted(folder.rglob("*")):
        if file.is_symlink() or not file.is_file():
            continue
        name = file.relative_to(folder).as_posix()
        yield from ((word, f"in the name of {name}") for word in sought if word in name)
        with file.open("rb") as stream:
            content = stream.read(_MOST)
        yield from ((word, f"in {name} {how}") for word, how in _traces_of(content, sought))
        for unpacked in _unpack(content):
            yield from (
                (word, f"in {name} {how}, compressed") for word, how in _traces_of(unpacked, sought)
            )


def bytes_in(folder: Path) -> int:
    """Return how many bytes the files of a folder hold."""
    files = (file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return sum(file.stat().st_size for file in files)


def _traces_of(content: bytes, words: Iterable[str]) -> Iterator[tuple[str, str]]:
    plain = content.lower()
    for word in words:
        for how, form in _FORMS.items():
            if form(word.lower()) in plain:
                yield word, how
                break
        else:
            if any(part in content for part in _base64_of(word)):
                yield word, "in base64"


def _base64_of(word: str) -> Iterator[bytes]:
    """Yield what surely stands in base64 of a text with this word, by where the word begins."""
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + word.encode())
        yield coded[(0, 2, 3)[before] : (before + len(word)) * 8 // 6]


def _unpack(content: bytes) -> Iterator[bytes]:
    for count, match in enumerate(_PACKED.finditer(content)):
        if count >= _MOST_PACKED:
            return
        gzip = match[0].startswith(b"\x1f")
        try:
            unpacked = zlib.decompressobj(31 if gzip else 15).decompress(
                content[match.start() :], _MOST
            )
        except zlib.error:
            continue
        if unpacked:
            yield unpacked
