"""Chains: the ways through a ledger from a name that a question mentions, and the best one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from mabench.agents.floor.facts.evidence import Evidence, Heard, Word, Words
from mabench.agents.floor.facts.book import Fact, Ledger, Step
from mabench.agents.floor.facts.questions import Mention, Question, read_question

_MOST_STEPS = 4
_WIDTH = 12  # Chains that are followed further, after each step.
_UNSAID = 1.0  # The cost of a step of which the question says no word,
_STEP = 0.3  # and of any step.
_SILENT = 1.0
_INVERTED = 1.5
_BACK = 1.0  # The cost of a step back, beside the logarithm of the names that it could lead to.
_OLDER = 2.0  # The cost of each newer fact that a step passes over.
_VERSIONS = 3
_ASKED = 3.0  # What it counts for that the chain ends at the kind of name asked for.
_UNVISITED = 3.0  # The cost of every other proper name in the question.


class Chain(NamedTuple):
    """Facts that lead from a name in a question to another name.

    Attributes:
        score: how well it fits the question, in weights of words.
        steps: the steps that it takes.
        facts: the fact that each step follows.
        explained: the share of the question's words, by weight, that speak of its steps.
    """

    score: float
    steps: tuple[Step, ...]
    facts: tuple[Fact, ...]
    explained: float

    @property
    def end(self) -> str:
        """The name at which it ends, as the last statement writes it."""
        return self.facts[-1].names[self.steps[-1].end]


class _Partial(NamedTuple):
    """A chain on its way: where it stands, what of the question is left, what speaks for it."""

    key: str
    steps: tuple[Step, ...]
    facts: tuple[Fact, ...]
    left: Words
    explained: float
    cost: float
    distance: float = 0.0

    @property
    def score(self) -> float:
        return self.explained - self.cost


class Chains:
    """Finds the chains of a ledger that answer a question."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._evidence = Evidence(ledger)
        self._names = frozenset(ledger.names())
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
            asked = _ASKED * self._evidence.kind(kind, found.steps[-1]) if kind else 0.0
            explained = found.explained / total if total else 0.0
            yield Chain(found.score + asked - lost, found.steps, found.facts, explained)

    def _around(self, question: Question, start: Mention) -> Words:
        """Return the words around a name, the nearest first.

        Words behind the name are taken to be farther than those before it: in a phrase such as
        ``does the owner of X play`` they belong to the words before the phrase.
        """
        before = [word for word, place in question.words if place < start.start]
        after = [word for word, place in question.words if place >= start.end]
        telling = filter(self._evidence.weight, [*before[::-1], *after])
        return tuple(Word(word, distance) for distance, word in enumerate(telling))

    def _search(self, words: Words, start: str) -> Iterator[_Partial]:
        """Yield the best chains of each length, by beam search."""
        heard = cache(self._evidence.heard)
        beam = [_Partial(start, (), (), words, 0.0, 0.0)]
        for _ in range(_MOST_STEPS):
            longer = [further for partial in beam for further in self._further(partial, heard)]
            beam = sorted(longer, key=lambda partial: -partial.score)[:_WIDTH]
            yield from beam

    def _further(
        self, partial: _Partial, heard: Callable[[Words, Step], Heard]
    ) -> Iterator[_Partial]:
        """Yield what ``partial`` becomes by one step more, except the step back at once."""
        undone = [Step(step.relation, not step.back) for step in partial.steps[-1:]]
        for step, facts in self._ledger.steps(partial.key).items():
            if step in undone:
                continue
            spoken = heard(partial.left, step)
            cost = _STEP + _UNSAID * (1 - spoken.coverage) + _SILENT * (not spoken.explained)
            inverted = partial.distance - spoken.distance
            if spoken.explained and inverted > 0:
                cost += _INVERTED * min(1.0, inverted)
            if step.back:
                cost += _BACK + math.log(len(facts))
            for passed, fact in enumerate(self._newest(step, facts)):
                yield _Partial(
                    fact.keys[step.end],
                    (*partial.steps, step),
                    (*partial.facts, fact),
                    spoken.left,
                    partial.explained + spoken.explained,
                    partial.cost + cost + _OLDER * passed,
                    max(partial.distance, spoken.distance),
                )

    def _newest(self, step: Step, facts: Sequence[Fact]) -> list[Fact]:
        """Return the newest fact of each of the last names to which a step leads."""
        newest: dict[str, Fact] = {}
        for fact in reversed(facts):
            if len(newest) == _VERSIONS:
                break
            if not step.back or self._is_current(fact):
                newest.setdefault(fact.keys[step.end], fact)
        return list(newest.values())

    def _is_current(self, fact: Fact) -> bool:
        return self._ledger.steps(fact.keys[0])[Step(fact.relation, back=False)][-1] == fact
