"""What a gold says, word by word: which must be said, and which need not be, or not always.

The gold decides: brackets, legal forms, titles, kinds of thing, the country behind a city, given
names and what the question says already need not be said; another name of it may stand for all.

The key words of a gold are those that tell it. A token is a word with its place: ``word`` is
folded, and ``raw`` is as it is written. ``words.toml`` has the lists that are named here, as
``names.titles``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

from mabench.scoring.lexicon import entries, names, remembered, words
from mabench.scoring.tokens import Token, plain, spelling, tokens
from mabench.text.stems import is_function_word, stem

_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
# What parts the items of a gold that is a list.
_BETWEEN_PARTS = re.compile(r"[,;\n]\s*(?:and\s+|or\s+)?|\s(?:and|but)\s")
_YEAR = re.compile(r"\d{4}")
_SIGNS_AT_EDGES = " \t\"'.*_`()[]"
_MOST_WORDS_IN_ANY_ORDER = 3  # Words of a phrase that may be turned about.
_SHORTEST_PART = 3  # Characters of each part of a list; "A, B" may be one name.


class Need(IntEnum):
    """How far a word of a gold need be said."""

    FREE = 0  # It may be left out.
    GIVEN = 1  # A given name: a family name alone may be another's.
    KIND = 2  # Which kind of thing it is, or what the question says.
    UNIT = 3  # Of a number that counts nothing else, or the year of a day.
    MUST = 4


class Wording(NamedTuple):
    """Words that say a gold, how far each need be said, and in which order.

    They may come in any order in a name, and in a short phrase.
    """

    words: tuple[Token, ...]
    needs: tuple[Need, ...]
    is_free: bool
    gaps: frozenset[str]  # What is between its words.


@remembered(2048)
def read_wordings(gold: str, question: str) -> tuple[Wording, ...]:
    """Return what says a gold; what the question says of it need not be said again."""
    others = _alike().get(spelling(_BRACKETS.sub(" ", gold)), ())
    listed = [_read_wording(gold, question), *(_read_wording(name, "") for name in others)]
    return tuple({wording.words: wording for wording in listed if wording.words}.values())


def _read_wording(gold: str, question: str) -> Wording:
    """Return how far each word of a gold need be said: by its form, and by the question.

    Each step makes a need less; the last one brings back a must where all words would be optional.
    """
    said, key = wanted_tokens(gold), _key_words(gold)
    needs = dict.fromkeys(said, Need.FREE) | dict.fromkeys(key, Need.MUST)
    is_person = _names_person(gold, key)
    if len(key) > 1:
        needs |= dict.fromkeys(key[:-1], _need_of_lead(key, is_person=is_person))
    if _ends_with_unit(key):
        needs[key[-1]] = Need.UNIT
    known = _known_words(key, question, is_person=is_person)
    if len(known) < len(key):
        needs |= dict.fromkeys(known, Need.KIND)
    if Need.MUST not in needs.values():
        needs |= {token: Need.MUST for token in key if token not in known or known == key}
    is_free = len(key) <= _MOST_WORDS_IN_ANY_ORDER or all(token.is_name for token in key)
    gaps = frozenset(plain(gold).strip()[a.end : b.start] for a, b in pairwise(said))
    return Wording(said, tuple(needs.values()), is_free, gaps)


def _is_name(key: Sequence[Token]) -> bool:
    """Return whether all words have letters only, and a capital first."""
    return all(token.raw[0].isupper() and token.raw.isalpha() for token in key)


def _names_person(gold: str, key: Sequence[Token]) -> bool:
    """Return whether a gold may be a person's name: names, and no kind of thing at either end."""
    things = words("names.features", "names.kinds", "names.settled")
    things |= words("names.other_place", "names.numerals")
    first_and_last = (*key[:1], *key[-1:])
    is_thing = any(token.word in things or token.raw in things for token in first_and_last)
    return _is_name(key) and not is_thing and not re.search(r",| of ", gold)


def _need_of_lead(key: Sequence[Token], *, is_person: bool) -> Need:
    """Return how far the words before the last one need be said."""
    if is_person:
        return Need.GIVEN
    # Her dog Rex, but not 44 BC.
    is_noun_and_name = len(key) == 2 and not key[0].raw[0].isupper() and key[1].raw[0].isupper()
    return Need.KIND if is_noun_and_name and key[0].raw.isalpha() else Need.MUST


def _ends_with_unit(key: Sequence[Token]) -> bool:
    """Return whether the last word is what a number counts, or the year of a day."""
    eras = words("names.eras", "times.months")
    is_count = len(key) == 2 and key[0].raw.isdigit() and key[1].word not in eras
    return is_count or (len(key) == 3 and key[1].word in eras)


