"""A question about facts: the names that it mentions, and its other words."""

from __future__ import annotations

import re
from collections.abc import Container
from itertools import dropwhile, islice, takewhile
from typing import NamedTuple

from mabench.text.stems import is_function_word, stem, tokens
from mabench_floor.facts.book import without_accents
from mabench_floor.facts.grammar import WHERE, WHO

_INTERROGATIVES = frozenset(("which", "what"))
# Interrogatives that tell a kind alone, and nouns that tell the kind of "where".
_KINDS = {"who": WHO, "whom": WHO, "where": WHERE}
_PLACES = frozenset(("place", "location"))
_NOUNS = 2
_WORD = re.compile(r"[^\W_]+")
# Words that stand before the noun that names a kind.
_LEADING = frozenset(("name", "current", "kind", "type", "sort"))


class Mention(NamedTuple):
    """A name that stands in a question, from one word to another.

    ``proper`` when it is written with a capital that does not open the question.
    """

    key: str
    start: int
    end: int
    proper: bool


class Question(NamedTuple):
    """A question, read.

    Attributes:
        mentions: the known names in it, longer ones first.
        words: the stem of each word that carries content, with its place.
        asked: the stems of the first words after ``which`` or ``what``, which may name the
            kind of thing that is asked for; ``who`` or ``where`` where one of these asks.
    """

    mentions: tuple[Mention, ...]
    words: tuple[tuple[str, int], ...]
    asked: tuple[str, ...]


def read_question(text: str, names: Container[str], longest: int) -> Question:
    """Read a question; ``names`` are keys of names of at most ``longest`` words."""
    plain = without_accents(text)
    words = tokens(plain)
    content = [
        (stem(word), place) for place, word in enumerate(words) if not is_function_word(word)
    ]
    return Question(_mentions(plain, words, names, longest), tuple(content), _asked(words))


def _mentions(
    text: str, words: list[str], names: Container[str], longest: int
) -> tuple[Mention, ...]:
    """Return the known names among ``words``; of two that overlap, the longer one."""
    capitals = _capitals(text, words)
    found: list[Mention] = []
    taken: set[int] = set()
    for width in range(min(longest, len(words)), 0, -1):
        for start in range(len(words) - width + 1):
            places = range(start, start + width)
            key = " ".join(words[start : start + width])
            proper = start > 0 and capitals[start]
            if key not in names or not taken.isdisjoint(places):
                continue
            if proper or not is_function_word(key):
                found.append(Mention(key, start, start + width, proper))
                taken.update(places)
    return tuple(found)


def _capitals(text: str, words: list[str]) -> list[bool]:
    """Return which of the words begin with a capital; none where that cannot be told."""
    written = _WORD.findall(text)
    if len(written) != len(words):
        return [False] * len(words)
    return [word[0].isupper() for word in written]


def _asked(words: list[str]) -> tuple[str, ...]:
    asking = (i for i, word in enumerate(words) if word in _INTERROGATIVES or word in _KINDS)
    place = next(asking, len(words))
    if words[place:] and words[place] in _KINDS:
        return (_KINDS[words[place]],)
    # Right behind it (``which country does``), or behind small words (``what is the country of``).
    behind = dropwhile(_leads, words[place + 1 :])
    nouns = takewhile(lambda word: not is_function_word(word), behind)
    return tuple(WHERE if noun in _PLACES else stem(noun) for noun in islice(nouns, _NOUNS))


def _leads(word: str) -> bool:
    return word in _LEADING or is_function_word(word)
