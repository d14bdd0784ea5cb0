"""What is in the files of a memory: how much, and which words.

Nothing is unpacked or decoded: a word counts as there where its bytes are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

_READ_BYTES = 1 << 26  # Of each file, when words are looked for.


def files_in(folder: Path) -> list[Path]:
    """Return the files below a folder, sorted, without symbolic links."""
    return [file for file in sorted(folder.rglob("*")) if file.is_file() and not file.is_symlink()]


def bytes_in(folder: Path) -> int:
    """Return how many bytes the files below a folder hold."""
    return sum(file.stat().st_size for file in files_in(folder))


def find_words(folder: Path, words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each word that is in a file below a folder, or in its name, and where.

    Case does not matter in a file. It is searched for the word in UTF-8, UTF-16 and UTF-32.
    """
    for file in files_in(folder):
        name = file.relative_to(folder).as_posix()
        yield from ((word, f"in the name of {name}") for word in sorted(words) if word in name)
        with file.open("rb") as stream:
            content = stream.read(_READ_BYTES).lower()
        for word in sorted(words):
            for encoding, encoded in _encodings_of(word):
                if encoded in content:
                    yield word, f"in {name}{encoding}"


def _encodings_of(word: str) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes that a word may be in a file, each with words for its encoding."""
    small = word.lower()
    yield "", small.encode()
    yield " as UTF-16", small.encode("utf-16-le")
    yield " as UTF-32", small.encode("utf-32-le")
