"""How alike two word stems are: in form, in spelling or in meaning."""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile

from mabench.agents.floor.english import same_meaning
from mabench.agents.floor.facts.names import Words
from mabench.text.stems import is_function_word, stem, tokens

_SIMILAR = 0.9  # What a word counts for that begins like another, or is a misspelling of it.
_SYNONYM = 0.75  # What a word counts for that means the same as another.
_SHARED = 4  # Letters that words which begin alike have in common, at least.
_LONGEST_ENDING = 4
_SHORTEST_MISSPELT = 5
_SPELLING = 85.0  # Similarity of a word and its misspelling, in percent (Indel, by rapidfuzz).


def content_stems(words: Words) -> tuple[str, ...]:
    """Return the different stems of the words of a frame that carry content, in order."""
    plain = [token for word in words for token in tokens(word)]
    return tuple(dict.fromkeys(stem(word) for word in plain if not is_function_word(word)))


@lru_cache(maxsize=200_000)
def likeness(one: str, other: str) -> float:
    """Return how alike two stems are, from 0 to 1."""
    if one == other:
        return 1.0
    if _begin_alike(one, other):
        return _SIMILAR
    if same_meaning(one, other):
        return _SYNONYM
    return _SIMILAR if _is_misspelt(one, other) else 0.0


def _begin_alike(one: str, other: str) -> bool:
    shared = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    )
    return shared >= _SHARED and max(len(one), len(other)) - shared <= _LONGEST_ENDING


def _is_misspelt(one: str, other: str) -> bool:
    from rapidfuzz import fuzz

    if min(len(one), len(other)) < _SHORTEST_MISSPELT:
        return False
    return fuzz.ratio(one, other, score_cutoff=_SPELLING) > 0
