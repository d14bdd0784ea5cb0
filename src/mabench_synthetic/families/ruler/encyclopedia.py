"""Encyclopedic articles about a world: a few sentences for each person, city, body and work.

Real articles differ in what they are about, and a search by meaning finds them by it. So each
subject has a theme, told by its things; asides fill articles and name others in passing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from random import Random
from typing import NamedTuple

from mabench_synthetic.language import long_date, sentence, table, with_article
from mabench_synthetic.world import RELATIONS, Relation, World

# The things of each theme, all in the plural.
_THINGS = table("themes", "things")
_NAMES = tuple(_THINGS)


def give_themes(rng: Random, world: World) -> None:
    """Draw a theme for each person, city, organisation and work, kept like a relation."""
    for kind in ("person", "city", "organisation", "work"):
        for name in world.entities[kind]:
            world.state["theme", name] = rng.choice(_NAMES)


def _a_thing(rng: Random, world: World, name: str) -> str:
    """Return a kind of things that belongs to the theme of a subject, in the plural."""
    return rng.choice(_THINGS[world.state["theme", name]])


_WORDINGS = ("{source} {verb} {matter}, {comment}", "{comment}, {source} {verb} {matter}")
# The parts vary independently, so few asides repeat. Matters that name others use words in which
# questions ask for something else, as any large collection of texts does.
_PARTS = table("articles", "asides")
_NAMED_SHARE = 0.6


def aside(rng: Random, world: World) -> str:
    """Return a clause of which nothing is asked, one of more than twenty thousand."""
    parts = {name: rng.choice(words) for name, words in _PARTS.items()}
    day = rng.choice(tuple(world.dates.values()))
    parts["source"] = parts["source"].format(date=long_date(day), year=day.year)
    if rng.random() < _NAMED_SHARE:
        kinds = ("person", "city", "organisation")
        names = {kind: rng.choice(world.entities[kind]) for kind in kinds}
        parts["matter"] = parts["named"].format(**names)
    follows = parts["comment"].startswith(("and ", "which "))
    wording = _WORDINGS[0] if follows else rng.choice(_WORDINGS)
    return wording.format(**parts)


# The wordings of each sentence; the first one opens the article. Slots: name, short (how it is
# called later on), date, later (another day), trade, population, theme, things (that belong to
# the theme), and the name of any relation of the subject.
_SENTENCES = {
    "person": table("articles", "sentences_person"),
    "city": table("articles", "sentences_city"),
    "organisation": table("articles", "sentences_organisation"),
    "work": table("articles", "sentences_work"),
}


# What the subject is known for, told beside much else that a question may describe it by.
_FAMES = table("articles", "fames")
_SLOT = re.compile(r"\{(\w+)\}")
_LATER = 400, 15_000  # Days after which something else is told of a subject.
# How a second paragraph about a subject begins.
_MORE = (
    "There is more to tell of {name}.",
    "Of {name} much else is known.",
    "Not all about {name} is so well known.",
)


class Style(NamedTuple):
    """How articles are written.

    Attributes:
        clauses: how many things a sentence tells, after the first sentence.
        asides: how many asides a paragraph has, one number of these.
        parted: the share of the subjects that have two paragraphs, in places of their own.
    """

    clauses: int
    asides: tuple[int, ...]
    parted: float


class Article(NamedTuple):
    """An article: what it is about, of which kind that is, and its paragraphs.

    ``told`` has the clause that tells what fills each slot.
    """

    title: str
    kind: str
    paragraphs: tuple[str, ...]
    told: Mapping[str, str]


def write_articles(rng: Random, world: World, style: Style) -> Iterator[Article]:
    """Yield one article for each person, city, organisation and work, in random order."""
    subjects = [(kind, name) for kind in _SENTENCES for name in world.entities[kind]]
    rng.shuffle(subjects)
    for kind, name in subjects:
        yield Article(name, kind, *_paragraphs(rng, world, (kind, name), style))


def in_articles(relation: Relation) -> bool:
    """Whether the articles say which object a subject has by a relation."""
    sentences = _SENTENCES.get(relation.subject, {})
    return any(f"{{{relation.name}}}" in text for texts in sentences.values() for text in texts)


def _paragraphs(
    rng: Random, world: World, subject: tuple[str, str], style: Style
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the paragraphs about a subject, and in which clause each slot is told."""
    slots = _slots(rng, world, subject)
    wordings = [rng.choice(wordings) for wordings in _SENTENCES[subject[0]].values()]
    openings, told = wordings[:1], [*wordings[1:], rng.choice(_FAMES[subject[0]])]
    rng.shuffle(told)
    parts = [told]
    if rng.random() < style.parted:
        openings.append(rng.choice(_MORE))
        middle = len(told) // 2
        parts = [told[:middle], told[middle:]]
    paragraphs: list[str] = []
    clauses: dict[str, str] = {}
    for opening, part in zip(openings, parts, strict=True):
        opened = opening.format(**_with_a_thing(rng, world, slots))
        told_here = [_clause(wording, _with_a_thing(rng, world, slots)) for wording in part]
        paragraphs.append(_paragraph(rng, opened, told_here, world, style))
        clauses |= dict(zip([opening, *part], [opened, *told_here], strict=True))
    # What somebody is known for is told beside what other clauses tell, which come first.
    ordered = sorted(clauses, key=lambda wording: "{fame}" in wording)
    told_in = {name: clauses[w] for w in reversed(ordered) for name in _SLOT.findall(w)}
    return tuple(paragraphs), told_in


def _slots(rng: Random, world: World, subject: tuple[str, str]) -> dict[str, str]:
    """Return what the slots of the sentences about a subject stand for."""
    kind, name = subject
    slots = {r.name: world.state[r.name, name] for r in RELATIONS if r.subject == kind}
    return slots | {
        "name": name,
        "short": name.split()[-1] if kind == "person" else name,
        "date": long_date(world.dates[name]),
        "later": long_date(world.dates[name] + timedelta(rng.randint(*_LATER))),
        "fame": world.fames[name],
        "theme": world.state["theme", name],
        "job": world.trades.get(name, "-"),
        "trade": with_article(world.trades.get(name, "-")),
        "population": f"{world.populations.get(name, 0):,}",
    }


def _with_a_thing(rng: Random, world: World, slots: dict[str, str]) -> dict[str, str]:
    return slots | {"things": _a_thing(rng, world, slots["name"])}


def _paragraph(rng: Random, opening: str, told: list[str], world: World, style: Style) -> str:
    """Return the opening and, in any order, what is told and some asides."""
    asides = [aside(rng, world) for _ in range(rng.choice(style.asides))]
    clauses = rng.sample(told + asides, len(told + asides))
    groups = (clauses[i : i + style.clauses] for i in range(0, len(clauses), style.clauses))
    longer = (sentence("; ".join(group)) + "." for group in groups)
    return " ".join((sentence(opening), *longer))


def _clause(wording: str, slots: dict[str, str]) -> str:
    """Return what a wording says as it reads within a sentence: without capital and full stop."""
    begins = wording if wording.startswith("{") else wording[0].lower() + wording[1:]
    return begins.removesuffix(".").format(**slots)
