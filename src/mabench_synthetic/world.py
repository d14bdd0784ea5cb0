"""A small invented world: its relations with their wordings, and its entities.

The state of the world is what is true. The families write texts about it, and take their golds from
it and never from the text. Every relation is functional: a subject has one object at a time. A
wording contains ``{s}`` for the subject and, in statements, ``{o}`` for the object. A phrase stands
for the object and can replace a subject, which makes questions over several relations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from random import Random
from typing import NamedTuple

from mabench.text.names import NameInventor
from mabench_synthetic.language import phrases, table, words

_WORD = re.compile(r"[a-z]{3,}")
_COMMON = frozenset(words("world", "common"))
_DOUBLED = re.compile(r"\b([a-z]{2,}?)s? \1\b")


class Relation(NamedTuple):
    """A relation between two kinds of entities, with its wordings."""

    name: str
    subject: str
    object: str
    statements: tuple[str, ...]
    questions: tuple[str, ...]
    phrases: tuple[str, ...]  # One that can be within itself ends with its slot.


# Under the name and the two kinds: statements, which end with a full stop, questions and phrases.
_WORDINGS = table("relations", "relations")


def _relation(kinds: str, wordings: Sequence[str]) -> Relation:
    """Return a relation from an entry: ``kinds`` has its name and the kinds of its two ends."""
    statements = tuple(text for text in wordings if text.endswith("."))
    questions = tuple(text for text in wordings if text.endswith("?"))
    phrases = tuple(text for text in wordings if not text.endswith((".", "?")))
    name, subject, object_ = kinds.split()
    return Relation(name, subject, object_, statements, questions, phrases)


RELATIONS = tuple(_relation(kinds, wordings) for kinds, wordings in _WORDINGS.items())


# Which of the wordings of a question or a phrase may be used.
Choice = Callable[[Relation, Sequence[str]], Sequence[str]]


def chain_question(
    rng: Random, subject: str, path: Sequence[Relation], choice: Choice = lambda _, every: every
) -> str:
    """Return a question for what is reached from ``subject`` along ``path``."""
    last = path[-1]
    asked_of = chain_phrase(rng, subject, path[:-1], choice)
    return _worded(rng, choice(last, last.questions), last.questions, asked_of)


def chain_phrase(
    rng: Random, subject: str, path: Sequence[Relation], choice: Choice = lambda _, every: every
) -> str:
    """Return a phrase for what is reached from ``subject`` along ``path``."""
    for relation in path:
        allowed = choice(relation, relation.phrases)
        subject = _worded(rng, allowed, relation.phrases, subject)
    return subject


def shared_words(one: str, other: str) -> int:
    """Return how many content words two wordings share; ``works`` and ``work`` are the same."""
    return len(_telling(one) & _telling(other))


@cache
def _telling(wording: str) -> frozenset[str]:
    """Return the first letters of the content words of a wording, without a plural ending."""
    return frozenset(
        word.rstrip("s")[:5] for word in _WORD.findall(wording.lower()) if word not in _COMMON
    )


def _worded(rng: Random, allowed: Sequence[str], every: Sequence[str], subject: str) -> str:
    """Return one of the allowed wordings, filled in; any, if they repeat a verb (``live lives``).

    An allowed one is returned, too, if every wording repeats one.
    """
    texts = [wording.format(s=subject) for wording in allowed]
    without_repetition = [text for text in texts if not _DOUBLED.search(text)]
    if without_repetition:
        return rng.choice(without_repetition)
    others = [wording.format(s=subject) for wording in every]
    others_without_repetition = [text for text in others if not _DOUBLED.search(text)]
    return rng.choice(others_without_repetition or texts)


_FIRST_DAY = date(1780, 1, 1)
_DAYS = 73_000
_CITIES_PER_COUNTRY = 3
# With this many names of a kind in use, every second person is given one of them.
_NAMES_IN_USE = 150
_TRADES = words("world", "trades")
_BODIES = words("world", "bodies")
_MADE = words("world", "made")
_THINGS = words("world", "things")
_TITLES = phrases("world", "titles")


@dataclass(frozen=True)
class World:
    """Entities by kind, the object of each relation and subject, and what can be counted.

    Attributes:
        entities: the names of each kind, such as ``person`` or ``city``.
        state: what is true now, as ``(relation name, subject) -> object``.
        dates: the day a person was born, or an organisation, city or work began.
        trades: what each person does for a living.
        populations: the inhabitants of each city.
        fames: what each person, city, organisation and work is known for.
    """

    entities: dict[str, tuple[str, ...]]
    state: dict[tuple[str, str], str]
    dates: dict[str, date]
    trades: dict[str, str]
    populations: dict[str, int]
    fames: dict[str, str]


def build_world(rng: Random, people: int, likeness: float = 0.2) -> World:
    """Make a world of about ``people`` people, and everything else in proportion.

    The share ``likeness`` of the people has the surname of an earlier one; in a large world, names
    recur anyway. Capitals are in their countries.
    """
    countries = max(4, people // 12)
    counts = {
        "person": people, "city": _CITIES_PER_COUNTRY * countries, "country": countries,
        "continent": 4,
        "organisation": max(4, people // 3), "work": people // 2, "game": max(8, people // 20),
        "language": countries,
    }  # fmt: skip
    entities = name_entities(rng, counts, likeness)
    dated = [name for kind in ("person", "city", "organisation", "work") for name in entities[kind]]
    return World(
        entities=entities,
        state=dict(_relate(rng, entities)),
        dates={name: _FIRST_DAY + timedelta(rng.randrange(_DAYS)) for name in dated},
        trades={name: rng.choice(_TRADES) for name in entities["person"]},
        populations={name: rng.randrange(2_000, 900_000) for name in entities["city"]},
        fames={name: f"{rng.choice(_MADE)} {rng.choice(_THINGS)}" for name in dated},
    )


def name_entities(
    rng: Random, counts: Mapping[str, int], likeness: float = 0.2
) -> dict[str, tuple[str, ...]]:
    """Invent names for that many entities of each kind, all different."""
    names = NameInventor(rng)
    invent: dict[str, Callable[[], str]] = {
        "city": names.word,
        "country": lambda: names.word(rng.choice(("ia", "land", "or"))),
        "continent": lambda: names.word("a"),
        "organisation": lambda: f"the {names.word()} {rng.choice(_BODIES)}",
        "work": lambda: rng.choice(_TITLES).format(names.word()),
        "game": lambda: names.word("o"),
        "language": lambda: names.word("ic"),
    }
    people = tuple(_people(names, rng, counts["person"], likeness))
    others = {kind: tuple(new() for _ in range(counts[kind])) for kind, new in invent.items()}
    return {"person": people, **others}


def _people(names: NameInventor, rng: Random, count: int, likeness: float) -> Iterator[str]:
    """Yield full names, all different; in a large world, first names and surnames recur."""
    firsts: list[str] = []
    surnames: list[str] = []
    people: set[str] = set()
    while len(people) < count:
        if surnames and rng.random() < likeness:
            surname = rng.choice(surnames)
        else:
            surname = _reused_or_new(rng, surnames, names.word)
        person = f"{_reused_or_new(rng, firsts, names.first)} {surname}"
        if person not in people:
            people.add(person)
            yield person


def _reused_or_new(rng: Random, names: list[str], invent: Callable[[], str]) -> str:
    """Return a used name, more often the more there are, or a new one."""
    if rng.random() < len(names) / (len(names) + _NAMES_IN_USE):
        return rng.choice(names)
    names.append(invent())
    return names[-1]


def _relate(
    rng: Random, entities: dict[str, tuple[str, ...]]
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the object of each subject in each relation."""
    for relation in RELATIONS:
        for subject in entities[relation.subject]:
            name = subject
            while name == subject:
                name = rng.choice(entities[relation.object])
            yield (relation.name, subject), name
    # Each country has as many cities, the first of which is its capital.
    for i, country in enumerate(entities["country"]):
        start = i * _CITIES_PER_COUNTRY
        cities = entities["city"][start : start + _CITIES_PER_COUNTRY]
        for city in cities:
            yield ("country", city), country
        yield ("capital", country), cities[0]
