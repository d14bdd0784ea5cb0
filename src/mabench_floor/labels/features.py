"""Labelled examples, and the features of their texts.

The features are words, what is asked for, the form of a sentence, and pairs of words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import dropwhile, pairwise, takewhile
from typing import NamedTuple

from mabench.text.stems import is_function_word, stem
from mabench_floor.likeness import meanings

# Marks that tell one kind of sentence from another are beside the words.
_TOKEN = re.compile(r"[^\W_]+|[?!$%'`]")
_INTERROGATIVES = frozenset(
    ("what", "which", "who", "whom", "whose", "how", "where", "when", "why")
)
# Nouns that only lead to the one that says what is asked for.
_LEADING = frozenset(("name", "kind", "type", "sort"))
# How many words after the interrogative are used together.
_FOLLOWING = 3
# With how many content words after it a word makes a pair.
_NEAR = 4
# The lengths of the pieces of a sentence's form.
_RUNS = (2, 3, 4, 5)
# Shapes that count as one in a row.
_REPEATED = frozenset(("x", "Xx"))


class Demonstration(NamedTuple):
    """A labelled example: a text and the value of its label."""

    text: str
    value: str


def word_features(text: str) -> list[str]:
    """Return the words of a text, their stems, and pairs of neighbours with both ends marked."""
    words = _words(text)
    pairs = [f"{one} {two}" for one, two in pairwise(["^", *words, "$"])]
    return [*words, *(f"~{stem(word)}" for word in words), *pairs]


def asked_features(text: str) -> list[str]:
    """Return features for the kind of thing that a text asks for.

    These are its first interrogative with up to three words after it, and the outer two of the
    first content words after it (``first man`` in ``Who was the first man on``): their stems, and
    the meanings that the last one can have.
    """
    words = _words(text)
    place = next((i for i, word in enumerate(words) if word in _INTERROGATIVES), None)
    if place is None:
        asking, following = "-", words
    else:
        asking, following = words[place], words[place + 1 :]
    features = [" ".join((asking, *following[:count])) for count in range(_FOLLOWING + 1)]
    behind = dropwhile(lambda word: word in _LEADING or not _carries(word), following)
    content = list(takewhile(_carries, behind))
    if content:
        first, last = stem(content[0]), stem(content[-1])
        features += [f"~{last}", f"{asking} ~{last}", f"~{first} ~"]
        features += [f"#{number}" for number in sorted(meanings(last))]
    return features


def form_features(text: str) -> list[str]:
    """Return pieces of the form of a text, with shapes in place of content words.

    ``Who was Ada Byron ?`` has the form ``who was Xx ?``, and ``What is a fugue ?`` has ``what is a
    x ?``.
    """
    first, *others = _TOKEN.findall(text) or [""]
    if not first.isupper():
        first = first.lower()  # The capital that opens a sentence says nothing.
    form = ["^"]
    for word in (first, *others):
        shape = _shape(word)
        if shape != form[-1] or shape not in _REPEATED:
            form.append(shape)
    form.append("$")
    return [
        "/".join(form[start : start + length])
        for length in _RUNS
        for start in range(len(form) - length + 1)
    ]


def pair_features(text: str) -> list[str]:
    """Return pairs of content words that are near each other, in either order, as stems.

    ``The card was not sent`` and ``please send my card`` have one in common. Function words between
    them do not count.
    """
    stems = [stem(word) for word in _words(text) if _carries(word)]
    near = (
        f"{one} {other}" if one < other else f"{other} {one}"
        for place, one in enumerate(stems)
        for other in stems[place + 1 : place + 1 + _NEAR]
    )
    return list(dict.fromkeys(near))


@lru_cache(maxsize=50_000)
def _shape(word: str) -> str:
    """Return a function word unchanged, and any other by its capitals or digits."""
    lower = word.lower()
    if not word.isalnum() or is_function_word(lower) or lower in _INTERROGATIVES:
        return lower
    if word[0].isdigit():
        return "9"
    if len(word) > 1 and word.isupper():
        return "XX"
    return "Xx" if word[0].isupper() else "x"


def _carries(word: str) -> bool:
    """Return whether a word in lower case carries content."""
    return word.isalnum() and not is_function_word(word)


def _words(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())