def _known_words(key: Sequence[Token], question: str, *, is_person: bool) -> list[Token]:
    """Return the words that the question says, too; of a name only its kind, and a family name."""
    kinds = words("names.features", "names.kinds", "names.settled")
    asked, is_name = words_of(question), _is_name(key)
    return [
        token
        for token in key
        if _is_asked(token.word, asked)
        and (not is_name or token.word in kinds or (is_person and token == key[-1]))
    ]


def _is_asked(word: str, asked: frozenset[str]) -> bool:
    """Return whether a question has a word: ``mountain`` for Mount."""
    also = {"mount": "mountain", "mt": "mountain"}.get(word, word)
    return bool({word, stem(word), also} & asked)


def _key_words(gold: str) -> list[Token]:
    """Return the words of a gold that tell it: no notes, titles, legal forms, or country behind."""
    text, said = plain(gold).strip(), wanted_tokens(gold)
    # Without notes in brackets, but with all words in their places.
    bare = _BRACKETS.sub(lambda note: " " * len(note[0]), text)
    city, comma, countries = bare.partition(",")
    if comma and city.strip() and not is_place(city) and all(map(is_place, countries.split(","))):
        bare = city
    key = [token for token in said if bare[token.start : token.end].strip()]
    is_title = len(key) > 1 and all(token.is_name for token in key if not is_small(token.word))
    # A small word before a hyphen is a part of a longer word: "in-law".
    key = [token for token in key if _tells(token, is_title) or bare[token.end :][:1] == "-"]
    # In a name of two words, a title such as King may be the given name.
    while len(key) > 1 and key[0].word in _titles(before=len(key) - 1):
        key = key[1:]
    while len(key) > 1 and key[-1].word in words("names.legal"):
        key = key[:-1]
    return key or list(said)


def _titles(*, before: int) -> frozenset[str]:
    """Return the titles that are no part of a name, before one word or several."""
    return words("names.titles") if before > 1 else words("names.addresses")


def _tells(token: Token, is_title: bool) -> bool:
    """Return whether a word is one to tell a gold by; in a name, any that has a capital is."""
    if token.raw.isupper() or not is_small(token.word):
        return True
    return is_title and token.raw[0].isupper() and token.word not in words("names.small")


def is_small(word: str) -> bool:
    """Return whether a word carries nothing: ``in`` and ``her``, but no ``not``."""
    small = words("names.small")
    return (is_function_word(word) or word in small) and word not in words("names.telling")


def parts_of(gold: str) -> list[str]:
    """Return the parts of a gold that may be a list; none if it has one part, or is a place."""
    if "&" in gold:
        return []  # Of a firm.
    # A printed list of strings may have no commas: "['Rome' 'Oslo']".
    with_commas = plain(gold).replace("' '", "', '")
    stripped = [part.strip(_SIGNS_AT_EDGES) for part in _BETWEEN_PARTS.split(with_commas)]
    parts = list(dict.fromkeys(part for part in stripped if re.search(r"\w", part)))
    if len(parts) < 2 or min(map(len, parts)) < _SHORTEST_PART:
        return []
    is_city = not is_place(parts[0]) and all(map(is_place, parts[1:]))  # Rome, Italy.
    return [] if is_city else parts


@remembered(4096)
def wanted_tokens(name: str) -> tuple[Token, ...]:
    """Return the words of a name to look for: no articles."""
    said = tokens(plain(name).strip())
    return tuple(token for token in said if not token.article) or said


@remembered(512)
def words_of(text: str) -> frozenset[str]:
    """Return the folded words of a text."""
    return frozenset(token.word for token in tokens(plain(text)))


def is_place(name: str) -> bool:
    """Return whether a name is a country's or a state's."""
    return spelling(name) in _places()


@remembered()
def adds_nothing(word: str) -> bool:
    """Return whether a word behind a name makes no other thing of it: a kind, a form, a country."""
    return word in words("names.features", "names.kinds", "names.legal") or (word,) in _places()


@remembered()
def _places() -> frozenset[tuple[str, ...]]:
    """Return the words of each name of a country or a state."""
    groups = *names("countries"), *names("states"), entries("names.places")
    return frozenset(spelling(name) for group in groups for name in group)


def _other_names() -> list[list[str]]:
    """Return the groups of names of one thing each, beside countries."""
    lists = ("alike", "renamed", "faiths", "sports", "wars")
    return [group.split("/") for name in lists for group in entries(f"names.{name}")]


def has_other_names(name: str) -> bool:
    """Return whether a table has other names of what a name names."""
    return spelling(name) in _alike()


@remembered()
def _alike() -> dict[tuple[str, ...], list[str]]:
    """Return all names of each thing that has several, by the words of any of them.

    Peoples are not among them: they are forms of a word (``kin``).
    """
    known: dict[tuple[str, ...], list[str]] = {}
    for group in (*names("countries"), *_other_names()):
        for name in group:
            known.setdefault(spelling(name), []).extend(group)
    return known
