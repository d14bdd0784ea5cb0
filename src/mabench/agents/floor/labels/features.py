"""What a classifier sees of a text."""

from __future__ import annotations

import re
from itertools import pairwise

from mabench.text.stems import stem

# Marks that tell one kind of sentence from another stand beside the words.
_TOKEN = re.compile(r"[^\W_]+|[?!$%'`]")
_INTERROGATIVES = frozenset(
    ("what", "which", "who", "whom", "whose", "how", "where", "when", "why")
)
_ASKED = 5  # Words after an interrogative that may say what it asks for.


def word_features(text: str) -> list[str]:
    """Return the words of ``text``, their stems, and pairs of neighbours with both ends marked."""
    words = _words(text)
    pairs = [f"{one} {two}" for one, two in pairwise(["^", *words, "$"])]
    return [*words, *(f"~{stem(word)}" for word in words), *pairs]


def question_features(text: str) -> list[str]:
    """Return the first interrogative of ``text`` (else its first word) with each word after it."""
    words = _words(text)
    place = next((i for i, word in enumerate(words) if word in _INTERROGATIVES), 0)
    return [f"{words[place]} ~{stem(word)}" for word in words[place + 1 : place + 1 + _ASKED]]


def _words(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())
