"""The length of a text in tokens where no server has counted them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mabench.errors import MissingPackageError
from mabench.text.tokenizer_data import load_encoding
from mabench.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from tiktoken import Encoding

# tiktoken takes a text in pieces: long runs of spaces in one piece make it fail. A border adds a
# token at most.
_PIECE = 10_000
# Characters. Beyond them, counting would hold up other calls for longer than it is worth.
_MOST = 1_000_000


def count_tokens(text: str) -> int:
    """Return how many o200k_base tokens ``text`` has.

    tiktoken counts them where it and its data are on this machine, else ``estimate_tokens`` does;
    so it does for texts of over a million characters. Nothing is downloaded.
    """
    encoding = _encoding() if len(text) <= _MOST else None
    if encoding is None:
        return estimate_tokens(text)
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    return sum(len(encoding.encode_ordinary(piece)) for piece in pieces)


@cache
def _encoding() -> Encoding | None:
    """Return o200k_base; None where it is not on this machine."""
    try:
        return load_encoding(offline=True)
    except MissingPackageError:
        return None
