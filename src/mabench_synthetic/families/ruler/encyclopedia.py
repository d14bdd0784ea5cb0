"""Writes the documents of a RULER row: encyclopedic articles about a world, to a length.

Each person, city, body and work has an article of a few sentences. Real articles differ in their
topics, and a search by meaning finds them by these. So each subject has a theme, shown by its
things. Asides fill the articles and mention others in passing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import timedelta
from random import Random
from typing import NamedTuple

from mabench_synthetic.generator import RowSpec
from mabench_synthetic.language import (
    long_date,
    phrases,
    rate_of,
    sentence,
    table,
    tokens_of,
    with_article,
)
from mabench_synthetic.world import RELATIONS, Relation, World, build_world

KINDS = ("person", "city", "organisation", "work")
# The things of each theme, all in the plural.
_THINGS = table("themes", "things")
_ASIDE_FORMS = ("{source} {verb} {matter}, {comment}", "{comment}, {source} {verb} {matter}")
# The parts vary independently, so few asides repeat. Matters that name others use words in which
# questions ask for something else, as any large collection of texts does.
_ASIDES = table("articles", "asides")
_NAMED_SHARE = 0.6
# The wordings of each sentence; the first one opens the article. Slots: name, short (how it is
# called later on), date, later (another day), trade, population, theme, things (that belong to
# the theme), and the name of any relation of the subject.
_SENTENCES = {kind: table("articles", f"sentences_{kind}") for kind in KINDS}
# What the subject is known for, told beside much else that a question may describe it by.
_FAMES = table("articles", "fames")
# How a second paragraph about a subject begins.
_MORE = phrases("articles", "more")
_SLOT = re.compile(r"\{(\w+)\}")
# The range of days after which a second event about a subject happens.
_LATER = 400, 15_000
_HEADER_TOKENS = 4.0
_FEWEST_PEOPLE = 14
# Those of whom a world has one for another: whoever is married to somebody is that one's spouse.
_MUTUAL = ("spouse", "twin")
# How often what something is related to has the same theme, as far as any such thing is left.
_OWN_THEME_SHARE = 0.85


def _in_articles(relation: Relation) -> bool:
    """Return whether articles say which object a subject has by a relation."""
    sentences = _SENTENCES.get(relation.subject, {})
    return any(f"{{{relation.name}}}" in text for texts in sentences.values() for text in texts)


# Countries and games have no articles of their own, so their relations cannot be asked for.
ARTICLE_RELATIONS = tuple(relation for relation in RELATIONS if _in_articles(relation))


class _Part(NamedTuple):
    """How rows of one part of RULER are made.

    Attributes:
        tokens_per_person: the length of a row for each person of its world.
        kind: the kind of its texts, for ``rate_of``.
        clauses: how many facts a sentence contains, after the first sentence of an article.
        asides: the possible numbers of asides in a paragraph.
        parted: the share of subjects with two paragraphs, in different places.
    """

    tokens_per_person: float
    kind: str
    clauses: int
    asides: tuple[int, ...]
    parted: float


_PARTS = {
    "qa1": _Part(440.0, "articles", clauses=1, asides=(1, 2, 3, 4), parted=0.5),
    "qa2": _Part(216.0, "titled articles", clauses=2, asides=(0, 0, 1), parted=0.0),
}


class Corpus(NamedTuple):
    """The texts of a row, their world, and the subjects with articles, by kind.

    ``told`` has the clauses of each article, by its subject and by what they say.
    """

    texts: list[str]
    world: World
    subjects: dict[str, list[str]]
    told: dict[str, dict[str, str]]

    def clauses(self, *told: tuple[str, str]) -> tuple[str, ...]:
        """Return the clauses that say something, such as ``date``, about subjects."""
        return tuple(dict.fromkeys(self.told[subject][what] for subject, what in told))


def write_corpus(rng: Random, spec: RowSpec, part: str) -> Corpus:
    """Write articles about subjects in random order, until the row has its length."""
    how, world = _PARTS[part], world_for(rng, spec, part)
    corpus = Corpus([], world, {kind: [] for kind in KINDS}, {})
    left = spec.tokens / rate_of(how.kind)
    subjects = [(kind, name) for kind in KINDS for name in world.entities[kind]]
    rng.shuffle(subjects)
    for kind, name in subjects:
        written, told = _paragraphs(rng, world, (kind, name), how)
        if part == "qa2":
            written = [f"{name.removeprefix('the ')}\n{text}" for text in written]
        length = sum(tokens_of(text) + _HEADER_TOKENS for text in written)
        if corpus.texts and left < length / 2:
            break
        left -= length
        corpus.texts.extend(written)
        corpus.subjects[kind].append(name)
        corpus.told[name] = told
    rng.shuffle(corpus.texts)
    return corpus


def world_for(rng: Random, spec: RowSpec, part: str) -> World:
    """Make the world of a row, large enough for its articles.

    A theme is chosen for each subject and stored like a relation.
    """
    people = max(_FEWEST_PEOPLE, round(1.1 * spec.tokens / _PARTS[part].tokens_per_person))
    world = build_world(rng, people, spec.knobs["likeness"])
    themes = tuple(_THINGS)
    for kind in KINDS:
        world.state.update({("theme", name): rng.choice(themes) for name in world.entities[kind]})
    for relation in ARTICLE_RELATIONS:
        if relation.object in KINDS:
            _bring_together(rng, world, relation)
        if relation.name in _MUTUAL:
            _make_mutual(rng, world, relation)
    return world


def _bring_together(rng: Random, world: World, relation: Relation) -> None:
    """Give most subjects of a relation an object of their own theme."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for name in world.entities[relation.object]:
        alike[world.state["theme", name]].append(name)
    for name in world.entities[relation.subject]:
        others = [other for other in alike[world.state["theme", name]] if other != name]
        if others and rng.random() < _OWN_THEME_SHARE:
            world.state[relation.name, name] = rng.choice(others)


