"""Measures how well the words of a question fit the relations of a book."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mabench.text.stems import content_stems
from mabench_floor.facts.book import FactBook, Hop
from mabench_floor.facts.grammar import asked_of, key_slot, kind_of_first, kind_of_second
from mabench_floor.likeness import likeness

# The weight of a word that only one relation has.
_HIGHEST = 3.7
# The weight of a word that names the kind of names to which a hop leads.
_KIND = 0.8
# The least likeness of a clear word to a word of a relation; any other word is vague.
_CLEAR = 0.5
_LEAST_SHARE = 0.15
# Two slots are surely of one kind if they share half of the names of the smaller one.
_GENEROUS = 2.0
# How many names they must share at least.
_FEWEST_COMMON = 2


class QuestionWord(NamedTuple):
    """A content word of a question.

    Attributes:
        stem: its stem.
        distance: how many words are between it and the name.
        spent: how much of a hop it has explained so far; a further hop that it explains better
            takes it over.
    """

    stem: str
    distance: int
    spent: float = 0.0


QuestionWords = tuple[QuestionWord, ...]


class HopMatch(NamedTuple):
    """How well the words of a question fit a hop.

    Attributes:
        left: the words, with how much each has explained by now; of a repeated word, only the
            nearer one counts.
        explained: the weight of the words that fit this hop better than earlier ones.
        coverage: the share, by weight, of the hop's own words that the question contains.
        distance: the mean distance of the words that fit the hop, by weight.
    """

    left: QuestionWords
    explained: float
    coverage: float
    distance: float


class WordEvidence:
    """Compares questions with the relations of a book, word by word; words are stems."""

    def __init__(self, book: FactBook) -> None:
        self._stems = [
            tuple(dict.fromkeys(content_stems(" ".join(frame.words)))) for frame in book.relations
        ]
        counts = Counter(word for stems in self._stems for word in stems)
        size = len(self._stems)
        self._weights = {
            word: _HIGHEST * math.log1p(size / count) / math.log1p(size)
            for word, count in counts.items()
        }
        self._kinds = _kinds_of_hops(book)
        self._named_kinds = frozenset(kind for kinds in self._kinds.values() for kind in kinds)
        self._near = cache(
            lambda word: {o: alike for o in self._weights if (alike := likeness(word, o))}
        )
        self._share = cache(self._shares)

    def weight(self, word: str) -> float:
        """Return how informative a word of a question is; 0 if no relation has a similar word."""
        near = self._near(word)
        return max((self._weights[other] * alike for other, alike in near.items()), default=0.0)

    def is_clear(self, word: str) -> bool:
        """Return whether a word is very similar to one of a relation, or names a kind of names."""
        kinds = [likeness(word, kind) for kind in self._named_kinds]
        return max([0.0, *self._near(word).values(), *kinds]) >= _CLEAR

    def is_kind(self, word: str) -> bool:
        """Return whether a word names a kind of names, such as city."""
        return any(likeness(word, kind) for kind in self._named_kinds)

    def kind(self, word: str, hop: Hop) -> float:
        """Return how surely a word names the kind of names to which a hop leads, from 0 to 1."""
        kinds = self._kinds[hop]
        return max((share * likeness(word, kind) for kind, share in kinds.items()), default=0.0)

    def match(self, words: QuestionWords, hop: Hop) -> HopMatch:
        """Return how well the words of a question fit a hop."""
        stems = self._stems[hop.relation]
        shares = {word.stem: self._share(word.stem, hop) for word in words}
        speaking: dict[str, QuestionWord] = {}
        for word in words:
            if shares[word.stem][0] > word.spent:
                speaking.setdefault(word.stem, word)
        weights = {word: shares[word.stem][0] for word in speaking.values()}
        gained = sum(weight - word.spent for word, weight in weights.items())
        explained = sum(weights.values())
        distance = sum(word.distance * weight for word, weight in weights.items())
        nothing = (0.0,) * len(stems)
        said = (shares[stem][1] for stem in speaking)
        covered = sum(map(max, zip(nothing, *said, strict=True)))
        return HopMatch(
            left=tuple(word._replace(spent=weights.get(word, word.spent)) for word in words),
            explained=gained,
            coverage=covered / (sum(map(self._weights.__getitem__, stems)) or 1.0),
            distance=distance / explained if explained else 0.0,
        )

    def _shares(self, word: str, hop: Hop) -> tuple[float, tuple[float, ...]]:
        """Return how well a word fits a hop, and how much of each of the hop's words it covers."""
        near, stems = self._near(word), self._stems[hop.relation]
        alike = [near.get(stem, 0.0) for stem in stems]
        return (
            max(*alike, _KIND * self.kind(word, hop), 0.0) * self.weight(word),
            tuple(like * self._weights[stem] for like, stem in zip(alike, stems, strict=True)),
        )


def _kinds_of_hops(book: FactBook) -> dict[Hop, Mapping[str, float]]:
    """Return, for each hop, the nouns for the kind of names to which it leads, each with a share.

    A noun comes from the hop's own frames, with a share of 1, or from those of another hop, with
    the share to which both lead to names of the same kind.
    """
    ends: defaultdict[Hop, set[str]] = defaultdict(set)
    for fact in book.facts:
        for back in (False, True):
            ends[Hop(fact.relation, back)].add(fact.keys[0 if back else 1])
    nouns = _nouns(book)
    hops = list(ends)
    alike = _alike(list(ends.values()))
    kinds: dict[Hop, Mapping[str, float]] = {}
    for place, hop in enumerate(hops):
        found: defaultdict[str, float] = defaultdict(float)
        for other, share in zip(hops, alike[place], strict=True):
            if share >= _LEAST_SHARE:
                for noun in nouns.get(other, ()):
                    found[noun] = max(found[noun], float(share))
        kinds[hop] = dict(found)
    return kinds


def _alike(slots: Sequence[set[str]]) -> NDArray[np.float64]:
    """Return for every two sets of names how surely they are of one kind, from 0 to 1.

    They are if they share names, or if each shares names with a third set. What somebody is taught
    by and whom somebody is married to are rarely the same, but both were born somewhere.
    """
    alike = np.eye(len(slots))
    for (one, names), (other, others) in combinations(enumerate(slots), 2):
        common = len(names & others)
        if common >= _FEWEST_COMMON:
            share = min(1.0, _GENEROUS * common / min(len(names), len(others)))
            alike[one, other] = alike[other, one] = share
    for between in range(len(slots)):
        alike = np.maximum(alike, np.outer(alike[between], alike[between]))
    return alike


def _nouns(book: FactBook) -> dict[Hop, set[str]]:
    """Return the nouns in the frames of each hop that name the kind of names to which it leads."""
    return {
        Hop(relation, back=(slot == 0) != (key_slot(frame) == 1)): {
            noun for noun in (kind(frame), asked_of(frame, slot)) if noun
        }
        for relation, frame in enumerate(book.relations)
        for slot, kind in enumerate((kind_of_first, kind_of_second))
    }
