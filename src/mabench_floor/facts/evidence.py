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


class _WordFit(NamedTuple):
    """How well a word of a question fits a hop.

    Attributes:
        weight: how much of the question it explains if it describes the hop.
        covers: the weight of each word of the hop, as far as this word is like it.
    """

    weight: float
    covers: tuple[float, ...]


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
        # Each book keeps what it has compared.
        self._similar_words = cache(self._compare_with_relations)
        self._fit = cache(self._measure_fit)

    def weight(self, word: str) -> float:
        """Return how informative a word of a question is; 0 if no relation has a similar word."""
        similar = self._similar_words(word)
        return max((self._weights[other] * alike for other, alike in similar.items()), default=0.0)

    def is_clear(self, word: str) -> bool:
        """Return whether a word is very similar to one of a relation, or names a kind of names."""
        kinds = [likeness(word, kind) for kind in self._named_kinds]
        return max([0.0, *self._similar_words(word).values(), *kinds]) >= _CLEAR

    def is_kind(self, word: str) -> bool:
        """Return whether a word names a kind of names, such as city."""
        return any(likeness(word, kind) for kind in self._named_kinds)

    def kind(self, word: str, hop: Hop) -> float:
        """Return how surely a word names the kind of names to which a hop leads, from 0 to 1."""
        kinds = self._kinds[hop]
        return max((share * likeness(word, kind) for kind, share in kinds.items()), default=0.0)

    def match(self, words: QuestionWords, hop: Hop) -> HopMatch:
        """Return how well the words of a question fit a hop."""
        fits = {word.stem: self._fit(word.stem, hop) for word in words}
        # The words that fit this hop better than earlier ones, the nearer of repeated ones.
        fitting: dict[str, QuestionWord] = {}
        for word in words:
            if fits[word.stem].weight > word.spent:
                fitting.setdefault(word.stem, word)
        weights = {word: fits[word.stem].weight for word in fitting.values()}
        total = sum(weights.values())
        distance = sum(word.distance * weight for word, weight in weights.items())
        return HopMatch(
            left=tuple(word._replace(spent=weights.get(word, word.spent)) for word in words),
            explained=sum(weight - word.spent for word, weight in weights.items()),
            coverage=self._coverage(hop, [fits[stem] for stem in fitting]),
            distance=distance / total if total else 0.0,
        )

    def _coverage(self, hop: Hop, fits: Sequence[_WordFit]) -> float:
        """Return the share, by weight, of the words of a hop that words of a question cover."""
        total = sum(self._weights[stem] for stem in self._stems[hop.relation])
        if not total:
            return 0.0
        # Each word of the hop is covered as far as the best word of the question covers it.
        best: list[float] = [
            max(covered) for covered in zip(*(fit.covers for fit in fits), strict=True)
        ]
        return sum(best) / total

    def _compare_with_relations(self, word: str) -> dict[str, float]:
        """Return the words of relations that are similar to a word, with their likeness."""
        likenesses = {other: likeness(word, other) for other in self._weights}
        return {other: alike for other, alike in likenesses.items() if alike}

    def _measure_fit(self, word: str, hop: Hop) -> _WordFit:
        """Measure how well a word fits the words of a hop, or the kind of names it leads to."""
        similar, stems = self._similar_words(word), self._stems[hop.relation]
        alike = [similar.get(stem, 0.0) for stem in stems]
        best = max([*alike, _KIND * self.kind(word, hop)])
        covers = (like * self._weights[stem] for like, stem in zip(alike, stems, strict=True))
        return _WordFit(best * self.weight(word), tuple(covers))


def _kinds_of_hops(book: FactBook) -> dict[Hop, Mapping[str, float]]:
    """Return, for each hop, the nouns for the kind of names to which it leads, each with a share.

    A noun comes from the hop's own frames, with a share of 1, or from those of another hop, with
    the share to which both lead to names of the same kind.
    """
    names_at: defaultdict[Hop, set[str]] = defaultdict(set)
    for fact in book.facts:
        for back in (False, True):
            hop = Hop(fact.relation, back)
            names_at[hop].add(fact.keys[hop.end])
    nouns = _nouns(book)
    hops = list(names_at)
    alike = _alike(list(names_at.values()))
    kinds: dict[Hop, Mapping[str, float]] = {}
    for place, hop in enumerate(hops):
        share_of: defaultdict[str, float] = defaultdict(float)
        for other, share in zip(hops, alike[place], strict=True):
            if share >= _LEAST_SHARE:
                for noun in nouns.get(other, ()):
                    share_of[noun] = max(share_of[noun], float(share))
        kinds[hop] = dict(share_of)
    return kinds


def _alike(name_sets: Sequence[set[str]]) -> NDArray[np.float64]:
    """Return for every two sets of names how surely they are of one kind, from 0 to 1.

    They are if they share names, or if each shares names with a third set. Teachers and spouses are
    rarely the same people, but all of them were born somewhere.
    """
    alike = np.eye(len(name_sets))
    for one, other in combinations(range(len(name_sets)), 2):
        size = min(len(name_sets[one]), len(name_sets[other]))
        common = len(name_sets[one] & name_sets[other])
        if common >= _FEWEST_COMMON:
            share = min(1.0, _GENEROUS * common / size)
            alike[one, other] = alike[other, one] = share
    for third in range(len(name_sets)):
        through_third = np.outer(alike[third], alike[third])
        alike = np.maximum(alike, through_third)
    return alike


def _nouns(book: FactBook) -> dict[Hop, set[str]]:
    """Return the nouns in the frames of each hop that name the kind of names to which it leads."""
    nouns: dict[Hop, set[str]] = {}
    for relation, frame in enumerate(book.relations):
        slot_of_subject = key_slot(frame) or 0
        for slot, kind_of_slot in enumerate((kind_of_first, kind_of_second)):
            # A hop back leads to the name that the statement is about.
            hop = Hop(relation, back=slot == slot_of_subject)
            names_kind = (kind_of_slot(frame), asked_of(frame, slot))
            nouns[hop] = {noun for noun in names_kind if noun}
    return nouns