def _make_mutual(rng: Random, world: World, relation: Relation) -> None:
    """Pair the subjects of a relation; if their number is odd, one stays as it was."""
    names = rng.sample(world.entities[relation.subject], len(world.entities[relation.subject]))
    for one, other in zip(names[::2], names[1::2], strict=False):
        world.state[relation.name, one] = other
        world.state[relation.name, other] = one


def _paragraphs(
    rng: Random, world: World, subject: tuple[str, str], how: _Part
) -> tuple[list[str], dict[str, str]]:
    """Return the paragraphs about a subject, and the clause that fills each slot."""
    kind, name = subject
    slots = slots_of(world, kind, name) | {
        "name": name,
        "short": name.split()[-1] if kind == "person" else name,
        "date": long_date(world.dates[name]),
        "later": long_date(world.dates[name] + timedelta(rng.randint(*_LATER))),
        "fame": world.fames[name],
        "population": f"{world.populations.get(name, 0):,}",
    }
    wordings = [rng.choice(wordings) for wordings in _SENTENCES[kind].values()]
    opening, *others = wordings
    others.append(rng.choice(_FAMES[kind]))
    rng.shuffle(others)
    parts = [(opening, others)]  # The opening of each paragraph, and its other wordings.
    if rng.random() < how.parted:
        middle = len(others) // 2
        parts = [(opening, others[:middle]), (rng.choice(_MORE), others[middle:])]
    paragraphs: list[str] = []
    clauses: dict[str, str] = {}  # By the wording.
    for first, following in parts:
        opened = first.format(**_with_a_thing(rng, world, slots))
        told = [_clause(wording, _with_a_thing(rng, world, slots)) for wording in following]
        paragraphs.append(_paragraph(rng, opened, told, world, how))
        clauses |= dict(zip([first, *following], [opened, *told], strict=True))
    return paragraphs, _clause_by_slot(clauses)


def _clause_by_slot(clauses: dict[str, str]) -> dict[str, str]:
    """Return the clause that fills each slot, from the clauses by their wordings.

    If several fill it, the first one counts; one that tells what somebody is known for, too, comes
    last.
    """
    with_fame = [wording for wording in clauses if "{fame}" in wording]
    without_fame = [wording for wording in clauses if "{fame}" not in wording]
    by_slot: dict[str, str] = {}
    for wording in reversed([*without_fame, *with_fame]):  # A later entry replaces an earlier one.
        for name in _SLOT.findall(wording):
            by_slot[name] = clauses[wording]
    return by_slot


def slots_of(world: World, kind: str, name: str) -> dict[str, str]:
    """Return what the slots in wordings about a subject stand for."""
    job = world.trades.get(name, "-")  # Only people have one.
    body = name.split()[-1].lower()  # As in "the Orvel Museum".
    objects = {r.name: world.state[r.name, name] for r in RELATIONS if r.subject == kind}
    return objects | {
        "theme": world.state["theme", name],
        "year": str(world.dates[name].year),
        "job": job,
        "trade": with_article(job),
        "body": body,
        "a_body": with_article(body),
    }


def _with_a_thing(rng: Random, world: World, slots: dict[str, str]) -> dict[str, str]:
    """Return the slots with things that belong to the subject's theme."""
    return slots | {"things": rng.choice(_THINGS[world.state["theme", slots["name"]]])}


def _paragraph(rng: Random, opening: str, told: list[str], world: World, how: _Part) -> str:
    """Return an opening and, in random order, facts and asides."""
    asides = [_aside(rng, world) for _ in range(rng.choice(how.asides))]
    clauses = rng.sample(told + asides, len(told + asides))
    groups = (clauses[i : i + how.clauses] for i in range(0, len(clauses), how.clauses))
    longer = (sentence("; ".join(group)) + "." for group in groups)
    return " ".join((sentence(opening), *longer))


def _aside(rng: Random, world: World) -> str:
    """Return a clause about which nothing is asked, one of over twenty thousand."""
    parts = {name: rng.choice(words) for name, words in _ASIDES.items()}
    day = rng.choice(tuple(world.dates.values()))
    parts["source"] = parts["source"].format(date=long_date(day), year=day.year)
    if rng.random() < _NAMED_SHARE:
        kinds = ("person", "city", "organisation")
        names = {kind: rng.choice(world.entities[kind]) for kind in kinds}
        parts["matter"] = parts["named"].format(**names)
    follows = parts["comment"].startswith(("and ", "which "))
    wording = _ASIDE_FORMS[0] if follows else rng.choice(_ASIDE_FORMS)
    return wording.format(**parts)


def _clause(wording: str, slots: dict[str, str]) -> str:
    """Return a wording as it reads within a sentence: without capital and full stop."""
    begins = wording if wording.startswith("{") else wording[0].lower() + wording[1:]
    return begins.removesuffix(".").format(**slots)
