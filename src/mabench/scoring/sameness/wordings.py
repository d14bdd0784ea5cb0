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
from mabench.scoring.sameness.kin import same_word
from mabench.scoring.tokens import Token, fold, plain, tokens
from mabench.text.stems import is_function_word, stem

_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_LIST = re.compile(r"[,;\n]\s*(?:and\s+|or\s+)?|\s(?:and|but)\s")
_PREPOSITIONS = frozenset({"in", "on", "at", "by", "from", "to", "of", "since", "for", "with"})
_YEAR = re.compile(r"\d{4}")
_BY = re.compile(r"(\W?[A-Z]\S* .*\S) by [A-Z][\w.-]+(?: [A-Z][\w.-]+){1,3}\W?")  # A book.
_NAMED = re.compile(
    r"([a-z][^,;]*) (?:named|called) \W?[A-Z][\w.-]+(?: [A-Z][\w.-]+)?\W?"
)  # A dog.
_EDGES = " \t\"'.*_`()[]"
_FEW = 3  # Words of a phrase that may be turned about.


class Need(IntEnum):
    """How far a word of a gold need be said."""

    FREE = 0  # It may be left out.
    GIVEN = 1  # A given name: a family name alone may be another's.
    KIND = 2  # Which kind of thing it is.
    ASKED = 3  # The question says it.
    UNIT = 4  # Of a number that counts nothing else.
    MUST = 5


class Form(NamedTuple):
    """Words that say a gold, how far each need be said, and in which order.

    They may come in any order in a name, and in a short phrase that tells of no two names.
    """

    words: tuple[Token, ...]
    needs: tuple[Need, ...]
    person: bool = False
    is_free: bool = True


@lru_cache(maxsize=2048)
def forms(gold: str, question: str) -> tuple[Form, ...]:
    """Return what says a gold; what the question says of it need not be said again."""
    asked = words_of(question)
    alike = _alike().get(_key(_BRACKETS.sub(" ", gold)), ())
    others = [name for group in alike for name in group]
    if not (is_place(gold) or asks_origin(asked)):
        others = [name for name in others if not is_place(name)]
    listed = [_form(name, asked) for name in (gold, *others)]
    return tuple({form.words: form for form in listed if form.words}.values())


def _form(gold: str, asked: frozenset[str]) -> Form:
    text, said = plain(gold).strip(), wanted_tokens(gold)
    told = [token for token in said if not _is_small(token, text)] or list(said)
    notes = [note.span() for note in _BRACKETS.finditer(text)]
    told = [t for t in told if not any(a < t.start < b for a, b in notes)] or told
    head, comma, tail = _BRACKETS.sub(lambda note: " " * len(note[0]), text).partition(",")
    is_city = comma and head.strip() and not is_place(head) and all(map(is_place, tail.split(",")))
    if is_city:
        told = [token for token in told if token.start < len(head)]
    is_named = asked.isdisjoint({"name", "names", "named", "called", "who"})
    if work := _BY.fullmatch(text) or (is_named and _NAMED.fullmatch(text)):
        told = [token for token in told if token.start < work.end(1)]
    told = _without_titles(told)
    needs = dict.fromkeys(said, Need.FREE) | dict.fromkeys(told, Need.MUST)
    person = not comma and not is_place(gold) and _is_person(told)
    kinds = words("names.kinds", "names.trade", "names.things")
    named = [token.raw[0].isupper() for token in told]
    leads = len(told) <= _FEW and named[-1:] == [True] and not any(named[:-1])  # Her dog Rex.
    for token in told if len(told) > 1 else ():
        is_kind = (leads and token != told[-1]) or (token.word in kinds and token.raw.istitle())
        if person and token != told[-1]:
            needs[token] = Need.GIVEN
        elif is_kind and token.word not in words("names.telling"):
            needs[token] = Need.KIND
    counted = [token for token in told if token.word not in asked]  # How old: 12 years old.
    is_count = len(counted) == 2 and told[0].raw.isdigit() and not told[1].raw[0].isdigit()
    if is_count and told[1].word not in words("names.eras"):
        needs[told[1]] = Need.UNIT
    if len(told) == 3 and told[1].word in words("names.eras") and _YEAR.fullmatch(told[2].raw):
        needs[told[2]] = Need.ASKED  # Of a day; no other year may be said.
    must = [token for token in told if needs[token] is Need.MUST]
    for token in must:  # What he won, where it is asked what he did win.
        if token.raw.islower() and any(_is_form(token.word, word) for word in asked):
            asked |= {token.word}
    if any(t.word not in asked and (t.raw[0].isdigit() or len(t.raw) > 2) for t in must):
        needs |= {token: Need.ASKED for token in must if token.word in asked}
    if not must:
        needs |= dict.fromkeys(told, Need.MUST)
    named = [token.is_name for token in told if needs[token] > Need.KIND]
    is_free = all(named) or (len(named) <= _FEW and sum(named) < 2)
    return Form(said, tuple(needs.values()), person, is_free)


