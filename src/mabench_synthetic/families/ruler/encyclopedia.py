"""Encyclopedic articles about a world: a few sentences for each person, city, body and work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from random import Random
from typing import NamedTuple

from mabench_synthetic.families.ruler.asides import aside
from mabench_synthetic.families.ruler.themes import a_thing
from mabench_synthetic.language.english import long_date, sentence, with_article
from mabench_synthetic.language.wordings import table
from mabench_synthetic.world.relations import RELATIONS, Relation
from mabench_synthetic.world.world import World

# The wordings of each sentence; the first one opens the article. Slots: name, short (how it is
# called later on), date, later (another day), trade, population, theme, things (that belong to
# the theme), and the name of any relation of the subject.
_SENTENCES = {
    "person": table("""
birth: {name} is {trade} with a passion for {theme} who was born in {birthplace} on {date}. |
    Born in {birthplace} on {date}, {name} is best known as {trade} with a passion for {theme}. |
    {name}, {trade} with a passion for {theme}, was born on {date} in the city of {birthplace}. |
    Honoured with a medal on {later}, {name} is {trade} with a passion for {theme} who was born in
    {birthplace} on {date}.
teacher: The young {short} was taught all about {things} by {teacher}. |
    It was {teacher} who taught {short} to care for {things}. |
    Years of lessons with {teacher}, most of them on {things}, shaped all that {short} did later.
employer: Since then {short} has worked on {things} for {employer}. |
    A post at {employer} followed, where {things} had been neglected. |
    After a short time abroad {short} was hired by {employer} to see to {things}.
friend: Letters to {friend}, the closest of friends, are mostly about {things}. |
    The closest friend of {short} is {friend}, who has no time for {things}. |
    Critics note how often the name of {friend}, the closest friend, turns up in notes on {things}.
game: In spare hours {short} forgets {things} and plays {game}. |
    A keen player of {game}, {short} once staked a collection of {things} on a match. |
    Few know that {short} also plays {game}, and less well than {things} would make one think.
residence: {short} now lives in {residence}, in rooms full of drawings of {things}. |
    The household of {short} is in {residence}, where {things} are the talk of the street. |
    For some years {short} has made a home in {residence}, with room for {things}.
spouse: To the surprise of both families {short}, who spoke of {things} only, married {spouse}. |
    The marriage to {spouse} has lasted through many quarrels about {things}. |
    A long engagement ended when {short} and {spouse} were married among {things}.
"""),
    "city": table("""
founding: {name} is a city in {country} known for {theme}, founded on {date}. |
    The city of {name} in {country}, known for {theme}, was founded on {date} beside a ford. |
    Given its arms on {later}, the city of {name} in {country} was founded on {date} for its
    {things} and is known for {theme}.
population: At the last census it had {population} inhabitants, and more {things} than that. |
    The register lists {population} inhabitants, many of whom live by {things}.
mayor: The mayor is {mayor}, who was elected after a quarrel about {things}. |
    Its affairs are led by the mayor, {mayor}, who has promised more {things}.
twin: It is twinned with {twin}, and the two exchange {things} every year. |
    A sign at the station greets visitors from {twin}, the twin city, with a picture of {things}.
colour: Visitors praise the {things} and complain of the wind. |
    Two rivers meet below the old wall, and {things} are common in spring. |
    The {things} were meant for a fair and have never been replaced.
"""),
    "organisation": table("""
founding: {name}, which is devoted to {theme}, was founded on {date} by {founder}. |
    It was {founder} who founded {name} on {date}; it is devoted to {theme}. |
    Chartered on {later}, {name} is devoted to {theme} and was founded on {date} by {founder}.
seat: Its head office is in {seat}, across from a shop for {things}. |
    The headquarters stand in {seat}, behind a wall painted with {things}.
director: The present director is {director}, who has written on {things}. |
    Under {director}, the director, the accounts of the {things} were opened to the public.
parent: It is a branch of {parent}, which knows little of {things}. |
    {parent} has owned it since a lawsuit about {things}.
colour: A fire destroyed most of the early {things}. |
    Each autumn there is a week of {things} for schools. |
    Its emblem shows a heron over three {things}.
"""),
    "work": table("""
release: {name} is a novel about {theme} by {author} that came out on {date}. |
    The novel {name}, which is about {theme} and came out on {date}, was written by {author}. |
    Banned from schools on {later}, {name} is a novel about {theme} by {author} that came out on
    {date}.
publisher: It was published by {publisher}, with pictures of {things}. |
    The book was published by {publisher} after others had found too many {things} in it.
setting: The story takes place in {setting} among {things}. |
    It is set in {setting}, where {things} cost a man his life.
translator: The best known translation is by {translator}, who left out the {things}. |
    Abroad it is read in the version that {translator} translated, with notes on {things}.
colour: Reviewers disagreed about the {things}. | A stage version with real {things} failed. |
    The chapter on {things} is often printed on its own.
"""),
}


# What the subject is known for, told beside much else that a question may describe it by.
_FAMES = table("""
person: In {birthplace} the name of {name} stands for {fame}, which no other {job} had tried. |
    No {job} before {name} had cared for {fame}, least of all in {birthplace}.
city: Nobody who visits {name} in {country}, where {mayor} is the mayor, overlooks {fame}. |
    {country} boasts of {fame}, and {name} under its mayor {mayor} has most of them.
organisation: When {founder} founded {name} in {seat}, the statutes spoke of {fame} alone. |
    After {founder} had founded {name}, {fame} filled the yard in {seat}.
work: In the novel {name} the author, {author}, lets {fame} decide the lives of all. |
    Much of what {author}, the author, tells in the novel {name} turns on {fame}.
""")
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
    return slots | {"things": a_thing(rng, world, slots["name"])}


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
