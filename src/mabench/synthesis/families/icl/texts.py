"""Classes of texts, and texts that all differ."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.synthesis.language.length import tokens_of

_CHOICES = 2
_TRIES = 200
_MARKS = re.compile(r"\W+")


class Manner(NamedTuple):
    """How often texts are hard: the knobs of the same names."""

    rare: float
    overlap: float
    arguable: float


class TextClass(NamedTuple):
    """A class of texts.

    ``situation`` returns a new situation that the class is spoken of in: a wording, with its
    slots and alternatives open. ``text`` returns a text about one. ``weight`` says how common the
    class is where classes differ in that.
    """

    weight: int
    situation: Callable[[], str]
    text: Callable[[str], str]


class Texts:
    """Makes texts that differ in their words, with a mean length of about ``tokens``.

    With the chance ``fresh`` a text is about a new situation, else about that of an earlier text
    of its class: few situations have many near paraphrases and most have one (Simon, 1955).
    """

    def __init__(self, rng: Random, tokens: float, fresh: float) -> None:
        self._rng = rng
        self._tokens = tokens
        self._fresh = fresh
        self._ahead = 0.0
        self._seen: set[str] = set()
        self._situations: defaultdict[int, list[str]] = defaultdict(list)

    def new(self, number: int, text_class: TextClass) -> str:
        """Return a new text of the class ``number``: a longer one when they so far fell short.

        Raises:
            UsageError: when the class has no more different texts.
        """
        made = [self._new(number, text_class) for _ in range(_CHOICES)]
        chosen = min if self._ahead > 0 else max
        situation, text = chosen(made, key=lambda one: tokens_of(one[1]))
        self._seen.add(_words(text))
        self._situations[number].append(situation)
        self.count(text)
        return text

    def count(self, text: str) -> None:
        """Count the length of a text that is told."""
        self._ahead += tokens_of(text) - self._tokens

    def _new(self, number: int, text_class: TextClass) -> tuple[str, str]:
        known = self._situations[number]
        for _ in range(_TRIES):
            fresh = not known or self._rng.random() < self._fresh
            situation = text_class.situation() if fresh else self._rng.choice(known)
            text = text_class.text(situation)
            if _words(text) not in self._seen:
                return situation, text
        raise UsageError("a class has no more different texts; ask for fewer shots or questions")


def _words(text: str) -> str:
    return _MARKS.sub(" ", text.lower()).strip()
