"""How much a shared word says: rare words more than frequent ones."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet


def idf(words: Iterable[str], texts: Sequence[AbstractSet[str]]) -> dict[str, float]:
    """Return the inverse document frequency of each of ``words`` among ``texts``.

    ``texts`` are sets of words. The formula is that of BM25 in Lucene, never negative.
    """
    return {word: _idf(sum(word in text for text in texts), len(texts)) for word in words}


def _idf(frequency: int, size: int) -> float:
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


def total(words: Collection[str], weights: Mapping[str, float]) -> float:
    """Return the summed weights of ``words``, in an order that does not depend on hashing."""
    return math.fsum(weights[word] for word in words)
