"""Search for the sentences that say most of what a question says, in one step or two."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mabench.agents.floor.answer_types import NAME
from mabench.agents.floor.index import Index
from mabench.agents.floor.likeness import same_meaning
from mabench.agents.floor.qa.lexicon import Lexicon
from mabench.agents.floor.sentences import Sentence, stems

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NAME_BEFORE = 0.8  # What a name counts for that stands earlier in the paragraph,
_WORD_BEFORE = 0.3  # and what another word does.
_SATURATION, _LENGTH = 1.2, 0.3  # k1 and b of BM25.
_NOUN = 0.5  # What the noun after "which" counts for, which a text may leave unsaid.
_NAME = 1.2
_MEANING = 0.3
_HOP = 0.8  # What counts for less in the sentence that led to another.
_WELL_SAID = 0.5  # The share of a question that one sentence must say to need no second hop.
_STARTS = 5
_RARE = 10  # A name that stands in more paragraphs leads nowhere.
_ALIKE = 80  # Of 100: how alike a word must be to stand in for one that was never said.
_SHORTEST = 5
_OPENING = 3  # How many other words may stand among those that a paragraph opens with.
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
# Together, in this order: a thing that the question describes rather than names.
_ASKING = re.compile(r"\b(?:who|what|which|where|when|how)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"\b(?:who|whom|whose|which|that|where)\b", re.IGNORECASE)
_ONE_OF = re.compile(r"\b(?:what|which) (?:(?:kind|type|sort) of )?([^\W_]+)", re.IGNORECASE)


class Hit(NamedTuple):
    """A sentence that a search found.

    Attributes:
        place: its place in the history.
        score: how much of the question it says, alone or with the sentence that led to it.
        start: the place of the sentence that led to it, if one did.
        name: the stems of the name that both tell of.
    """

    place: int
    score: float
    start: int | None = None
    name: tuple[str, ...] = ()


class Search:
    """An index of sentences.

    A word of the question counts by its rarity: fully in the sentence (with BM25's discount
    for long ones), in part where it stands earlier in the same paragraph, as names do that
    pronouns stand for. Where no sentence says half the question, or the question
    describes a thing by a clause, a second hop looks in the paragraphs that share a new name
    with the sentences found first.
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        import numpy as np

        self.sentences = sentences
        self.index = Index(sentences)
        self.lexicon = Lexicon(self.index)
        own = np.array([sentence.paragraph for sentence in sentences], dtype=int)
        self._starts = np.searchsorted(own, own)
        self._ends = np.searchsorted(own, own, side="right")
        sizes = np.array([len(sentence.words) for sentence in sentences], dtype=float)
        mean = max(float(sizes.sum()), 1.0) / max(len(sizes), 1)
        length = 1 - _LENGTH + _LENGTH * sizes / mean
        self._weight = (_SATURATION + 1) / (1 + _SATURATION * length)

    def find(self, question: str, k: int) -> list[Hit]:
        """Return at most ``k`` sentences that share a word with ``question``, the best first."""
        import numpy as np

        words = self._known(question)
        if not words:
            return []
        less = _noun_asked_for(question)
        said = np.array(
            [
                self._word_scores(word, before)
                * (_NOUN if word in less else 1.0)
                * (_NAME if before == _NAME_BEFORE else 1.0)
                for word, before in words.items()
            ]
        )
        scores = said.sum(axis=0)
        everything = self.index.total_rarity(words) * float(self._weight.max())
        led: dict[int, tuple[int, tuple[str, ...]]] = {}
        if scores.max() < _WELL_SAID * everything or _is_nested(question):
            scores = self._second_hop(words, said, led)
        best = np.argsort(-scores, kind="stable")[:k]
        return [
            Hit(int(place), float(scores[place]), *led.get(int(place), ()))
            for place in best
            if scores[place] > 0
        ]

    def told_before(self, place: int) -> frozenset[str]:
        """Return the stems that a sentence's paragraph holds before it."""
        earlier = self.sentences[int(self._starts[place]) : place]
        return frozenset(word for sentence in earlier for word in sentence.words)

    def opens_with(self, place: int, words: str) -> bool:
        """Say whether the paragraph of a sentence opens with ``words``, among its first few."""
        wanted = stems(words)
        first = self.sentences[int(self._starts[place])].words
        return set(wanted) <= set(first[: len(wanted) + _OPENING])

    def _known(self, question: str) -> dict[str, float]:
        """Return the stems to look for, and what each counts for earlier in a paragraph."""
        known: dict[str, float] = {}
        for match in _WORD.finditer(question):
            named = match.start() > 0 and not match.group()[0].islower()
            for word in stems(match.group()):
                standing_in = word if word in self.index.words else self._alike(word)
                if standing_in:
                    known.setdefault(standing_in, _NAME_BEFORE if named else _WORD_BEFORE)
        return known

    def _alike(self, word: str) -> str | None:
        """Return the word of the history that is spelt most like one that is not in it."""
        from rapidfuzz import fuzz, process

        if len(word) < _SHORTEST:
            return None
        near = process.extractOne(word, self.index.words, scorer=fuzz.ratio, score_cutoff=_ALIKE)
        return near[0] if near else None

    def _word_scores(self, word: str, before: float) -> NDArray[Any]:
        """Return what ``word`` counts for in every sentence."""
        import numpy as np

        stands = self.index.stands(word)
        earlier = np.concatenate(([0], np.cumsum(stands)))
        told = earlier[:-1] > earlier[self._starts]
        said: NDArray[Any] = np.maximum(stands * self._weight, before * told)
        if _MEANING:
            for other in sorted(same_meaning(word)):
                if other in self.index.words:
                    places = self.index.places(other)
                    said[places] = np.maximum(said[places], _MEANING * self._weight[places])
        return self.index.rarity(word) * said

    def _second_hop(
        self,
        words: Mapping[str, float],
        said: NDArray[Any],
        led: dict[int, tuple[int, tuple[str, ...]]],
    ) -> NDArray[Any]:
        """Return the scores of the sentences, each with the best that may have led to it."""
        import numpy as np

        scores: NDArray[Any] = said.sum(axis=0)
        hopped = scores.copy()
        for start in np.argsort(-scores, kind="stable")[:_STARTS]:
            found = NAME.finditer(self.sentences[start].text)
            done: dict[int, int] = {}  # By paragraph, from where on its sentences were reached.
            for name in dict.fromkeys(stems(match.group()) for match in found):
                for paragraph, place in self._elsewhere(name, int(start), words).items():
                    after = slice(place, done.get(paragraph, self._ends[place]))
                    done[paragraph] = min(place, after.stop)
                    if after.start >= after.stop:
                        continue
                    chain = np.maximum(_HOP * said[:, [start]], said[:, after]).sum(axis=0)
                    chain[scores[after] == 0] = 0
                    for better in np.flatnonzero(chain > hopped[after]):
                        led[int(after.start + better)] = (int(start), name)
                    hopped[after] = np.maximum(hopped[after], chain)
        return hopped

    def _elsewhere(
        self, name: Sequence[str], start: int, words: Mapping[str, float]
    ) -> dict[int, int]:
        """Return the first sentence of each other paragraph that holds a new and rare name."""
        if not name or any(word in words for word in name):
            return {}
        rarest, *others = sorted((self.index.places(word) for word in set(name)), key=len)
        own = self.sentences[start].paragraph
        first: dict[int, int] = {}
        for place in rarest:
            paragraph = self.sentences[place].paragraph
            if paragraph != own and all(_holds(places, place) for places in others):
                first.setdefault(paragraph, place)
                if len(first) > _RARE:
                    return {}
        return first


def _noun_asked_for(question: str) -> tuple[str, ...]:
    asked = _ONE_OF.search(question)
    return stems(asked.group(1)) if asked else ()


def _holds(places: Sequence[int], place: int) -> bool:
    """Say whether ``place`` is among ``places``, which ascend."""
    found = bisect_left(places, place)
    return found < len(places) and places[found] == place


def _is_nested(question: str) -> bool:
    asking = _ASKING.search(question)
    return bool(asking and _RELATIVE.search(question, asking.end()))
