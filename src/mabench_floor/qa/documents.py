"""What a history shows: what its paragraphs are about and share, and which words are verbs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from mabench_floor.answer_types import NAME
from mabench_floor.sentences import Index, Sentence, stems

# Plain choices. A name that stands in more paragraphs leads to those that are about it alone.
_RARE = 10
_MOST_SUBJECTS = 4
_MOST_NAMES = 100  # Names of a sentence that are followed.
_OPENING = 3  # How many other words may stand among those that a paragraph opens with.
_BEFORE_NOUN = "the|an?|his|her|its|their|our|my|your|this|these|those|of|some|many|several|each"
_BEFORE_VERB = (
    "to|will|would|can|could|may|might|must|should|not|he|she|it|they|we|who|which|did|does"
)
_PAIR = re.compile(rf"\b(?:({_BEFORE_NOUN})|(?:{_BEFORE_VERB})) ([a-z]+)\b")
_SHORTEST_PARTICIPLE = 5


class Link(NamedTuple):
    """A paragraph that tells of a name.

    Attributes:
        start: the place of its first sentence.
        first: the place of the first sentence that holds the name.
        end: the place after the last sentence.
        is_subject: whether the paragraph opens with the name.
    """

    start: int
    first: int
    end: int
    is_subject: bool


class Documents:
    """Knows where each paragraph begins and ends, and what it opens with.

    Attributes:
        starts: for each sentence the place of the first one of its paragraph,
        ends: and the place after the last one.
        heads: the place of the first sentence of each paragraph, in order.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._names: dict[int, list[tuple[str, ...]]] = {}
        self._links: dict[tuple[str, ...], list[Link]] = {}
        own = np.array([sentence.paragraph for sentence in index.sentences], dtype=int)
        self.starts = np.searchsorted(own, own)
        self.ends = np.searchsorted(own, own, side="right")
        self.heads = np.unique(self.starts)

    def opening(self, place: int) -> tuple[str, ...]:
        """Return the stems of the first sentence of a sentence's paragraph."""
        return self._index.sentences[int(self.starts[place])].words

    def introduction(self, place: int) -> frozenset[str]:
        """Return the stems of a paragraph's title, if it has one, and of what follows it."""
        head = int(self.starts[place])
        end = min(head + 2, int(self.ends[head]))
        return frozenset(word for n in range(head, end) for word in self._index.sentences[n].words)

    def opens_with(self, place: int, words: Sequence[str]) -> bool:
        """Return whether the paragraph of a sentence opens with ``words``, among its first few."""
        return bool(words) and set(words) <= set(self.opening(place)[: len(words) + _OPENING])

    def about(self, words: Sequence[str]) -> list[int]:
        """Return the first sentences of the paragraphs that open with ``words``."""
        places = min((self._index.places(word) for word in words), key=len, default=[])
        heads = (place for place in places if self.starts[place] == place)
        return [head for head in heads if self.opens_with(head, words)]

    def names_in(self, place: int) -> list[tuple[str, ...]]:
        """Return the stems of the first names in a sentence, a hundred at most."""
        if place not in self._names:
            names = islice(NAME.finditer(self._index.sentences[place].text), _MOST_NAMES)
            self._names[place] = list(dict.fromkeys(stems(match.group()) for match in names))
        return self._names[place]

    def links(self, name: tuple[str, ...], origin: int) -> list[Link]:
        """Return the other paragraphs that tell of a name: all where it is rare.

        Where it is not, only those that open with it, unless these are many.
        """
        if name not in self._links:
            self._links[name] = self._telling_of(name)
        start = int(self.starts[origin])
        return [link for link in self._links[name] if link.start != start]

    def _telling_of(self, name: tuple[str, ...]) -> list[Link]:
        if not name:
            return []
        rarest, *others = sorted((self._index.places(word) for word in set(name)), key=len)
        firsts: dict[int, int] = {}
        for place in rarest:
            at = (bisect_left(places, place) for places in others)
            if all(
                n < len(those) and those[n] == place for n, those in zip(at, others, strict=True)
            ):
                firsts.setdefault(int(self.starts[place]), place)
                if len(firsts) > _RARE:
                    subjects = self.about(name)
                    firsts = {head: head for head in subjects if len(subjects) <= _MOST_SUBJECTS}
                    break
        return [
            Link(start, first, int(self.ends[start]), self.opens_with(start, name))
            for start, first in firsts.items()
        ]


class Lexicon:
    """Tells what words are from what stands before and after them in a history."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._texts = [sentence.text for sentence in sentences]

    def is_verb(self, word: str) -> bool:
        """Return whether a word in lower case is rather a verb than a noun."""
        as_noun, as_verb = self._counts
        noun, verb = as_noun[word], as_verb[word]
        if word.endswith("ed") and len(word) >= _SHORTEST_PARTICIPLE:
            return noun <= 3 * verb + 3
        return verb > 2 * noun

    @cached_property
    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        """How often a word follows what stands before nouns, and before verbs."""
        noun: Counter[str] = Counter()
        verb: Counter[str] = Counter()
        for text in self._texts:
            for before_noun, word in _PAIR.findall(text):
                (noun if before_noun else verb)[word] += 1
        return noun, verb
