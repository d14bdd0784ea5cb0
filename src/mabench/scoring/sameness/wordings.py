"""What a gold may be called: the words that say it, and those that say it with care.

The gold decides what may be left out or said otherwise: brackets, quotation marks, legal forms,
titles, kinds of thing, the country behind a city, given names, what the question says already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from mabench.scoring.lexicon import entries, names, pattern, words
from mabench.scoring.sameness.quantities import in_other_units
from mabench.scoring.tokens import Token, bare, plain, tokens
from mabench.scoring.words import fold
from mabench.text.stems import stem

_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_NUMERAL = re.compile(r"[A-Z]|[IVX]+")
_NICKNAME = re.compile(r"[\"'(]([A-Z][\w.-]*)[\"')]")
_LIST = re.compile(r"[,;\n]\s*(?:and\s+|or\s+)?|\s(?:and|but)\s")
_EDGES = " \t\"'.*_`()[]"
_PREPOSITIONS = frozenset({"in", "on", "at", "by", "from", "to", "of", "since", "for", "with"})
_PRONOUNS = frozenset({"who", "it", "that", "us", "them", "this"})
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi"})
_ERAS = frozenset({"bc", "bce", "ad", "ce"})


class NameForm(NamedTuple):
    """Words that say a gold: whether surely, with nothing else, with no other name beside them.

    Of a person, other given names may stand between them.
    """

    words: tuple[Token, ...]
    sure: bool = True
    alone: bool = False
    guarded: bool = False
    person: bool = False


@lru_cache(maxsize=2048)
def forms(gold: str, question: str) -> tuple[NameForm, ...]:
    """Return what says a gold; what the question says of it need not be said again."""
    asked = words_of(question)
    forms: dict[tuple[str, ...], NameForm] = {}
    for form in _all_forms(gold, asked):
        if form.words:
            forms.setdefault(tuple(token.word for token in form.words), form)
    return tuple(forms.values())


def _all_forms(gold: str, asked: frozenset[str]) -> Iterator[NameForm]:
    whole = wanted_tokens(_BRACKETS.sub(" ", gold))
    is_person = "," not in gold and not is_place(gold) and _is_person(whole)
    for wording in dict.fromkeys(_wordings(gold)):
        yield NameForm(wanted_tokens(wording), person=is_person)
    if is_person:
        yield from _of_person(gold, whole, asked)
    units = words("quantities.months") | _ERAS
    if len(whole) == 2 and whole[0].raw.isdigit() and whole[1].word not in units:
        yield NameForm(whole[:1], alone=True)
    generic = words("names.trade", "names.legal", "names.kinds") | _legal_forms()
    if len(whole) > 1 and whole[0].raw[0].isupper() and generic >= {t.word for t in whole[1:]}:
        yield NameForm(whole[:1], alone=True, guarded=True)
    left = [token for token in whole if token.word not in asked | words("names.small")]
    if len(left) < len(whole) and any(t.raw[0].isdigit() or len(t.raw) > 2 for t in left):
        first, last = whole.index(left[0]), whole.index(left[-1])
        yield NameForm(whole[first : last + 1], guarded=True)


def _wordings(gold: str) -> Iterator[str]:
    """Yield a gold, and it without what it need not say: notes, legal forms, kinds, places."""
    yield gold
    short = _BRACKETS.sub(" ", gold).strip()
    yield short
    short = re.sub(r"(?i)^(?:her|his|their|my|its) ", "", short)
    yield short
    exact = pattern(r"^(?:(?:%s)(?: |$)|(?:since|in|on|by|for) (?=\d))", "quantities.about").sub(
        "", short
    )
    yield exact
    yield from in_other_units(plain(exact))
    if pattern(r"\b(?:%s)\b", "quantities.relative").search(gold):  # Next month, July 2023.
        yield from (part for part in re.split(r"[(),]", gold) if re.search(r"\d{4}", part))
    if titled := re.fullmatch(r"(.+), (\w+) of (.+)", short):
        yield "{1} {0} of {2}".format(*titled.groups())
        yield "{0} of {2}".format(*titled.groups())
    head, comma, tail = short.partition(",")
    if comma and head.strip() and not is_place(head) and all(map(is_place, tail.split(","))):
        yield head
        short = head
    said = short.split()
    while len(said) > 1 and re.sub(r"[^a-z]", "", said[-1].casefold()) in _legal_forms():
        said = said[:-1]
        yield " ".join(said).rstrip(",")
    while len(said) > 1 and said[0].casefold().rstrip(".") in words("names.titles"):
        said = said[1:]
        if len(said) > 1 or short.casefold().startswith(("mr", "mrs", "ms", "dr", "miss", "sir")):
            yield " ".join(said)
    head, of, tail = " ".join(said).partition(" of ")
    if of and _key(head)[-1:] and _key(head)[-1] in words("names.kinds_of"):
        yield tail
    is_name = all(word[0].isupper() or word == "of" for word in said)
    if len(said) > 1 and is_name:  # University of Calcutta, Calcutta University
        yield f"{tail} {head}" if of else f"{said[-1]} of {' '.join(said[:-1])}"
    if len(said) > 1 and said[-1].casefold() in ("city", "state", "county", "language"):
        yield " ".join(said[:-1])
    for alike in _alike().get(_key(short), ()):
        yield from alike


def _is_person(whole: Sequence[Token]) -> bool:
    """Say whether a name may be a person's: it says of no other kind of thing."""
    named = all(token.raw[0].isupper() and token.raw.isalpha() for token in whole)
    if len(whole) < 2 or not named:
        return False
    things = _SUFFIXES | words("names.kinds", "names.things")
    # Richard I has no family name I.
    return whole[-1].word not in things and not _NUMERAL.fullmatch(whole[-1].raw)


