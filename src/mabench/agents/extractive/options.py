"""The option that the passages support best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from mabench.agents.extractive.statements import statements_in
from mabench.agents.extractive.weights import idf, total
from mabench.text import Option
from mabench.text.stems import content_words

_CONTEXT = 0.5  # What a word of the question counts for, beside one of the option.
_NEAR = 0.5  # What a word of the statement before or after counts for.


class _Place(NamedTuple):
    said: frozenset[str]
    near: frozenset[str]

    def weigh(self, words: AbstractSet[str], weights: Mapping[str, float]) -> float:
        return total(words & self.said, weights) + _NEAR * total(words & self.near, weights)


def best_option(question: str, options: Sequence[Option], texts: Sequence[str]) -> Option | None:
    """Return the option whose own words stand together in the passages; None if none do.

    An option's own words are those that not all options share. Its support is that of its best
    place, a statement with its two neighbours: the rarity of its own words there, over the
    square root of that of all of them, and a share for the other words of the question.
    """
    wordings = [content_words(option.text) for option in options]
    common = frozenset.intersection(*wordings)
    asked = content_words(question).difference(*wordings)
    relevant = asked.union(*wordings)
    weights = idf(relevant, [s.words for text in texts for s in statements_in(text)])
    places = [place for text in texts for place in _places(text, relevant)]
    supports = [_support(wording - common, asked, places, weights) for wording in wordings]
    best = max(supports)
    return options[supports.index(best)] if best else None


def _support(
    own: AbstractSet[str],
    asked: AbstractSet[str],
    places: Sequence[_Place],
    weights: Mapping[str, float],
) -> float:
    size = math.sqrt(total(own, weights)) or 1.0
    return max(
        (
            place.weigh(own, weights) / size + _CONTEXT * place.weigh(asked, weights)
            for place in places
            if own & place.said
        ),
        default=0.0,
    )


def _places(text: str, relevant: AbstractSet[str]) -> list[_Place]:
    """Return the relevant words of every statement, and those that only its neighbours have."""
    said = [statement.words & relevant for statement in statements_in(text)]
    around = [frozenset().union(*said[max(i - 1, 0) : i + 2]) for i in range(len(said))]
    return [_Place(words, near - words) for words, near in zip(said, around, strict=True)]
