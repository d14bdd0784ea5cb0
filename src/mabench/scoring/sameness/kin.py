"""Whether two words, or a word and several, are one: inflected, derived, clipped, abbreviated."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import Indel, Prefix

from mabench.scoring.lexicon import entries, names, remembered, words
from mabench.scoring.sameness.wordings import is_place
from mabench.scoring.tokens import Token
from mabench.text.stems import stem

_SHORTEST = 3
_LONG, _ALIKE = 5, 0.85  # Letters of words that may be spelt alike, and how much of them is.


@remembered(1 << 15)
def same_word(wanted: str, said: str, named: bool = False) -> bool:
    """Return whether two folded words are forms of one: ``Roman`` of ``Rome``, but not ``Romeo``.

    The forms are inflections, spellings, a people or a faith; of no name (``named``), also who
    does a thing: a park is no Parker.
    """
    forms = word_forms()
    is_irregular = stem(wanted) in forms.get(said, ())
    if wanted == said or is_irregular or {said, stem(said)} & forms.get(wanted, set()):
        return True
    if is_place(wanted) and is_place(said):  # Niger, Nigeria.
        return False
    one, other = (_rewritten(word, "forms.american") for word in (wanted, said))
    shared = Prefix.similarity(one, other)
    ends = one[shared:], other[shared:]
    if one == other or shared < _SHORTEST or not (one + other).isalpha():
        return one == other
    if {",".join(ends), ",".join(ends[::-1])} & words("forms.endings"):
        return True
    is_long = min(len(one), len(other)) > _SHORTEST and set(ends) != {"", "e"}
    return is_long and not named and root(one) == root(other)


def root(word: str) -> str:
    """Return what is common to a doing, who does it and the state of it."""
    return re.sub("(?:er|or|ship)$", "", stem(word))


@remembered()
def word_forms() -> dict[str, set[str]]:
    """Return the forms of a word that no ending tells; of a country its people."""
    groups = [group for group in names("demonyms") if " " not in "".join(group)]
    groups += [
        tuple(group.split("/")) for group in entries("forms.irregular") + entries("forms.also")
    ]
    forms: dict[str, set[str]] = {}
    for group in groups:
        alike = set(map(str.casefold, group))
        for word in alike:
            forms.setdefault(word, set()).update(alike)
    return forms


@remembered(1 << 15)
def _rewritten(word: str, spellings: str) -> str:
    """Return a word in the one of several spellings that stands for all."""
    for written, other in map(str.split, entries(spellings)):
        word = re.sub(written, other.strip("-"), word)
    return word


@remembered()
def _numerals() -> dict[str, int]:
    """Return the number of each Roman numeral."""
    return {numeral: n for n, numeral in enumerate(entries("names.numerals"), start=1)}


def same_token(wanted: Token, said: Token) -> bool:
    """Return whether two words are one, names and numbers too."""
    named, numerals = wanted.is_name and said.is_name, _numerals()
    if named and (wanted.raw in numerals or said.raw in numerals):  # Otto II, Otto the 2nd.
        pair = (token.raw if token.raw in numerals else token.word for token in (wanted, said))
        return len({str(numerals.get(n, re.sub("(?:st|nd|rd|th)$", "", n))) for n in pair}) == 1
    if not named or same_word(wanted.word, said.word, named):
        return same_word(wanted.word, said.word, named)
    is_long = wanted.word.isalpha() and min(len(wanted.word), len(said.word)) >= _LONG
    return is_long and len({_rewritten(t.word, "names.sounds") for t in (wanted, said)}) == 1


def abbreviated(short: Token, said: Sequence[Token]) -> int:
    """Return how many words, from the first, a word abbreviates or joins; 0 if none."""
    if len(said) > 1 and short.word == said[0].word + said[1].word:  # A clean-up is a cleanup.
        return 2 * (min(len(said[0].word), len(said[1].word)) > 1)
    if len(short.raw) < 2 or not (short.raw.isupper() and short.raw.isalpha()):
        return 0
    initials = ""
    for count, token in enumerate(said, start=1):
        initials += "" if token.word in words("names.small") else token.raw[0].upper()
        if initials == short.raw:
            return count
    return 0


def may_be(wanted: Token, said: Token) -> bool:
    """Return whether two words may be one: ``Thomas``, ``Tomas``, ``lab``, but no two countries."""
    short, long = sorted((wanted.word, said.word), key=len)
    if same_token(wanted, said):
        return True
    if len(short) < _SHORTEST or not (short + long).isalpha() or is_place(short):
        return False
    if long.startswith(short) and len(long) - len(short) >= _SHORTEST:  # Lab, laboratory.
        return True
    if wanted.raw.islower():  # Stairs, staircase.
        return Prefix.similarity(short, long) > _SHORTEST
    is_alike = Indel.normalized_similarity(short, long) >= _ALIKE
    return (is_alike and len(short) >= _LONG) or is_short_for(wanted, said)


def is_short_for(wanted: Token, said: Token) -> bool:
    """Return whether two given names may be one person's: an initial or a spelling."""
    short, long = sorted((wanted.word, said.word), key=len)
    if len(short) == 1:
        return short == long[0]
    sounds = {re.sub("[aeiouy]", "", _rewritten(n, "names.sounds")) for n in (short, long)}
    return len(sounds) == 1 and len(sounds.pop()) >= _SHORTEST and not long.startswith(short)
