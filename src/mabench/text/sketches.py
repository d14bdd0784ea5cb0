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
    sentences = (one.strip() for piece in pieces for one in _SENTENCE_END.split(piece))
    long_ones = (one.lower() for one in sentences if len(one) >= _SHORTEST)
    hashes = {zlib.crc32(one.encode("utf-8", "replace")) for one in long_ones}
    return tuple(sorted(hashes)[:_SIZE])


def share_text(one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether most of the shorter of two texts is in the other."""
    if not one or not other:
        return False
    limits = [of[-1] if len(of) == _SIZE else 2**32 for of in (one, other)]
    below = [[each for each in of if each <= min(limits)] for of in (one, other)]
    fewer = min(map(len, below))
    return fewer >= _FEWEST and len({*below[0]} & {*below[1]}) >= _SHARED * fewer
