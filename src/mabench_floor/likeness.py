"""Says how similar two word stems are: in form, in spelling or in meaning, in general English.

Which words have similar meanings comes from WordNet: ``meanings.txt``, which ``tools/meanings.py``
makes, knows nothing of any data set.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

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
    of_one, of_other = meanings(one), meanings(other)
    if not of_one.isdisjoint(of_other):
        return _SYNONYM
    more_general = _meanings().more_general
    if not of_one.isdisjoint(more_general.get(other, ())):
        return _KIND
    if not of_other.isdisjoint(more_general.get(one, ())):
        return _KIND
    return _SIMILAR if _is_misspelt(one, other) else 0.0


def _begin_alike(one: str, other: str) -> bool:
    """Return whether two words differ only in short endings, as "marri" and "marriag" do."""
    shared = Prefix.similarity(one, other)
    return shared >= _SHARED and max(len(one), len(other)) - shared <= _LONGEST_ENDING


def _is_misspelt(one: str, other: str) -> bool:
    """Return whether one of two longer words may be the other with a spelling mistake."""
    if min(len(one), len(other)) < _SHORTEST_MISSPELT:
        return False
    return fuzz.ratio(one, other, score_cutoff=_SPELLING) > 0


def meanings(word: str) -> frozenset[int]:
    """Return the numbers of the meanings that a stem can have."""
    return _meanings().own.get(word, frozenset())


class _Meanings(NamedTuple):
    """Meanings by stem, each a number.

    Attributes:
        own: the meanings that a stem can have.
        more_general: the meanings that have the stem as a more general word.
    """

    own: Mapping[str, frozenset[int]]
    more_general: Mapping[str, frozenset[int]]


@cache
def _meanings() -> _Meanings:
    """Read the table: a meaning a line, its stems, a colon, and the stems of more general words."""
    own: defaultdict[str, set[int]] = defaultdict(set)
    more_general: defaultdict[str, set[int]] = defaultdict(set)
    _copyright, *lines = _TABLE.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        stems, general_stems = line.split(":")
        for word in stems.split():
            own[word].add(number)
        for word in general_stems.split():
            more_general[word].add(number)
    return _Meanings(
        {word: frozenset(numbers) for word, numbers in own.items()},
        {word: frozenset(numbers) for word, numbers in more_general.items()},
    )