def _is_form(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return len(long) - len(short) <= len("ing") and same_word(word, other)


def _without_titles(told: list[Token]) -> list[Token]:
    """Return the words of a gold without titles before and legal forms behind a name."""
    addresses, behind = words("names.addresses"), words("names.behind") | _legal_forms()
    while len(told) > 1 and told[0].word in words("names.titles"):
        if len(told) == 2 and told[0].word not in addresses:
            break
        told = told[1:]
    while len(told) > 1 and told[-1].word in behind:
        told = told[:-1]
    return told[len(told) > 1 and told[0].word in words("names.kinds_of") :]


def _is_small(token: Token, text: str) -> bool:
    """Return whether a word of a gold carries nothing: ``in`` and ``her``, but no ``not``."""
    before_small = token.start == 0 and text[token.end + 1 : token.end + 2].islower()
    if not (token.raw.islower() or before_small) or text[token.end : token.end + 1] == "-":
        return False
    small = words("names.small", "names.about")
    is_small = is_function_word(token.word) or token.word in small
    return is_small and token.word not in words("names.telling")


def _is_person(told: Sequence[Token]) -> bool:
    """Say whether a name may be a person's: it says of no other kind of thing."""
    if len(told) < 2 or not all(token.raw[0].isupper() and token.raw.isalpha() for token in told):
        return False
    things = words("names.kinds", "names.things", "names.trade", "names.other_place")
    is_other = told[-1].word in things or told[0].word in things
    return not is_other and told[-1].raw not in entries("names.numerals") and len(told[-1].raw) > 1


def parts_of(gold: str) -> list[str]:
    """Return the parts of a gold that may be a list; none where it has one part, or is a place."""
    parts = [part.strip(_EDGES) for part in _LIST.split(plain(gold).replace("' '", "', '"))]
    parts = list(dict.fromkeys(part for part in parts if re.search(r"\w", part)))
    is_city = parts and not is_place(parts[0]) and all(map(is_place, parts[1:]))
    is_list = len(parts) > 1 and not is_city and min(map(len, parts)) > 2
    return parts if is_list else []


@lru_cache(maxsize=4096)
def wanted_tokens(name: str) -> tuple[Token, ...]:
    """Return the words of a name to look for: no articles, no preposition that opens it."""
    said = tokens(plain(name).strip())
    short = [token for token in said if not token.article]
    while len(short) > 1 and short[0].word in _PREPOSITIONS and short[0].raw.islower():
        short = short[1:]
    return tuple(short or said)


@lru_cache(maxsize=512)
def words_of(text: str) -> frozenset[str]:
    """Return the folded words of a text."""
    return frozenset(token.word for token in tokens(plain(text)))


@lru_cache(maxsize=512)
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text."""
    return frozenset(map(stem, words_of(text)))


def asks_origin(asked: frozenset[str]) -> bool:
    """Return whether a question of these words asks where somebody is from."""
    return bool(asked & words("names.origin")) and "language" not in asked


def is_place(name: str) -> bool:
    """Return whether a name is a country's or a state's."""
    return _key(name) in _places()


@cache
def adds_nothing(word: str) -> bool:
    """Return whether a word behind a name makes no other thing of it: a kind, a form, a country."""
    return word in words("names.kinds", "names.trade") | _legal_forms() or (word,) in _places()


def _key(name: str) -> tuple[str, ...]:
    return tuple(word for word in re.findall(r"\w+", fold(name)) if word != "the")


@cache
def _places() -> frozenset[tuple[str, ...]]:
    groups = (
        *names("countries"),
        *names("states"),
        entries("names.alike")[0].split("/"),
        entries("names.places"),
    )
    return frozenset(_key(name) for group in groups for name in group)


@cache
def _legal_forms() -> frozenset[str]:
    return words("names.legal") | {form for group in names("legal forms") for form in group}


@cache
def _alike() -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    groups = [*names("countries"), *(tuple(n.split("/")) for n in entries("names.alike"))]
    groups += names("synonyms")
    known: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for group in groups:
        for name in group:
            known.setdefault(_key(name), []).append(group)
    for country, *people in names("demonyms"):
        for group in known.get(_key(country), [])[:1]:
            for name in group:
                known.setdefault(_key(name), []).append(tuple(people))
            for name in people:  # From Norway, for Norwegian.
                known.setdefault(_key(name), []).append(group)
    return known
