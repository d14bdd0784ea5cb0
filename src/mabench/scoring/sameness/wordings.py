"""What a gold says, word by word: which must be said, and which need not be, or not always.

The gold decides: brackets, legal forms, titles, kinds of thing, the country behind a city, given
names and what the question says already need not be said; another name of it may stand for all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import cache, lru_cache
from typing import NamedTuple

from mabench.scoring.lexicon import entries, names, words
from mabench.scoring.tokens import Token, plain, spelling, tokens
from mabench.text.stems import is_function_word, stem

_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_LIST = re.compile(r"[,;\n]\s*(?:and\s+|or\s+)?|\s(?:and|but)\s")
_YEAR = re.compile(r"\d{4}")
_EDGES = " \t\"'.*_`()[]"
_FEW = 3  # Words of a phrase that may be turned about.


class Need(IntEnum):
    """How far a word of a gold need be said."""

    FREE = 0  # It may be left out.
    GIVEN = 1  # A given name: a family name alone may be another's.
    KIND = 2  # Which kind of thing it is, or what the question says.
    UNIT = 3  # Of a number that counts nothing else, or the year of a day.
    MUST = 4


class Form(NamedTuple):
    """Words that say a gold, how far each need be said, and in which order.

    They may come in any order in a name, and in a short phrase.
    """

    words: tuple[Token, ...]
    needs: tuple[Need, ...]
    is_free: bool = True


@lru_cache(maxsize=2048)
def forms(gold: str, question: str) -> tuple[Form, ...]:
    """Return what says a gold; what the question says of it need not be said again."""
    names_of = [gold, *_alike().get(spelling(_BRACKETS.sub(" ", gold)), ())]
    listed = [_form(name, question) for name in names_of]
    return tuple({form.words: form for form in listed if form.words}.values())


def _form(gold: str, question: str) -> Form:
    said, told = wanted_tokens(gold), _telling(gold)
    needs = dict.fromkeys(said, Need.FREE) | dict.fromkeys(told, Need.MUST)
    person = "," not in gold and not is_place(gold) and _is_person(told)
    kinds = words("names.kinds", "names.trade", "names.things") - words("names.telling")
    named = [token.raw[0].isupper() for token in told]
    leads = len(told) <= _FEW and named[-1:] == [True] and not any(named[:-1])  # Her dog Rex.
    for token in told if len(told) > 1 else ():
        if person and token != told[-1]:
            needs[token] = Need.GIVEN
        elif (leads and token != told[-1]) or (token.word in kinds and token.raw.istitle()):
            needs[token] = Need.KIND
    asked, eras = words_of(question), words("names.eras")
    is_count = len(told) == 2 and told[0].raw.isdigit() and told[1].raw.isalpha()
    is_day = len(told) == 3 and told[1].word in eras and _YEAR.fullmatch(told[2].raw)
    if is_day or (is_count and told[1].word not in eras):
        needs[told[-1]] = Need.UNIT
    must = [token for token in told if needs[token] is Need.MUST]
    known = [token for token in must if {token.word, stem(token.word)} & asked]
    if known != must:
        needs |= dict.fromkeys(known, Need.KIND)
    if not must:
        needs |= dict.fromkeys(told, Need.MUST)
    is_free = len(told) <= _FEW or all(token.is_name for token in told)
    return Form(said, tuple(needs.values()), is_free)


def _telling(gold: str) -> list[Token]:
    """Return the words of a gold that tell it: no notes, titles, legal forms, or country behind."""
    text, said = plain(gold).strip(), wanted_tokens(gold)
    bare = _BRACKETS.sub(lambda note: " " * len(note[0]), text)
    head, comma, tail = bare.partition(",")
    if comma and head.strip() and not is_place(head) and all(map(is_place, tail.split(","))):
        bare = head
    told = [t for t in said if bare[t.start : t.end].strip()]
    for token in list(told):
        is_low = token.raw.islower() or bare[token.end + 1 : token.end + 2].islower()
        if is_small(token.word) and is_low and bare[token.end : token.end + 1] != "-":
            told.remove(token)
    while told[1:] and told[0].word in words("names.titles" if told[2:] else "names.addresses"):
        told = told[1:]
    while told[1:] and told[-1].word in words("names.behind") | _legal_forms():
        told = told[:-1]
    return told or list(said)


def is_small(word: str) -> bool:
    """Return whether a word carries nothing: ``in`` and ``her``, but no ``not``."""
    small = words("names.small", "names.about")
    return (is_function_word(word) or word in small) and word not in words("names.telling")


def _is_person(told: Sequence[Token]) -> bool:
    """Say whether a name may be a person's: it says of no other kind of thing."""
    if len(told) < 2 or not all(token.raw[0].isupper() and token.raw.isalpha() for token in told):
        return False
    things = words("names.kinds", "names.things", "names.trade", "names.other_place")
    is_other = not things.isdisjoint((told[0].word, told[-1].word))
    return not is_other and told[-1].raw not in entries("names.numerals")


def parts_of(gold: str) -> list[str]:
    """Return the parts of a gold that may be a list; none where it has one part, or is a place."""
    parts = [part.strip(_EDGES) for part in _LIST.split(plain(gold).replace("' '", "', '"))]
    parts = list(dict.fromkeys(part for part in parts if re.search(r"\w", part)))
    is_city = parts and not is_place(parts[0]) and all(map(is_place, parts[1:]))
    is_list = len(parts) > 1 and not is_city and min(map(len, parts)) > 2
    return parts if is_list else []


@lru_cache(maxsize=4096)
def wanted_tokens(name: str) -> tuple[Token, ...]:
    """Return the words of a name to look for: no articles."""
    said = tokens(plain(name).strip())
    return tuple(token for token in said if not token.article) or said


@lru_cache(maxsize=512)
def words_of(text: str) -> frozenset[str]:
    """Return the folded words of a text."""
    return frozenset(token.word for token in tokens(plain(text)))


@lru_cache(maxsize=512)
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text."""
    return frozenset(map(stem, words_of(text)))


def is_place(name: str) -> bool:
    """Return whether a name is a country's or a state's."""
    return spelling(name) in _places()


@cache
def adds_nothing(word: str) -> bool:
    """Return whether a word behind a name makes no other thing of it: a kind, a form, a country."""
    return word in words("names.kinds", "names.trade") | _legal_forms() or (word,) in _places()


@cache
def _places() -> frozenset[tuple[str, ...]]:
    groups = *names("countries"), *names("states"), entries("names.places")
    return frozenset(spelling(name) for group in groups for name in group)


@cache
def _legal_forms() -> frozenset[str]:
    return words("names.legal") | {form for group in names("legal forms") for form in group}


@cache
def _alike() -> dict[tuple[str, ...], list[str]]:
    """Return the names of what has several, by each of them; peoples are forms of a word."""
    known: dict[tuple[str, ...], list[str]] = {}
    for group in (*names("countries"), *(n.split("/") for n in entries("names.alike"))):
        for name in group:
            known.setdefault(spelling(name), []).extend(group)
    for group in names("synonyms"):
        for noun in group:  # Plain letters: to fold them would take a third of a second.
            known.setdefault(tuple(re.split("[ -]", noun.lower())), []).extend(group)
    return known
