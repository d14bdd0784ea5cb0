"""Whether two words, or a word and several, are one: inflected, derived, clipped, abbreviated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache

from mabench.scoring.lexicon import entries, names, words
from mabench.scoring.tokens import Token
from mabench.text.stems import stem

_SHORTEST = 3
_VOWELS = re.compile("[aeiouy]")
_LONG, _ALIKE = 5, 0.85  # Letters of words that may be spelt alike, and how much of them is.
NUMERALS = {
    numeral: number
    for number, numeral in enumerate(
        [
            "I",
            "II",
            "III",
            "IV",
            "V",
            "VI",
            "VII",
            "VIII",
            "IX",
            "X",
            "XI",
            "XII",
            "XIII",
            "XIV",
            "XV",
            "XVI",
            "XVII",
            "XVIII",
            "XIX",
            "XX",
        ],
        start=1,
    )
}


@lru_cache(maxsize=1 << 15)
def same_word(wanted: str, said: str) -> bool:
    """Return whether two folded words are forms of one: ``Roman`` of ``Rome``, but not ``Romeo``.

    The forms are inflections, spellings, a people or a faith, and who does a thing.
    """
    if wanted == said:
        return True
    if said in irregular_forms().get(wanted, ()):
        return True
    if min(len(wanted), len(said)) < _SHORTEST or not (wanted.isalpha() and said.isalpha()):
        return False
    one, other = _spelt(wanted, "forms.american"), _spelt(said, "forms.american")
    shared = _shared(one, other)
    if one == other or len(shared) < _SHORTEST:
        return one == other
    ends = [word.removeprefix(shared) for word in (one, other)]
    is_long = min(len(one), len(other)) > _SHORTEST and set(ends) != {"", "e"}
    if is_long and stem(one) == stem(other):
        return True
    if ",".join(ends) in words("forms.peoples") or ",".join(ends[::-1]) in words("forms.peoples"):
        return True
    ends = [end.removeprefix(shared[-1]) for end in ends]  # Swimmer, swims.
    return len(shared) > _SHORTEST and any(
        doer in words("forms.doers") and doing in words("forms.doing")
        for doer, doing in (ends, ends[::-1])
    )


def _shared(one: str, other: str) -> str:
    """Return the letters that two words begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return one[: next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))]


@cache
def irregular_forms() -> dict[str, set[str]]:
    """Return the forms of a word that no ending tells; of a country, its people."""
    groups = [group for group in names("demonyms") if " " not in "".join(group)]
    groups += [tuple(group.split("/")) for group in entries("forms.irregular")]
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
    if same_word(wanted.word, said.word):
        return True
    if not wanted.is_name or not said.is_name:
        return False
    numbers = {_numeral(wanted), _numeral(said)}
    if len(numbers) == 1 and (wanted.raw in NUMERALS or said.raw in NUMERALS):
        return None not in numbers  # Otto II, Otto the 2nd.
    if not (wanted.word + said.word).isalpha():
        return False
    shortest = _LONG if alone else _SHORTEST
    sounds = {_spelt(word, "names.sounds") for word in (wanted.word, said.word)}
    return min(len(wanted.word), len(said.word)) > shortest and len(sounds) == 1


def _numeral(token: Token) -> int | None:
    digits = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", token.word)
    return int(digits[1]) if digits else NUMERALS.get(token.raw)


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
    return 2 * (is_whole and min(len(token.word) for token in two) >= _SHORTEST)


def may_be(wanted: Token, said: Token) -> bool:
    """Say whether two words may be one: ``Thomas`` and ``Tomas``, ``lab``, but no two countries."""
    short, long = sorted((wanted.word, said.word), key=len)
    if same_word(wanted.word, said.word):
        return True
    if len(short) < _SHORTEST - 1 or not (short + long).isalpha():
        return False
    if is_short_for(wanted, said):
        return True
    is_clipped = _SHORTEST <= len(short) <= len(long) - _SHORTEST
    is_end = len(short) >= _LONG and long.endswith(short)  # Cello, violoncello.
    if is_clipped and (long.startswith(short) or is_end):
        return True
    if wanted.raw.islower() and len(_shared(short, long)) > _SHORTEST:
        return True  # Goalie, goalkeeper.
    if said.raw.isupper() and len(short) > 1 and short[0] == long[0] and wanted.raw.islower():
        return re.search(".*".join(short), long) is not None  # QB, quarterback.
    if len(short) < _LONG or not wanted.is_name or short in _countries():
        return False
    is_alike = SequenceMatcher(None, wanted.word, said.word).ratio() >= _ALIKE
    return is_alike and wanted.word[0] == said.word[0] and said.word not in _countries()


@cache
def _countries() -> frozenset[str]:
    return frozenset(name.casefold() for group in names("countries") for name in group)


def is_short_for(wanted: Token, said: Token) -> bool:
    """Say whether two given names may be of one person: an initial, a nickname."""
    if min(len(wanted.word), len(said.word)) == 1:
        return wanted.word[0] == said.word[0]
    one, other = (_VOWELS.sub("", _spelt(t.word, "names.sounds")) for t in (wanted, said))
    is_longer = wanted.word.startswith(said.word) or said.word.startswith(wanted.word)
    if one == other and len(one) >= _SHORTEST and not is_longer:
        return True  # Aleksandr, Alexander, but not Martin, Martina.
    return said.word in _nicknames(wanted.word) or wanted.word in _nicknames(said.word)


@lru_cache(maxsize=4096)
def _nicknames(name: str) -> frozenset[str]:
    alike = [group for group in names("nicknames") if name == group[0]]
    return frozenset(other for group in alike for other in group)
