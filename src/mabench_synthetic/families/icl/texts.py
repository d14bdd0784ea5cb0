"""Classes of texts, and texts that all differ."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from mabench.errors import UsageError
from mabench_synthetic.language.length import tokens_of

_CHOICES = 2
_TRIES = 200
_MARKS = re.compile(r"\W+")


class Manner(NamedTuple):
    """How often texts are hard: the knobs of the same names."""

    rare: float
    overlap: float


class TextClass(NamedTuple):
    """A class of texts.

    ``situation`` returns a new situation that the class is spoken of in: a wording, with its
    slots and alternatives open. ``vague`` returns a wording that other classes fit as well.
    ``text`` returns a text of a wording. ``weight`` says how common the
    class is where classes differ in that.
    """

    weight: int
    situation: Callable[[], str]
    vague: Callable[[], str]
    text: Callable[[str], str]


class Texts:
    """Makes texts that differ in their words, with a mean length of about ``tokens``.

    With the chance ``fresh`` a text is about a situation of its own, else about one that its
    class is often spoken of in: those of ``earlier`` texts, each of which was about a new
    situation with that chance, else about the situation of a text before it (Simon, 1955). So a
    few situations have many near paraphrases, in a short row as in a long one. The share
    ``arguable`` of the texts is vague.
    """

    def __init__(
        self, rng: Random, tokens: float, *, fresh: float, arguable: float, earlier: int
    ) -> None:
        self._rng = rng
        self._tokens = tokens
        self._fresh = fresh
        self._arguable = arguable
        self._earlier = earlier
        self._ahead = 0.0
        self._seen: set[str] = set()
        self._situations: dict[int, list[str]] = {}

    def new(self, number: int, text_class: TextClass) -> str:
        """Return a new text of the class ``number``: a longer one when they so far fell short.

        Raises:
            UsageError: when the class has no more different texts.
        """
        made = [self._new(number, text_class) for _ in range(_CHOICES)]
        text = (min if self._ahead > 0 else max)(made, key=tokens_of)
        self._seen.add(_words(text))
        self.count(text)
        return text

    def count(self, text: str) -> None:
        """Count the length of a text that is told."""
        self._ahead += tokens_of(text) - self._tokens

    def _new(self, number: int, text_class: TextClass) -> str:
        if number not in self._situations:
            self._situations[number] = self._recurring(text_class)
        known = self._situations[number]
        for _ in range(_TRIES):
            text = text_class.text(self._wording(text_class, known))
            if _words(text) not in self._seen:
                return text
        raise UsageError("a class has no more different texts; ask for fewer shots or questions")

    def _wording(self, text_class: TextClass, known: list[str]) -> str:
        if self._rng.random() < self._arguable:
            return text_class.vague()
        fresh = self._rng.random() < self._fresh
        return text_class.situation() if fresh else self._rng.choice(known)

    def _recurring(self, text_class: TextClass) -> list[str]:
        situations = [text_class.situation()]
        while len(situations) < self._earlier:
            fresh = self._rng.random() < self._fresh
            situations.append(text_class.situation() if fresh else self._rng.choice(situations))
        return situations


def _words(text: str) -> str:
    return _MARKS.sub(" ", text.lower()).strip()
