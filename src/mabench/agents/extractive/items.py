"""Items that texts mention, such as films, told by the way in which they are written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

_WORD = r"[A-Z0-9][\w'\u2019&.:!-]*"
_SMALL = r"(?:of|the|a|an|and|in|on|to|for|with|at|from|&)"
_DATED = re.compile(rf"({_WORD}(?:,? (?:{_WORD}|{_SMALL}))*) +(\((?:18|19|20)\d\d\))")
_NAMED = re.compile(rf"(?<=[a-z,;] )({_WORD}(?: (?:{_SMALL} )*{_WORD})+)()")


class Mention(NamedTuple):
    """The capitalised words before a year, which may begin before the title, and the year."""

    words: tuple[str, ...]
    year: str


def mentions_in(text: str) -> tuple[Mention, ...]:
    """Return the titles of ``text`` that a year in parentheses follows, else its names."""
    found = _DATED.findall(text) or _NAMED.findall(text)
    return tuple(Mention(tuple(words.split()), year) for words, year in found)


def titles(mentions: Iterable[Mention]) -> dict[Mention, str]:
    """Tell where the title begins in each mention, from all of them together.

    A capital before a title (``Watch Titanic (1997)``) is told by its rarity: the title is the
    longest ending that two mentions share, else all of the words.
    """
    mentions = list(mentions)
    shared = Counter(ending for mention in mentions for ending in _endings(mention))
    return {
        mention: _written(next((e for e in _endings(mention) if shared[e] > 1), mention))
        for mention in mentions
    }


def _endings(mention: Mention) -> list[Mention]:
    """Return the mention and what is left of it without its first words, the longest first."""
    return [Mention(mention.words[i:], mention.year) for i in range(len(mention.words))]


def _written(mention: Mention) -> str:
    return " ".join([*mention.words, *filter(None, [mention.year])])
