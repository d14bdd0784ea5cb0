"""Whether two words, or a word and several, are one: inflected, derived, clipped, abbreviated.

Of two words one is wanted, a gold's, and one is said. A token is a word with its place in a text:
``word`` is folded, and ``raw`` is as it is written. ``words.toml`` has the lists that are named
here, as ``forms.endings``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import Indel, Prefix

from mabench.scoring.lexicon import entries, names, remembered, words
from mabench.scoring.sameness.wordings import is_place
from mabench.scoring.tokens import Token
from mabench.text.stems import stem

_FEWEST_IN_COMMON = 3  # Letters that two forms of a word have in common, at least.
_LETTERS_OF_LONG = 5  # Letters from which on two names may be spellings of one.
_LEAST_SIMILARITY = 0.85  # How alike such names are, from 0 to 1.


@remembered(1 << 15)
def same_word(wanted: str, said: str, named: bool = False) -> bool:
    """Return whether two folded words are forms of one: ``Roman`` of ``Rome``, but not ``Romeo``.

    The forms are inflections, spellings, a people or a faith. Unless both are names (``named``),
    who does a thing is a form of the doing, too: a writer writes, but a park is no Parker.
    """
    if wanted == said or _are_irregular_forms(wanted, said):
        return True
    if is_place(wanted) and is_place(said):  # Niger, Nigeria.
        return False
    one, other = (_rewritten(word, "forms.american") for word in (wanted, said))
    if one == other:
        return True
    shared = Prefix.similarity(one, other)
    if shared < _FEWEST_IN_COMMON or not (one + other).isalpha():
        return False
    end, other_end, endings = one[shared:], other[shared:], words("forms.endings")
    if f"{end},{other_end}" in endings or f"{other_end},{end}" in endings:
        return True
    is_long = min(len(one), len(other)) > _FEWEST_IN_COMMON
    differ_by_e = {end, other_end} == {"", "e"}  # Plan, plane.
    return is_long and not differ_by_e and not named and root(one) == root(other)


def _are_irregular_forms(wanted: str, said: str) -> bool:
    """Return whether a table has two words, or the stem of either, as forms of one."""
    forms = word_forms()
    if stem(wanted) in forms.get(said, ()):
        return True
    forms_of_wanted = forms.get(wanted, set())
    return said in forms_of_wanted or stem(said) in forms_of_wanted


def root(word: str) -> str:
    """Return what is common to a doing, who does it and the state of it."""
    return re.sub("(?:er|or|ship)$", "", stem(word))


@remembered()
def word_forms() -> dict[str, set[str]]:
    """Return the forms of each word that no ending tells: went of go; of a country its people."""
    groups = [group for group in names("demonyms") if " " not in "".join(group)]  # Of one word.
    written = (*entries("forms.irregular"), *entries("forms.also"))  # "run/ran"
    groups += [tuple(group.split("/")) for group in written]
    forms: dict[str, set[str]] = {}
    for group in groups:
        alike = set(map(str.casefold, group))
        for word in alike:
            forms.setdefault(word, set()).update(alike)
    return forms


@remembered(1 << 15)
def _rewritten(word: str, spellings: str) -> str:
    """Return a word in the one of several spellings that stands for all.

    ``spellings`` is a list of patterns, each with what is written instead; a dash is nothing.
    """
    for written, other in map(str.split, entries(spellings)):
        word = re.sub(written, other.strip("-"), word)
    return word


@remembered()
def _numerals() -> dict[str, int]:
    """Return the number of each Roman numeral."""
    return {numeral: n for n, numeral in enumerate(entries("names.numerals"), start=1)}


def same_token(wanted: Token, said: Token) -> bool:
    """Return whether two words are one. Long names may be spelt as they sound: Kathryn, Catherin.

    Of names, a numeral is the same number in any form.
    """
    named, numerals = wanted.is_name and said.is_name, _numerals()
    if named and (wanted.raw in numerals or said.raw in numerals):  # Otto II, Otto the 2nd.
        return _number_of_name(wanted) == _number_of_name(said)
    if same_word(wanted.word, said.word, named):
        return True
    is_long = wanted.word.isalpha() and min(len(wanted.word), len(said.word)) >= _LETTERS_OF_LONG
    return named and is_long and _sound(wanted.word) == _sound(said.word)


def _number_of_name(token: Token) -> str:
    """Return the digits of a numeral or an ordinal: 2 of ``II`` and ``2nd``; other words as is."""
    number = _numerals().get(token.raw)
    return str(number) if number else re.sub("(?:st|nd|rd|th)$", "", token.word)


def _sound(name: str) -> str:
    """Return what several spellings of a name have in common."""
    return _rewritten(name, "names.sounds")


def abbreviated(short: Token, said: Sequence[Token]) -> int:
    """Return how many words, from the first, a word abbreviates or joins; 0 if none.

    A cleanup joins ``clean up``, but no word joins an article: along is not ``a long``. Initials
    leave out small words: USA, United States of America.
    """
    if len(said) > 1 and short.word == said[0].word + said[1].word:
        are_words = min(len(said[0].word), len(said[1].word)) > 1
        return 2 if are_words else 0
    if len(short.raw) < 2 or not (short.raw.isupper() and short.raw.isalpha()):
        return 0
    initials = ""
    for count, token in enumerate(said, start=1):
        initials += "" if token.word in words("names.small") else token.raw[0].upper()
        if initials == short.raw:
            return count
    return 0


def may_be(wanted: Token, said: Token) -> bool:
    """Return whether two words may be one: an abbreviation (``lab``), a spelling (``Tomas``).

    Two countries are never one.
    """
    short, long = sorted((wanted.word, said.word), key=len)
    if same_token(wanted, said):
        return True
    if len(short) < _FEWEST_IN_COMMON or not (short + long).isalpha() or is_place(short):
        return False
    if long.startswith(short) and len(long) - len(short) >= _FEWEST_IN_COMMON:  # Lab, laboratory.
        return True
    if wanted.raw.islower():  # Stairs, staircase.
        return Prefix.similarity(short, long) > _FEWEST_IN_COMMON
    is_spelling = (
        len(short) >= _LETTERS_OF_LONG
        and Indel.normalized_similarity(short, long) >= _LEAST_SIMILARITY
    )
    return is_spelling or is_short_for(wanted, said)


def is_short_for(wanted: Token, said: Token) -> bool:
    """Return whether two given names may be one person's: an initial, or another spelling.

    Spellings of a name have the same consonants; with more letters behind it, it is another name:
    Robert, Roberta.
    """
    short, long = sorted((wanted.word, said.word), key=len)
    if len(short) == 1:
        return short == long[0]
    consonants, other_consonants = (re.sub("[aeiouy]", "", _sound(name)) for name in (short, long))
    is_same = consonants == other_consonants and len(consonants) >= _FEWEST_IN_COMMON
    return is_same and not long.startswith(short)