def _of_person(gold: str, whole: Sequence[Token], asked: frozenset[str]) -> Iterator[NameForm]:
    """Yield other ways to name a person: initials, a nickname, the family name first or alone."""
    family = whole[-1].raw
    given = [token.raw for token in whole[:-1] if token.word not in words("names.titles")]
    nickname = _NICKNAME.search(bare(gold))
    short = [nickname[1]] if nickname else []
    for first in short + given[:1] * (len(given) > 1):
        yield NameForm(wanted_tokens(f"{first} {family}"), person=True, guarded=True)
    yield NameForm(wanted_tokens(f"{family}, {' '.join(given)}"), guarded=True)
    roles = words("names.person", "names.titles", "names.relatives")
    is_told = bool(asked & roles) and whole[-1].word not in asked
    yield NameForm((whole[-1],), sure=is_told, guarded=True)


def parts_of(gold: str) -> list[str]:
    """Return the parts of a gold that may be a list; none where it has one part, or is a place."""
    parts = [part.strip(_EDGES) for part in _LIST.split(plain(gold).replace("' '", "', '"))]
    parts = list(dict.fromkeys(part for part in parts if re.search(r"\w", part)))
    is_city = parts and not is_place(parts[0]) and all(map(is_place, parts[1:]))
    is_list = len(parts) > 1 and not is_city and min(map(len, parts)) > 2
    return parts if is_list else []


@lru_cache(maxsize=4096)
def wanted_tokens(name: str, initials: bool = True) -> tuple[Token, ...]:
    """Return the words of a name to look for: no articles, no preposition that opens it."""
    said = tokens(plain(name, initials).strip())
    short = [token for token in said if not token.article]
    while len(short) > 1 and short[0].word in _PREPOSITIONS and short[0].raw.islower():
        short = short[1:]
    if len(short) == 1 and len(said) > 1 and short[0].word in _PRONOUNS:
        return said  # The Who, not any who.
    return tuple(short or said)


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
    return _key(name) in _places()


@cache
def adds_nothing(word: str) -> bool:
    """Return whether a word behind a name makes no other thing of it: a kind, a form, a country."""
    return word in words("names.kinds") | _legal_forms() or (word,) in _places()


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
    people = [(country, other) for country, *others in names("demonyms") for other in others]
    known: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for group in (*names("countries"), *(tuple(n.split("/")) for n in entries("names.alike"))):
        for name in group:
            known.setdefault(_key(name), []).append(group)
    for country, other in people:
        for group in known.get(_key(country), [])[:1]:
            for name in group:
                known.setdefault(_key(name), []).append((other,))
    return known
