"""Invented facts by number, each with several values, so that one value can replace another.

Subjects and values are single words, all different, so that any text shows which facts and versions
it holds. The same seed always gives the same facts. A change here that draws other names changes
every recorded history: its file holds the seed, and numbers of facts and versions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from random import Random

from mabench.bench.matching import normalize
from mabench.text.names import NameInventor

_NAME = re.compile(r"[A-Za-z]{5,}")
# Every fourth fact is long, and begins like the other long ones.
_LONG_EVERY = 4
_LONG_BEGINNING = (
    "It was the year of the long drought, and whoever came down the road to the harbour spoke of "
    "nothing but the wells, the price of barley and the ships that had not come back. "
)


class VersionedFacts:
    """Invents facts by number from a seed, each with a subject and a value for each version.

    Facts and versions count from 0; None means 0.
    """

    VERSIONS = 8  # How many values a fact has; higher versions begin again with the first.

    def __init__(self, seed: str) -> None:
        self._names = NameInventor(Random(seed))  # noqa: S311
        # The subject of a fact, then its values, then the subject of the next fact.
        self._words: list[str] = []
        self._version_by_value: dict[str, tuple[int, int]] = {}  # As (fact, version).
        self._versions_by_text: dict[str, set[tuple[int, int]]] = {}  # A cache.

    def subject(self, fact: int | None) -> str:
        """Return the word that a fact is about."""
        return self._word((fact or 0) * (self.VERSIONS + 1))

    def value(self, fact: int, version: int) -> str:
        """Return the word that only this version of a fact has."""
        return self._word(fact * (self.VERSIONS + 1) + 1 + version % self.VERSIONS)

    def text(self, fact: int | None, version: int | None = 0) -> str:
        """Return the sentence of a version, for every fourth fact after a long beginning."""
        fact = fact or 0
        beginning = _LONG_BEGINNING if fact % _LONG_EVERY == _LONG_EVERY - 1 else ""
        return f"{beginning}The keeper of {self._is(fact, version)}."

    def paraphrase(self, fact: int | None, version: int | None) -> str:
        """Return a text that says what ``text`` does of a version, in other words."""
        return f"It {self._is_who_keeps(fact, version)}."

    def replacement(self, fact: int | None, version: int | None) -> str:
        """Return a text by which a version holds from now on, instead of the one before."""
        return f"From now on the keeper of {self._is(fact, version)}."

    def correction(self, fact: int | None, version: int | None) -> str:
        """Return a text by which a version has always held, and the one before never did."""
        return f"I was wrong before: all along, the keeper of {self._is(fact, version)}."

    def retraction(self, fact: int | None) -> str:
        """Return a text that takes back what was said of a fact, without another value."""
        return f"I take back what I said about {self.subject(fact)}: nobody knows its keeper."

    def record(self, fact: int | None) -> str:
        """Return one sentence with the first versions of a fact and of the next one."""
        first = fact or 0
        return f"The keeper of {self._is(first, 0)}, and the keeper of {self._is(first + 1, 0)}."

    def bound(self, fact: int | None, version: int | None, until: datetime) -> str:
        """Return a text by which a version holds until a date, and nothing is known after that."""
        return f"The keeper of {self._is(fact, version)} only until {until.isoformat()}."

    def query(self, fact: int | None, version: int | None = None) -> str:
        """Return the question for a fact; with a version, the question whether that one holds."""
        who = "Who is" if version is None else f"Is {self.value(fact or 0, version)}"
        return f"{who} the keeper of {self.subject(fact)}?"

    def versions_in(self, text: str) -> set[tuple[int, int]]:
        """Return each fact and version whose value is in a text, as pairs."""
        if text not in self._versions_by_text:
            words = {word.lower() for word in _NAME.findall(text)}
            values = words & self._version_by_value.keys()
            self._versions_by_text[text] = {self._version_by_value[value] for value in values}
        return self._versions_by_text[text]

    def count_records(self, fact: int, version: int, texts: Iterable[str]) -> Counter[str]:
        """Count the texts that hold the whole sentence of a version, by their normalized text.

        The sentence of its paraphrase counts as well.
        """
        told = self._is(fact, version), self._is_who_keeps(fact, version)
        sentences = [sentence.casefold() for sentence in told]
        return Counter(
            text for text in map(normalize, texts) if any(each in text for each in sentences)
        )

    def _is(self, fact: int | None, version: int | None) -> str:
        """Return the words that every text with a version has in common, but for paraphrases."""
        return f"{self.subject(fact)} is {self.value(fact or 0, version or 0)}"

    def _is_who_keeps(self, fact: int | None, version: int | None) -> str:
        """Return the words of a paraphrase, which hold none of the sentence of a version."""
        return f"is {self.value(fact or 0, version or 0)} who keeps {self.subject(fact)}"

    def _word(self, position: int) -> str:
        """Return the word at a position, and invent all words up to it."""
        while len(self._words) <= position:
            self._words.append(self._names.word())
            fact, offset = divmod(len(self._words) - 1, self.VERSIONS + 1)
            if offset:
                self._version_by_value[self._words[-1].lower()] = fact, offset - 1
        return self._words[position]
