"""Sketches of long texts, which tell whether one holds much of another.

A sketch has the smallest hashes of a text's sentences (bottom-k, Broder, On the resemblance and
containment of documents, 1997): of two texts, those below a common limit are a random sample of
both, so that what they share shows what the texts share. No word of a text can be read from it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence

# Hashes of a sketch: a text a hundred times as long still has a few of the shorter one's.
_SIZE = 384
_ABOVE_ALL_HASHES = 2**32
# Shorter ones, such as numbers of a list, are common to many texts.
_SHORTEST = 16  # Characters.
_SENTENCE_END = re.compile(r"[.!?\n]")
# The share of the shorter text's sentences from which two texts count as one. Chats that were made
# up from one stock of sentences share some half of them.
_SHARED = 0.8
# With fewer hashes of the shorter text to look at, nothing is said.
_FEWEST = 3


def sketch_text(pieces: Iterable[str]) -> tuple[int, ...]:
    """Return the smallest hashes of the sentences of a text, which comes in pieces."""
    hashes: set[int] = set()
    for piece in pieces:
        for sentence in _SENTENCE_END.split(piece):
            stripped = sentence.strip()
            if len(stripped) >= _SHORTEST:
                hashes.add(zlib.crc32(stripped.lower().encode("utf-8", "replace")))
    return tuple(sorted(hashes)[:_SIZE])


def share_text(one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether most of the shorter of two texts is in the other, by their sketches."""
    if not one or not other:
        return False
    limit = min(_limit_of(one), _limit_of(other))
    hashes = {number for number in one if number <= limit}
    other_hashes = {number for number in other if number <= limit}
    fewer = min(len(hashes), len(other_hashes))
    return fewer >= _FEWEST and len(hashes & other_hashes) >= _SHARED * fewer


def _limit_of(sketch: Sequence[int]) -> int:
    """Return the number up to which a sketch has all hashes of its text."""
    return sketch[-1] if len(sketch) == _SIZE else _ABOVE_ALL_HASHES
