"""The turns of dialogues, as they are read once for all questions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from mabench.text.stems import content_words


class DialogueTurn(NamedTuple):
    """A turn of a dialogue: its text, the stems of its words, and the items in it."""

    text: str
    words: frozenset[str]
    items: tuple[str, ...]


def turn_of(text: str, items: Iterable[str]) -> DialogueTurn:
    """Return a turn, given the items that it mentions."""
    return DialogueTurn(text, _words(text), tuple(items))


# A reader sees the same turns again with every question.
_words = lru_cache(maxsize=20_000)(content_words)
