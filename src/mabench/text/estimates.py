"""Estimates the tokens of a text, and cuts texts to a number of tokens.

Nothing here may need a tokenizer or its data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|\n+|[^\W\d_A-Za-z]+|[^\w\s]+|_+")
_LINE_ENDS = re.compile(r"\n+")
_FIRST_IDEOGRAPH = 0x2E80
# Weights are counted in parts of a token: every weight is a whole number of them.
_PARTS = 1040
# The length and the number of words whose weights are cached.
_LONGEST_CACHED, _MOST_CACHED = 40, 200_000
# Characters of texts that are weighed together as arrays. With fewer, making arrays takes longer
# than counting; with more, arrays do not fit into the processor's cache.
_LEAST_AT_ONCE, _MOST_AT_ONCE = 2_000, 30_000
# A sample character of each kind. A piece is a run of one kind; spaces, the first, weigh nothing.
_KINDS = " a0\n_."
_LONGEST_RUN = 200


class _WordParts(dict[str, int]):
    """The weights of words, in parts of a token; they are cached."""

    def __missing__(self, word: str) -> int:
        parts = sum(round(weight * _PARTS) for _, weight in _weights(word))
        if len(word) <= _LONGEST_CACHED and len(self) < _MOST_CACHED:
            self[word] = parts
        return parts


_word_parts = _WordParts()


def _weights(text: str) -> Iterator[tuple[int, float]]:
    """Yield the end of each piece of a text, and the estimated number of its tokens."""
    for match in _PIECE.finditer(text):
        piece = match.group()
        length, first = len(piece), piece[0]
        if not first.isascii():
            weight = length * 0.75 if ord(first) >= _FIRST_IDEOGRAPH else max(1.0, length / 3.2)
        elif first.isalpha():
            weight = max(1.0, length / 6.5)
        elif first.isdigit():
            weight = (length + 2) // 3
        else:
            weight = 0.8 if length == 1 else max(1.0, length / 2.5)
        yield match.end(), weight


def estimate_tokens(text: str) -> int:
    """Estimate the number of o200k_base tokens of a text.

    Words, runs of digits, punctuation and ideographs are weighed by rates that were measured
    against o200k_base. The estimate is within 10 % for English prose, facts, dialogue and chat.
    """
    # White space ends every piece, so a word weighs the same everywhere.
    parts = sum(_word_parts[word] for word in text.split())
    parts += sum(_word_parts[ends] for ends in _LINE_ENDS.findall(text))
    return _round_parts(parts, text)


def estimate_each(texts: Iterable[str]) -> list[int]:
    """Return ``estimate_tokens`` of each text; for many texts this is five times as fast."""
    counts: list[int] = []
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= _MOST_AT_ONCE:
            counts += _estimate_batch(batch, size)
            batch, size = [], 0
    return counts + _estimate_batch(batch, size)


def _estimate_batch(texts: list[str], size: int) -> list[int]:
    """Estimate the tokens of texts with ``size`` characters in all.

    Texts in ASCII are weighed together: as arrays of runs of characters of one kind.
    """
    if size < _LEAST_AT_ONCE or not all(map(str.isascii, texts)):
        return list(map(estimate_tokens, texts))
    import numpy as np

    # The space after each text ends its last piece.
    joined = " ".join([*texts, ""]).encode()
    table, run_parts = _run_tables()
    kinds = np.frombuffer(joined.translate(table), np.uint8)
    run_ends = np.append(np.flatnonzero(kinds[1:] != kinds[:-1]), len(kinds) - 1)
    run_lengths = np.diff(run_ends, prepend=-1)
    if run_lengths.max() > _LONGEST_RUN:
        return list(map(estimate_tokens, texts))
    parts_before_run = np.concatenate(([0], np.cumsum(run_parts[kinds[run_ends], run_lengths])))
    space_places = np.cumsum([len(text) + 1 for text in texts]) - 1
    parts_before_space = parts_before_run[np.searchsorted(run_ends, space_places)]
    parts_of_texts: list[int] = np.diff(parts_before_space, prepend=0).tolist()
    return [_round_parts(parts, text) for parts, text in zip(parts_of_texts, texts, strict=True)]


@cache
def _run_tables() -> tuple[bytes, NDArray[Any]]:
    """Return the kind of each byte, and the weight of a run by its kind and length.

    A kind is a place in ``_KINDS``. Bytes beyond ASCII get the first one; texts have none.
    """
    import numpy as np

    of_ascii = bytes(_kind_of(chr(code)) for code in range(128))
    kinds = of_ascii.ljust(256, b"\0")  # As long as ``translate`` requires.
    parts_of_runs = []
    for kind in _KINDS:
        char = "" if kind == " " else kind
        parts_of_runs.append([_word_parts[char * length] for length in range(_LONGEST_RUN + 1)])
    return kinds, np.array(parts_of_runs)


def _kind_of(char: str) -> int:
    """Return the kind of an ASCII character, as a place in ``_KINDS``."""
    sample = "."
    if char in ("\n", "_"):
        sample = char
    elif char.isspace():
        sample = " "
    elif char.isalpha():
        sample = "a"
    elif char.isdigit():
        sample = "0"
    return _KINDS.index(sample)


def _round_parts(parts: int, text: str) -> int:
    """Return whole tokens; a half is rounded as the sum of the floats would be."""
    if 2 * (parts % _PARTS) == _PARTS:
        return round(sum(weight for _, weight in _weights(text)))
    return (2 * parts + _PARTS) // (2 * _PARTS)


def truncate_tokens(text: str, limit: int) -> str:
    """Return the longest beginning of a text that has an estimate of at most ``limit`` tokens."""
    total = 0.0
    end = 0
    for piece_end, weight in _weights(text):
        total += weight
        if total > limit:
            return text[:end].rstrip()
        end = piece_end
    return text


def newest_tokens(text: str, limit: int) -> str:
    """Return the longest end of a text that has an estimate of at most ``limit`` tokens."""
    over = sum(weight for _, weight in _weights(text)) - limit
    start = 0
    for piece_end, weight in _weights(text):
        if over <= 0:
            break
        over -= weight
        start = piece_end
    return text[start:].lstrip() if start else text
