"""Whether two names are one: abbreviated, clipped, joined, or spelt in another way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from mabench.scoring.lexicon import entries, names, words
from mabench.scoring.sameness.kin import same_word
from mabench.scoring.sameness.wordings import is_place
from mabench.scoring.tokens import Token

_CLIPPED = 3  # Letters of a clipped word, and at least as many that it lacks.
_LONG, _ALIKE = 5, 0.85  # Letters of words that may be spelt alike, and how much of them is.
_SOUNDS = [
    (re.compile(written), spoken.strip("-"))
    for written, spoken in map(str.split, entries("names.sounds"))
]


def abbreviated(short: Token, said: Sequence[Token]) -> int:
    """Return how many of the words, from the first, are those of an abbreviation; 0 if none."""
    letters = short.raw
    if len(letters) < 2 or not letters.isupper() or not letters.isalpha():
        return 0
    count = 0
    for token in said:
        if not letters:
            break
        if len(token.raw) > 1 and letters == token.raw and count > 1:
            letters = ""
        elif letters.startswith(token.raw[0].upper()) and not token.raw.isupper():
            letters = letters[1:]
        elif not (count and token.word in words("names.small")):
            return 0
        count += 1
    return count if not letters and count > 1 else 0


def joined(whole: Token, said: Sequence[Token]) -> int:
    """Return how many of the words, from the first, make up one word; 0 if none do."""
    two = said[:2]
    is_whole = len(two) == 2 and whole.word == two[0].word + two[1].word
    return 2 * (is_whole and min(len(token.word) for token in two) >= _CLIPPED)


def may_be(wanted: Token, said: Token) -> bool:
    """Say whether two names are spelt alike: ``Thomas`` and ``Tomas``, but no two countries.

    A word may be clipped: ``lab``, ``dept``.
    """
    short = said.word
    if _CLIPPED <= len(short) <= len(wanted.word) - _CLIPPED and (
        wanted.word.startswith(short) or (wanted.word[:3], wanted.word[-1]) == (short[:3], "t")
    ):
        return True
    if said.word in _nicknames_of(wanted.word) or wanted.word in _nicknames_of(said.word):
        return True
    if same_word(wanted.word, said.word) or min(len(wanted.word), len(said.word)) < _LONG:
        return same_word(wanted.word, said.word)
    is_name = wanted.raw[0].isupper() and wanted.word.isalpha() and said.word[0] == wanted.word[0]
    if not is_name or is_place(said.word):
        return False
    return SequenceMatcher(None, wanted.word, said.word).ratio() >= _ALIKE


@lru_cache(maxsize=4096)
def _nicknames_of(name: str) -> frozenset[str]:
    alike = [group for group in names("nicknames") if name == group[0]]
    return frozenset(other for group in alike for other in group)


def is_short_for(wanted: Token, said: Token) -> bool:
    """Say whether two given names may be of one person: an initial, a nickname."""
    if wanted.word[0] != said.word[0]:
        return False
    if min(len(wanted.word), len(said.word)) == 1:
        return True
    return said.word in _nicknames_of(wanted.word) or wanted.word in _nicknames_of(said.word)


def is_given_name(wanted: Sequence[Token], said: Token) -> bool:
    """Say whether a word may be a given name before those that are wanted."""
    if any(same_word(token.word, said.word) for token in wanted) or said.word[0] == wanted[0].word:
        return False
    return (said.raw[0].isupper() and not said.raw.isupper()) or len(said.raw) == 1


def is_transliterated(wanted: Token, said: Token, alone: bool) -> bool:
    """Say whether two names are one in two ways of writing: ``Comnenus`` and ``Komnenos``."""
    if not (wanted.raw[0].isupper() and said.raw[0].isupper()):
        return False
    shortest = _LONG if alone else _CLIPPED
    return min(len(wanted.word), len(said.word)) > shortest and _sound(wanted.word) == _sound(
        said.word
    )


def _sound(name: str) -> str:
    for written, spoken in _SOUNDS:
        name = written.sub(spoken, name)
    return name
