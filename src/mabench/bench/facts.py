"""Invented facts, which agents are told and asked for, and how they are found in texts.

``Facts`` hands out new facts, one after the other. ``VersionedFacts`` has facts by number, each
with several values, so that a value can replace another. The same seed always gives the same facts,
and no name in one is a name in another, or a part of it. A change here that draws other names
changes every recorded history: their files have numbers of facts, and seeds.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from mabench.text.names import NameInventor

_WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
_NAME = re.compile(r"[A-Za-z]{5,}")
# Every so many versioned facts, one is long, and begins like the other long ones.
_LONG_EVERY = 4
_LONG_BEGINNING = (
    "It was the year of the long drought, and whoever came down the road to the harbour spoke of "
    "nothing but the wells, the price of barley and the ships that had not come back. "
)


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
            gate = f"the inscription over the gate of {self._names.word()}"
            facts[script] = Fact(f"The{gate[3:]} reads {gold}", f"What does {gate} read?", gold)
        return facts

    def prose(self, characters: int) -> list[str]:
        """Return sentences that hold no fact, with at least ``characters`` in all."""
        places = [self._names.word() for _ in range(50)]
        prose: list[str] = []
        length = 0
        while length < characters:
            prose.append(self._rng.choice(_WORDS["prose"]).format(self._rng.choice(places)))
            length += len(prose[-1]) + 1
        return prose


class VersionedFacts:
    """Invents facts by number from a seed, each with a subject and a value for each version.

    Subjects and values are single words, all different, so that any text shows which versions it
    holds. Facts and versions count from 0; None means 0.
    """

    VERSIONS = 8  # How many values a fact has; higher versions begin again with the first.

    def __init__(self, seed: str) -> None:
        self._names = NameInventor(Random(seed))  # noqa: S311
        self._words: list[str] = []  # A subject and its values, then the next subject.
        self._meaning: dict[str, tuple[int, int]] = {}  # A fact and a version, by the word.
        self._found: dict[str, set[tuple[int, int]]] = {}  # Facts with versions, by the text.

    def subject(self, fact: int | None) -> str:
        """Return the word that a fact is about."""
        return self._word((fact or 0) * (self.VERSIONS + 1))

    def value(self, fact: int, version: int) -> str:
        """Return the word that only this version of a fact has."""
        return self._word(fact * (self.VERSIONS + 1) + 1 + version % self.VERSIONS)

    def text(self, fact: int | None, version: int | None = 0) -> str:
        """Return the sentence of a version, for some facts behind a long beginning."""
        fact = fact or 0
        beginning = _LONG_BEGINNING if fact % _LONG_EVERY == _LONG_EVERY - 1 else ""
        return f"{beginning}The keeper of {self.subject(fact)} is {self.value(fact, version or 0)}."

    def query(self, fact: int | None, version: int | None = None) -> str:
        """Return the question for a fact, or with a version the question whether that holds."""
        who = "Who is" if version is None else f"Is {self.value(fact or 0, version)}"
        return f"{who} the keeper of {self.subject(fact)}?"

    def versions_in(self, text: str) -> set[tuple[int, int]]:
        """Return each fact and version whose value is in a text, as pairs."""
        if text not in self._found:
            words = {word.lower() for word in _NAME.findall(text)}
            self._found[text] = {self._meaning[word] for word in words if word in self._meaning}
        return self._found[text]

    def count_records(self, fact: int, version: int, texts: Iterable[str]) -> Counter[str]:
        """Count the texts that hold the whole sentence of a version, by their plain form."""
        sentence = f"{self.subject(fact)} is {self.value(fact, version)}".casefold()
        return Counter(text for text in map(plain, texts) if sentence in text)

    def _word(self, place: int) -> str:
        while len(self._words) <= place:
            self._words.append(self._names.word())
            fact, part = divmod(len(self._words) - 1, self.VERSIONS + 1)
            if part:
                self._meaning[self._words[-1].lower()] = fact, part - 1
        return self._words[place]


def plain(text: str) -> str:
    """Return a text in its plain form, without differences of composition, case and spacing."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
