"""Chains: the ways through a book from a name that a question mentions, and the best one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from mabench_floor.facts.book import Fact, FactBook, Hop
from mabench_floor.facts.evidence import HopMatch, QuestionWord, QuestionWords, WordEvidence
from mabench_floor.facts.questions import Mention, Question, read_question

_MOST_HOPS = 4
_WIDTH = 12  # Chains that are followed further, after each hop.
_UNSAID = 1.0  # The cost of a hop of which the question says no word,
_HOP = 0.3  # and of any hop.
_SILENT = 1.0
_INVERTED = 1.5
_BACK = 2.0  # The cost of a hop back, beside the logarithm of the names that it could lead to.
_OLDER = 2.0  # The cost of each newer fact that a hop passes over.
_VERSIONS = 3
_ASKED = 3.0  # What it counts for that the chain ends at the kind of name asked for.
_UNVISITED = 3.0  # The cost of every other proper name in the question.


class Chain(NamedTuple):
    """Facts that lead from a name in a question to another name.

    Attributes:
        score: how well it fits the question, in weights of words.
        hops: the hops that it takes.
        facts: the fact that each hop follows.
        explained: the share of the question's words, by weight, that speak of its hops.
    """

    score: float
    hops: tuple[Hop, ...]
    facts: tuple[Fact, ...]
    explained: float

    @property
    def end(self) -> str:
        """The name at which it ends, as the last statement writes it."""
        return self.facts[-1].names[self.hops[-1].end]


class _Partial(NamedTuple):
    """A chain on its way: where it stands, what of the question is left, what speaks for it."""

    key: str
    hops: tuple[Hop, ...]
    facts: tuple[Fact, ...]
    left: QuestionWords
    explained: float
    cost: float
    distance: float = 0.0

    @property
    def score(self) -> float:
        return self.explained - self.cost


class Chains:
    """Finds the chains of a book that answer a question."""

    def __init__(self, book: FactBook) -> None:
        self._book = book
        self._evidence = WordEvidence(book)
        self._names = frozenset(book.names())
        self._longest = max((name.count(" ") + 1 for name in self._names), default=0)

    def ranked(self, question: str) -> list[Chain]:
        """Return chains from the names in ``question``, the best first."""
        read = read_question(question, self._names, self._longest)
        found = [chain for start in read.mentions for chain in self._chains(read, start)]
        return sorted(found, key=lambda chain: -chain.score)

    def _chains(self, question: Question, start: Mention) -> Iterator[Chain]:
        words = self._around(question, start)
        total = sum(self._evidence.weight(word.stem) for word in words)
        lost = _UNVISITED * sum(name.proper for name in question.mentions if name != start)
        kind = next(filter(self._evidence.is_kind, question.asked), None)
        for found in self._search(words, start.key):
            asked = _ASKED * self._evidence.kind(kind, found.hops[-1]) if kind else 0.0
            explained = found.explained / total if total else 0.0
            yield Chain(found.score + asked - lost, found.hops, found.facts, explained)

    def _around(self, question: Question, start: Mention) -> QuestionWords:
        """Return the words around a name, the nearest first.

        Words behind the name are taken to be farther than those before it: in a phrase such as
        ``does the owner of X play`` they belong to the words before the phrase.
        """
        before = [word for word, place in question.words if place < start.start]
        after = [word for word, place in question.words if place >= start.end]
        telling = filter(self._evidence.weight, [*before[::-1], *after])
        return tuple(QuestionWord(word, distance) for distance, word in enumerate(telling))

    def _search(self, words: QuestionWords, start: str) -> Iterator[_Partial]:
        """Yield the best chains of each length, by beam search."""
        match = cache(self._evidence.match)
        beam = [_Partial(start, (), (), words, 0.0, 0.0)]
        for _ in range(_MOST_HOPS):
            longer = [further for partial in beam for further in self._further(partial, match)]
            beam = sorted(longer, key=lambda partial: -partial.score)[:_WIDTH]
            yield from beam

    def _further(
        self, partial: _Partial, match: Callable[[QuestionWords, Hop], HopMatch]
    ) -> Iterator[_Partial]:
        """Yield what ``partial`` becomes by one hop more, except the hop back at once."""
        undone = [Hop(hop.relation, not hop.back) for hop in partial.hops[-1:]]
        for hop, facts in self._book.hops(partial.key).items():
            if hop in undone:
                continue
            spoken = match(partial.left, hop)
            cost = _HOP + _UNSAID * (1 - spoken.coverage) + _SILENT * (not spoken.explained)
            inverted = partial.distance - spoken.distance
            if spoken.explained and inverted > 0:
                cost += _INVERTED * min(1.0, inverted)
            if hop.back:
                cost += _BACK + math.log(len(facts))
            for passed, fact in enumerate(self._newest(hop, facts)):
                yield _Partial(
                    fact.keys[hop.end],
                    (*partial.hops, hop),
                    (*partial.facts, fact),
                    spoken.left,
                    partial.explained + spoken.explained,
                    partial.cost + cost + _OLDER * passed,
                    max(partial.distance, spoken.distance),
                )

    def _newest(self, hop: Hop, facts: Sequence[Fact]) -> list[Fact]:
        """Return the newest fact of each of the last names to which a hop leads."""
        newest: dict[str, Fact] = {}
        for fact in reversed(facts):
            if len(newest) == _VERSIONS:
                break
            if not hop.back or self._is_current(fact):
                newest.setdefault(fact.keys[hop.end], fact)
        return list(newest.values())

    def _is_current(self, fact: Fact) -> bool:
        return self._book.hops(fact.keys[0])[Hop(fact.relation, back=False)][-1] == fact
