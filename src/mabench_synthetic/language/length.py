"""How many o200k_base tokens synthetic text has, estimated without a tokenizer.

Rows must come out the same wherever they are made, so their length cannot depend on what is
installed. English words of the wordings are single tokens nearly always; an invented name is
weighed by its letters. What they weigh is in ``lengths.json``, which ``make fit`` writes.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|\n+|[^\w\s]+")
_SHORTEST_NAME = 6
_MOST_KEPT = 100_000
# What an invented name weighs, what each of its letters adds, and the rates of kinds of text.
FITTED: dict[str, Any] = json.loads(
    Path(__file__).with_name("lengths.json").read_text(encoding="utf-8")
)


def rate_of(kind: str) -> float:
    """Return the tokens of a row for each that ``tokens_of`` counts in texts of its kind.

    Kinds differ in punctuation and in English words that are taken for names.
    """
    rate: float = FITTED["rates"][kind]
    return rate


def forget() -> None:
    """Weigh every word anew, after a change of ``FITTED``."""
    _word_weights.clear()
    _weight.cache_clear()


def tokens_of(text: str) -> float:
    """Return about how many tokens ``text`` has, to be multiplied by the rate of its kind."""
    if "\n" in text:
        return sum(map(_weight, _PIECE.findall(text)))
    # No piece holds a space, so the pieces of a word are the same wherever it stands.
    return sum(map(_word_weights.__getitem__, text.split()))


class _WordWeights(dict[str, float]):
    """What words weigh, of which most are remembered."""

    def __missing__(self, word: str) -> float:
        weight = sum(map(_weight, _PIECE.findall(word)))
        if len(self) < _MOST_KEPT:
            self[word] = weight
        return weight


_word_weights = _WordWeights()


@lru_cache(_MOST_KEPT)
def _weight(piece: str) -> float:
    first = piece[0]
    if first.isupper() and len(piece) >= _SHORTEST_NAME:
        letters: dict[str, float] = FITTED["letters"]
        weight: float = FITTED["name"] + sum(letters.get(letter, 0.4) for letter in piece.lower())
        return weight
    if first.isalpha():
        return max(1.0, len(piece) / 9)
    if first.isdigit():
        return (len(piece) + 2) // 3
    return 0.8 if len(piece) == 1 else max(1.0, len(piece) / 2.5)
