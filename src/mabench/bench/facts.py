"""Invented facts with one value each, which only an agent that was told them can know.

The same seed always gives the same facts, and no name in one is a name in another, or a part of it.
A change here that draws other names changes what ``check`` tells, from one version to the next.
"""

from __future__ import annotations

import tomllib
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from mabench.text.names import NameInventor

_WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
_PLACES_IN_PROSE = 50  # Different names of places.


class Fact(NamedTuple):
    """A sentence that only a memory can know, the question for it, and the answer."""

    text: str
    question: str
    gold: str


class Facts:
    """Invents new facts, each with one value, from a seed."""

    def __init__(self, seed: str) -> None:
        self._rng = Random(seed)  # noqa: S311
        self._names = NameInventor(self._rng)
        self._roles = cycle(_WORDS["roles"])

    def take(self, count: int) -> list[Fact]:
        """Return ``count`` new facts."""
        facts = []
        for role in islice(self._roles, count):
            post, person = f"{role} of {self._names.word()}", self._names.person()
            facts.append(Fact(f"The {post} is {person}.", f"Who is the {post}?", person))
        return facts

    def inscriptions(self) -> dict[str, Fact]:
        """Return a new fact for each script, by its name; the gold is written in that script."""
        facts = {}
        for script, gold in _WORDS["inscriptions"].items():
            inscription = f"inscription over the gate of {self._names.word()}"
            text, question = f"The {inscription} reads {gold}", f"What does the {inscription} read?"
            facts[script] = Fact(text, question, gold)
        return facts

    def prose(self, characters: int) -> list[str]:
        """Return sentences that hold no fact, with at least ``characters`` in all."""
        places = [self._names.word() for _ in range(_PLACES_IN_PROSE)]
        prose: list[str] = []
        length = 0
        while length < characters:
            prose.append(self._rng.choice(_WORDS["prose"]).format(self._rng.choice(places)))
            length += len(prose[-1]) + 1
        return prose
