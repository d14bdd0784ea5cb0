"""Says how similar two word stems are: in form, in spelling or in meaning, in general English.

Which words have similar meanings comes from WordNet: ``meanings.txt``, which ``tools/meanings.py``
makes, knows nothing of any data set.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache, lru_cache
from pathlib import Path

from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

# The likeness of words that begin alike or are misspelled, of synonyms, and of a word and a more
# general one.
_SIMILAR = 0.9
_SYNONYM = 0.75
_KIND = 0.4
# How many letters words that begin alike must share.
_SHARED = 4
_LONGEST_ENDING = 4
_SHORTEST_MISSPELT = 5
# The similarity of a word and its misspelling, in percent (Indel, by rapidfuzz).
_SPELLING = 85.0
_TABLE = Path(__file__).with_name("meanings.txt")


@lru_cache(maxsize=200_000)
def likeness(one: str, other: str) -> float:
    """Return how similar two stems are, from 0 to 1."""
    if one == other:
        return 1.0
    if _begin_alike(one, other):
        return _SIMILAR
    means, kind_of = _meanings()
    first, second = means.get(one, frozenset()), means.get(other, frozenset())
    if not first.isdisjoint(second):
        return _SYNONYM
    if not (first.isdisjoint(kind_of.get(other, ())) and second.isdisjoint(kind_of.get(one, ()))):
        return _KIND
    return _SIMILAR if _is_misspelt(one, other) else 0.0


def _begin_alike(one: str, other: str) -> bool:
    shared = Prefix.similarity(one, other)
    return shared >= _SHARED and max(len(one), len(other)) - shared <= _LONGEST_ENDING


def _is_misspelt(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _SHORTEST_MISSPELT:
        return False
    return fuzz.ratio(one, other, score_cutoff=_SPELLING) > 0


def meanings(word: str) -> frozenset[int]:
    """Return the numbers of the meanings that a stem can have."""
    return _meanings()[0].get(word, frozenset())


@cache
def _meanings() -> tuple[dict[str, frozenset[int]], dict[str, frozenset[int]]]:
    """Return the numbers of the meanings of each stem, and of more general ones."""
    tables: tuple[defaultdict[str, set[int]], ...] = (defaultdict(set), defaultdict(set))
    for number, line in enumerate(_TABLE.read_text(encoding="utf-8").splitlines()[1:]):
        for table, words in zip(tables, line.split(":"), strict=True):
            for word in words.split():
                table[word].add(number)
    means, kind_of = ({word: frozenset(own) for word, own in table.items()} for table in tables)
    return means, kind_of
