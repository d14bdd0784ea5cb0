"""Search for the sentences that say most of what a question says, in one step or two."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from mabench_floor.index import Index
from mabench_floor.likeness import same_meaning
from mabench_floor.qa.documents import Documents
from mabench_floor.qa.lexicon import Lexicon
from mabench_floor.sentences import Sentence, stems

_NAME_BEFORE = 0.8  # What a name counts for that stands earlier in the paragraph,
_WORD_BEFORE = 0.4  # and what another word does;
_NAME_LATER, _WORD_LATER = 0.6, 0.3  # and where they stand later.
_SATURATION, _LENGTH = 1.2, 0.3  # k1 and b of BM25.
_NOUN = 0.5  # What the noun after "which" counts for, which a text may leave unsaid.
_NAME = 1.2
_MEANING = 0.3
_HOP = 0.6  # What counts for less in the paragraph that led to another,
_MENTION = 0.8  # and what a paragraph counts for that does not open with the name.
_STARTS = 5
_OPENING = 2  # Sentences that open a paragraph, its title included.
_FEW = 2  # Paragraphs about a name that are read.
_STEPS = 3  # Sentences of a paragraph from which names are followed.
_ALIKE = 80  # Of 100: how alike a word must be to stand in for one that was never said.
_SHORTEST = 5
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_ONE_OF = re.compile(r"\b(?:what|which) (?:(?:kind|type|sort) of )?([^\W_]+)", re.IGNORECASE)


class Hit(NamedTuple):
    """A sentence that a search found.

    Attributes:
        place: its place in the history.
        score: how much of the question it says, alone or with the paragraph that led to it.
        start: the place of the sentence that led to it, if one did.
        name: the stems of the name that both tell of.
        is_subject: whether its paragraph opens with that name.
    """

    place: int
    score: float
    start: int | None = None
    name: tuple[str, ...] = ()
    is_subject: bool = False


class Search:
    """An index of sentences.

    A word of the question counts by its rarity: fully in the sentence (with BM25's discount
    for long ones), in part where it stands elsewhere in the same paragraph, as names do that
    pronouns stand for. A second hop looks in the paragraphs that share a name with the
    paragraphs that say most, above all where they open with it.
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self.index = Index(sentences)
        self.lexicon = Lexicon(self.index)
        self.documents = Documents(self.index)
        self._openings: dict[str, frozenset[str] | None] = {}
        sizes = np.array([len(sentence.words) for sentence in sentences], dtype=float)
        mean = max(float(sizes.sum()), 1.0) / max(len(sizes), 1)
        length = 1 - _LENGTH + _LENGTH * sizes / mean
        self._weight = (_SATURATION + 1) / (1 + _SATURATION * length)

    def find(self, question: str, k: int) -> list[Hit]:
        """Return at most ``k`` sentences that share a word with ``question``, the best first."""
        words = self._known(question)
        if not words:
            return []
        less = _noun_asked_for(question)
        worth = np.array(
            [
                self.index.rarity(word)
                * (_NOUN if word in less else 1.0)
                * (_NAME if named else 1.0)
                for word, named in words.items()
            ]
        )[:, None]
        alone = worth * np.array([self._says(word) for word in words])
        said = np.maximum(alone, worth * self._context(words))
        led: dict[int, Hit] = {}
        scores = self._second_hop(words, alone, said, led)
        best = np.argsort(-scores, kind="stable")[:k]
        return [
            led.get(int(place), Hit(int(place), float(scores[place])))
            for place in best
            if scores[place] > 0
        ]

    def told_before(self, place: int) -> frozenset[str]:
        """Return the stems that a sentence's paragraph holds before it."""
        earlier = self.sentences[int(self.documents.starts[place]) : place]
        return frozenset(word for sentence in earlier for word in sentence.words)

    def about(self, name: str) -> frozenset[str] | None:
        """Return the stems that the paragraph about a name opens with, None where none is."""
        if name not in self._openings:
            heads = self.documents.about(stems(name))
            words = frozenset(w for head in heads[:_FEW] for w in self.opening(head))
            self._openings[name] = words if heads else None
        return self._openings[name]

    def opening(self, place: int) -> tuple[str, ...]:
        """Return the stems of a paragraph's title, if it has one, and of what follows it."""
        head = int(self.documents.starts[place])
        end = min(head + _OPENING, int(self.documents.ends[head]))
        return tuple(word for sentence in self.sentences[head:end] for word in sentence.words)

    def _known(self, question: str) -> dict[str, bool]:
        """Return the stems to look for, and whether each is part of a name."""
        known: dict[str, bool] = {}
        for match in _WORD.finditer(question):
            named = match.start() > 0 and not match.group()[0].islower()
            for word in stems(match.group()):
                standing_in = word if word in self.index.words else self._alike(word)
                if standing_in:
                    known.setdefault(standing_in, named)
        return known

    def _alike(self, word: str) -> str | None:
        """Return the word of the history that is spelt most like one that is not in it."""
        if len(word) < _SHORTEST:
            return None
        near = process.extractOne(word, self.index.words, scorer=fuzz.ratio, score_cutoff=_ALIKE)
        return near[0] if near else None

    def _says(self, word: str) -> NDArray[Any]:
        """Return how much of ``word`` each sentence says."""
        said: NDArray[Any] = self.index.stands(word) * self._weight
        if _MEANING:
            for other in sorted(same_meaning(word)):
                if other in self.index.words:
                    places = self.index.places(other)
                    said[places] = np.maximum(said[places], _MEANING * self._weight[places])
        return said

    def _context(self, words: Mapping[str, bool]) -> NDArray[Any]:
        """Return how much of each word stands elsewhere in the paragraph of each sentence."""
        documents = self.documents
        rows: list[NDArray[Any]] = []
        for word, named in words.items():
            count = np.concatenate(([0], np.cumsum(self.index.stands(word))))
            before = count[:-1] > count[documents.starts]
            later = documents.short & (count[documents.ends] > count[1:])
            rows.append(
                np.maximum(
                    before * (_NAME_BEFORE if named else _WORD_BEFORE),
                    later * (_NAME_LATER if named else _WORD_LATER),
                )
            )
        return np.array(rows)

    def _second_hop(
        self,
        words: Mapping[str, bool],
        alone: NDArray[Any],
        said: NDArray[Any],
        led: dict[int, Hit],
    ) -> NDArray[Any]:
        """Return the scores of the sentences, each with the best that may have led to it."""
        scores: NDArray[Any] = said.sum(axis=0)
        hopped = scores.copy()
        for step, first in self._steps(alone, said, scores):
            for name in self.documents.names_in(step):
                if all(word in words for word in name):
                    continue
                for link in self.documents.links(name, step):
                    after = slice(link.first, link.end)
                    chain = np.maximum(_HOP * first, said[:, after]).sum(axis=0)
                    chain *= 1.0 if link.is_subject else _MENTION
                    # What opens a paragraph about the name may say none of the question itself.
                    opening = max(link.start + _OPENING - link.first, 0) if link.is_subject else 0
                    chain[opening:][scores[after][opening:] == 0] = 0
                    for better in np.flatnonzero(chain > hopped[after]).tolist():
                        place, score = link.first + better, float(chain[better])
                        led[place] = Hit(place, score, step, name, link.is_subject)
                    hopped[after] = np.maximum(hopped[after], chain)
        return hopped

    def _steps(
        self, alone: NDArray[Any], said: NDArray[Any], scores: NDArray[Any]
    ) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield the sentences whose names are followed, and what is said up to there.

        They are the first and the best of the paragraphs that say most. A short paragraph says
        what all of its sentences do.
        """
        documents = self.documents
        whole = np.maximum.reduceat(alone, documents.heads, axis=1)  # Words by paragraphs.
        totals = whole.sum(axis=0) + np.maximum.reduceat(scores, documents.heads)
        for number in np.argsort(-totals, kind="stable")[:_STARTS]:
            start = int(documents.heads[number])
            end = int(documents.ends[start])
            best = start + np.argsort(-scores[start:end], kind="stable")[:_STEPS]
            for step in dict.fromkeys([start, *best.tolist()]):
                yield step, whole[:, [number]] if documents.short[start] else said[:, [step]]


def _noun_asked_for(question: str) -> tuple[str, ...]:
    asked = _ONE_OF.search(question)
    return stems(asked.group(1)) if asked else ()
