"""Passages that were cut off, as they would be whole: by an id, an ellipsis, or the record itself.

It is never said to a memory or a reader; it only tells whether what was cut off was what mattered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

# How a text ends that was shortened.
_ELLIPSIS = re.compile(r"(?:\.\.\.|\u2026|\[\u2026\]|\[\.\.\.\])\s{0,9}\Z")
# A part of a text with fewer letters could be anywhere.
_SHORTEST = 12


def complete(texts: Sequence[str], pieces: Sequence[str], ids: Mapping[str, int]) -> list[str]:
    """Return passages as they would be if nothing had been cut off.

    A passage that is the id of a piece stands for that piece, and one that was visibly shortened
    for every piece that has its beginning.

    Args:
        texts: the passages as they were returned.
        pieces: what the memory was told.
        ids: the index of the piece to which the memory gave an id.
    """
    whole = []
    for text in texts:
        stripped = text.strip()
        if stripped in ids:
            whole.append(pieces[ids[stripped]])
            continue
        beginning = _ELLIPSIS.sub("", stripped).rstrip()
        was_shortened = beginning != stripped
        if was_shortened and len(beginning) >= _SHORTEST:
            whole += [piece for piece in pieces if beginning in piece] or [text]
        else:
            whole.append(text)
    return whole


def extend(texts: Sequence[str], records: Sequence[str]) -> list[str]:
    """Return passages, where each that is a part of records is replaced by these records."""
    whole: list[str] = []
    known = {*records}
    for text in texts:
        part = _ELLIPSIS.sub("", text.strip()).rstrip()
        if text in known or len(part) < _SHORTEST:
            whole.append(text)
        else:
            whole += [record for record in records if part in record] or [text]
    return whole
