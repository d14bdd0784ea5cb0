"""What agents are told and asked: invented facts, each of one sentence, and prose around them.

An answer shows that a fact is known when the gold stands in it or in one of the passages
retrieved: a reader may answer wrongly although its memory found the right text.
"""

from __future__ import annotations

import math
import tomllib
import unicodedata
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from mabench.contract import Answer, passages_of
from mabench.text.names import Names

# Of twenty facts that were all found, one more might not have been.
_SURE = 0.95
_RARE = 0.02

_WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


class Fact(NamedTuple):
    """A sentence that only a memory can know, the question for it, and what answers it."""

    text: str
    question: str
    gold: str


class Facts:
    """Invents facts; no name in one is a name in another, or a part of it.

    A check has the same facts whenever it is carried out, and others than the other checks: what
    one of them leaves behind is laid at no other's door.
    """

    def __init__(self, check: str) -> None:
        self._rng = Random(f"mabench check: {check}")  # noqa: S311
        self._names = Names(self._rng)
        self._roles = cycle(_WORDS["roles"])

    def take(self, number: int) -> list[Fact]:
        """Return so many new facts."""
        facts = []
        for role in islice(self._roles, number):
            of, person = f"{role} of {self._names.word()}", self._names.person()
            facts.append(Fact(f"The {of} is {person}.", f"Who is the {of}?", person))
        return facts

    def inscriptions(self) -> dict[str, Fact]:
        """Return facts of which the gold is written in a script, by its name."""
        facts = {}
        for script, gold in _WORDS["inscriptions"].items():
            gate = f"the inscription over the gate of {self._names.word()}"
            facts[script] = Fact(f"The{gate[3:]} reads {gold}", f"What does {gate} read?", gold)
        return facts

    def prose(self, characters: int) -> list[str]:
        """Return sentences that hold no fact, of at least so many characters in all."""
        places = [self._names.word() for _ in range(50)]
        prose: list[str] = []
        length = 0
        while length < characters:
            prose.append(self._rng.choice(_WORDS["prose"]).format(self._rng.choice(places)))
            length += len(prose[-1]) + 1
        return prose


def facts_in(answers: Sequence[Answer], facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that the answers to their questions show to be known."""
    return [fact for answer, fact in zip(answers, facts, strict=True) if knows(answer, fact.gold)]


def knows(answer: Answer, gold: str) -> bool:
    """Return whether the answer or a passage holds the gold, whatever the case and spacing."""
    return any(_plain(gold) in text for text in _plain_texts(answer))


def are_alike(some: Sequence[Answer], others: Sequence[Answer]) -> bool:
    """Return whether answers and passages are the same, in the same order; scores may differ."""
    return [*map(_plain_texts, some)] == [*map(_plain_texts, others)]


def _plain_texts(answer: Answer) -> list[str]:
    passages = passages_of(answer.retrieved)
    return [_plain(text) for text in (answer.text, *(passage.text for passage in passages))]


def _plain(text: str) -> str:  # So that composition, case and spacing do not matter.
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def too_few(recalled: Sequence[Fact], facts: Sequence[Fact], expected: float) -> bool:
    """Return whether so few facts are known that chance does not explain it.

    ``expected`` is the share that the agent knows of what it was told, where nothing disturbs
    it: a memory that finds half of its facts may now and then know none of three.
    """
    share, number = min(expected, _SURE), len(facts)
    by_chance = sum(
        math.comb(number, k) * share**k * (1 - share) ** (number - k)
        for k in range(len(recalled) + 1)
    )
    return by_chance < _RARE
