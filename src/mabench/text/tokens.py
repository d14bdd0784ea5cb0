"""Counts the o200k_base tokens of a text, or estimates them where that is not possible.

Counting must never download anything.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mabench.errors import MissingPackageError
from mabench.text.estimates import estimate_tokens
from mabench.text.tokenizers import load_encoding

if TYPE_CHECKING:
    from tiktoken import Encoding


# Characters that tiktoken gets at once: it fails on long runs of spaces. Each border adds at most
# one token.
_COUNTED_AT_ONCE = 10_000
# Characters. Counting longer texts would hold up other calls for too long.
_MOST_COUNTED = 1_000_000


def count_tokens(text: str) -> int:
    """Return the number of o200k_base tokens of a text.

    It is estimated if tiktoken or its data are not on this machine, or if the text has more than a
    million characters.
    """
    encoding = _encoding() if len(text) <= _MOST_COUNTED else None
    if encoding is None:
        return estimate_tokens(text)
    starts = range(0, len(text), _COUNTED_AT_ONCE)
    return sum(len(encoding.encode_ordinary(text[at : at + _COUNTED_AT_ONCE])) for at in starts)


@cache
def _encoding() -> Encoding | None:
    """Return o200k_base; None if it is not on this machine."""
    try:
        return load_encoding(offline=True)
    except MissingPackageError:
        return None
