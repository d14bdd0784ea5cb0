"""The length of a text in o200k_base tokens: counted where possible, else estimated.

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


# tiktoken takes a text in pieces: long runs of spaces in one piece make it fail. A border adds a
# token at most.
_COUNTED_AT_ONCE = 10_000
# Characters. Beyond them, counting would hold up other calls for longer than it is worth.
_MOST_COUNTED = 1_000_000


def count_tokens(text: str) -> int:
    """Return how many o200k_base tokens ``text`` has.

    tiktoken counts them where it and its data are on this machine, else ``estimate_tokens`` does;
    so it does for texts of over a million characters. Nothing is downloaded.
    """
    encoding = _encoding() if len(text) <= _MOST_COUNTED else None
    if encoding is None:
        return estimate_tokens(text)
    starts = range(0, len(text), _COUNTED_AT_ONCE)
    return sum(len(encoding.encode_ordinary(text[at : at + _COUNTED_AT_ONCE])) for at in starts)


@cache
def _encoding() -> Encoding | None:
    try:
        return load_encoding(offline=True)
    except MissingPackageError:
        return None
