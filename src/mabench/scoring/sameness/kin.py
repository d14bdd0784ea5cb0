"""Whether two words, or a word and several, are one: inflected, derived, clipped, abbreviated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from rapidfuzz.distance import Indel, Prefix

from mabench.scoring.lexicon import entries, names, words
from mabench.scoring.tokens import Token
from mabench.text.stems import stem

_SHORTEST = 3
_LONG, _ALIKE = 5, 0.85  # Letters of words that may be spelt alike, and how much of them is.
_CAMEL = re.compile("[a-z][A-Z]")  # LeGuin
_VOWELS = re.compile("[aeiouy]")
_NUMERALS = {numeral: n for n, numeral in enumerate(entries("names.numerals"), start=1)}


@lru_cache(maxsize=1 << 15)
def same_word(wanted: str, said: str, named: bool = False) -> bool:
    """Return whether two folded words are forms of one: ``Roman`` of ``Rome``, but not ``Romeo``.

    The forms are inflections, spellings, a people or a faith; of no name (``named``), also who
    does a thing: a park is no Parker.
    """
    forms = irregular_forms()
    if wanted == said or {said, stem(said)} & forms.get(wanted, set()):
        return True
    if stem(wanted) in forms.get(said, ()):
        return True
    if {wanted, said} <= _countries():  # Niger, Nigeria.
        return False
    if min(len(wanted), len(said)) < _SHORTEST or not (wanted.isalpha() and said.isalpha()):
        return False
    one, other = _spelt(wanted, "forms.american"), _spelt(said, "forms.american")
    shared = Prefix.similarity(one, other)
    ends = one[shared:], other[shared:]
    if one == other or shared < _SHORTEST:
        return one == other
    if {",".join(ends), ",".join(ends[::-1])} & words("forms.endings"):
        return True
    if named or min(len(one), len(other)) == _SHORTEST:
        return False
    if stem(one) == stem(other) and set(ends) != {"", "e"}:
        return True
    first, second = (end.removeprefix(one[shared - 1]) for end in ends)  # Swimmer, swims.
    doers, doing = words("forms.doers"), frozenset(entries("forms.doing"))
    is_doer = (first in doers and second in doing) or (second in doers and first in doing)
    return is_doer and shared > _SHORTEST


def root(word: str) -> str:
    """Return what is common to a doing, who does it and the state of it."""
    return re.sub("(?:er|or|ship)$", "", stem(word))


@cache
def irregular_forms() -> dict[str, set[str]]:
    """Return the forms of a word that no ending tells; of a country, its people."""
    groups = [group for group in names("demonyms") if " " not in "".join(group)]
    groups += [tuple(group.split("/")) for group in entries("forms.irregular")]
    groups += [tuple(n for n in group if n.isalpha() and n.islower()) for group in names("synonyms")]
    forms: dict[str, set[str]] = {}
    for group in groups:
        alike = set(map(str.casefold, group))
        for word in alike:
            forms.setdefault(word, set()).update(alike)
    return forms


@lru_cache(maxsize=1 << 15)
def _spelt(word: str, kind: str) -> str:
    for written, other in _spellings(kind):
        word = written.sub(other, word)
    return word


@cache
def _spellings(kind: str) -> list[tuple[re.Pattern[str], str]]:
    pairs = map(str.split, entries(kind))
    return [(re.compile(written), other.strip("-")) for written, other in pairs]


def same_token(wanted: Token, said: Token, alone: bool) -> bool:
    """Return whether two words are one, names and numbers too; ``alone`` if no other is wanted."""
    named = wanted.is_name and said.is_name
    if named and (wanted.raw in _NUMERALS or said.raw in _NUMERALS):  # Otto II, Otto the 2nd.
        return (number := _numeral(wanted)) is not None and number == _numeral(said)
    if same_word(wanted.word, said.word, named) or not named:
        return same_word(wanted.word, said.word, named)
    if not (wanted.word + said.word).isalpha():
        return False
    is_long = min(len(wanted.word), len(said.word)) > (_LONG if alone else _SHORTEST)
    return is_long and _spelt(wanted.word, "names.sounds") == _spelt(said.word, "names.sounds")


def _numeral(token: Token) -> int | None:
    digits = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", token.word)
    return int(digits[1]) if digits else _NUMERALS.get(token.raw)


def abbreviated(short: Token, said: Sequence[Token]) -> int:
    """Return how many words, from the first, a word abbreviates or joins; 0 if none."""
    two = [token.word for token in said[:2]]
    is_joined = len(two) == 2 and short.word == "".join(two)
    is_near = len(two) == 2 and said[0].end + 1 == said[1].start  # A clean-up is a cleanup.
    if is_joined and (min(map(len, two)) >= _SHORTEST - is_near or _CAMEL.search(short.raw)):
        return 2
    letters = short.raw
    if len(letters) < 2 or not letters.isupper() or not letters.isalpha():
        return 0
    every = telling = ""
    for count, token in enumerate(said, start=1):
        if token.raw.isupper() and len(token.raw) > 1:
            return 0
        every += token.raw[0].upper()
        telling += "" if token.word in words("names.small") else token.raw[0].upper()
        if letters in (every, telling):
            return count
    return 0


def may_be(wanted: Token, said: Token) -> bool:
    """Say whether two words may be one: ``Thomas`` and ``Tomas``, ``lab``, but no two countries."""
    short, long = sorted((wanted.word, said.word), key=len)
    if same_token(wanted, said, alone=True):
        return True
    if len(short) == 1 or not (short + long).isalpha():
        return False
    if _SHORTEST <= len(short) <= len(long) - _SHORTEST and (
        long.startswith(short) or (len(short) >= _LONG and long.endswith(short))
    ):
        return True  # Lab, laboratory; cello, violoncello.
    if wanted.raw.islower():  # Goalie, goalkeeper; QB, quarterback.
        rest = iter(long)
        is_short = said.raw.isupper() and short[0] == long[0] and all(c in rest for c in short)
        return is_short or Prefix.similarity(short, long) > _SHORTEST
    if is_short_for(wanted, said):
        return True
    is_alike = Indel.normalized_similarity(wanted.word, said.word) >= _ALIKE
    is_alike = is_alike and wanted.word[0] == said.word[0] and len(short) >= _LONG
    return is_alike and wanted.is_name and not {wanted.word, said.word} & _countries()


@cache
def _countries() -> frozenset[str]:
    return frozenset(name.casefold() for group in names("countries") for name in group)


def is_short_for(wanted: Token, said: Token) -> bool:
    """Say whether two given names may be of one person: an initial, a nickname, a spelling."""
    one, other = wanted.word, said.word
    if min(len(one), len(other)) == 1:
        return one[0] == other[0]
    if other in _nicknames().get(one, ()) or one in _nicknames().get(other, ()):
        return True
    sounds = {_VOWELS.sub("", _spelt(name, "names.sounds")) for name in (one, other)}
    is_longer = one.startswith(other) or other.startswith(one)  # Martin, Martina.
    return len(sounds) == 1 and len(sounds.pop()) >= _SHORTEST and not is_longer


@cache
def _nicknames() -> dict[str, tuple[str, ...]]:
    return {group[0]: group for group in names("nicknames")}
