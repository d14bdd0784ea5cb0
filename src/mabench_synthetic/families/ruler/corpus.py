"""The documents of a RULER row, written until the row has its length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from random import Random
from typing import NamedTuple

from mabench_synthetic.families.ruler.encyclopedia import (
    Article,
    Style,
    give_themes,
    in_articles,
    write_articles,
)
from mabench_synthetic.generator import RowSpec
from mabench_synthetic.language import rate_of, tokens_of
from mabench_synthetic.world import RELATIONS, Relation, World, build_world

KINDS = ("person", "city", "organisation", "work")
# Countries and games have no articles of their own, so their relations cannot be asked for.
ARTICLE_RELATIONS = tuple(relation for relation in RELATIONS if in_articles(relation))
_HEADER_TOKENS = 4.0
_FEWEST_PEOPLE = 14
# Those of whom a world has one for another: whoever is married to somebody is that one's spouse.
_MUTUAL = ("spouse", "twin")
# How often what something is related to has the same theme, as far as any such thing is left.
_OWN_THEME_SHARE = 0.85


class _Part(NamedTuple):
    """How rows of one part of RULER are made.

    Attributes:
        tokens_per_person: how long a row is for each person of its world.
        kind: of its texts, as ``rate_of`` takes it.
        style: how its articles are written.
    """

    tokens_per_person: float
    kind: str
    style: Style


_PARTS = {
    "qa1": _Part(440.0, "articles", Style(clauses=1, asides=(1, 2, 3, 4), parted=0.5)),
    "qa2": _Part(216.0, "titled articles", Style(clauses=2, asides=(0, 0, 1), parted=0.0)),
}


class Corpus(NamedTuple):
    """The texts of a row, their world, and the titles of their articles: by kind, and all.

    ``told`` has the clauses of each article, by its title and what they tell.
    """

    texts: list[str]
    world: World
    subjects: dict[str, tuple[str, ...]]
    titles: frozenset[str]
    told: Mapping[str, Mapping[str, str]]

    def clauses(self, *told: tuple[str, str]) -> tuple[str, ...]:
        """Return the clauses that tell something, such as ``date``, of subjects."""
        return tuple(dict.fromkeys(self.told[subject][what] for subject, what in told))


def write_corpus(rng: Random, spec: RowSpec, part: str) -> Corpus:
    """Write articles until the row has its length."""
    world = world_for(rng, spec, part)
    left = spec.tokens / rate_of(_PARTS[part].kind)
    texts: list[str] = []
    subjects: dict[str, list[str]] = {kind: [] for kind in KINDS}
    told: dict[str, Mapping[str, str]] = {}
    for article in write_articles(rng, world, _PARTS[part].style):
        written = article.paragraphs if part == "qa1" else _with_title(article)
        length = sum(tokens_of(text) + _HEADER_TOKENS for text in written)
        if texts and left < length / 2:
            break
        left -= length
        texts += written
        subjects[article.kind].append(article.title)
        told[article.title] = article.told
    rng.shuffle(texts)
    titles = frozenset(name for names in subjects.values() for name in names)
    by_kind = {kind: tuple(names) for kind, names in subjects.items()}
    return Corpus(texts, world, by_kind, titles, told)


def world_for(rng: Random, spec: RowSpec, part: str) -> World:
    """Make the world of a row, large enough for its articles."""
    people = max(_FEWEST_PEOPLE, round(1.1 * spec.tokens / _PARTS[part].tokens_per_person))
    world = build_world(rng, people, spec.knobs["likeness"])
    give_themes(rng, world)
    for relation in ARTICLE_RELATIONS:
        if relation.object in KINDS:
            _bring_together(rng, world, relation)
        if relation.name in _MUTUAL:
            _make_mutual(rng, world, relation)
    return world


def _bring_together(rng: Random, world: World, relation: Relation) -> None:
    """Let most subjects of a relation have an object of their own theme."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for name in world.entities[relation.object]:
        alike[world.state["theme", name]].append(name)
    for name in world.entities[relation.subject]:
        others = [other for other in alike[world.state["theme", name]] if other != name]
        if others and rng.random() < _OWN_THEME_SHARE:
            world.state[relation.name, name] = rng.choice(others)


def _make_mutual(rng: Random, world: World, relation: Relation) -> None:
    """Pair off the subjects of a relation; where their number is odd, one is left as it was."""
    names = rng.sample(world.entities[relation.subject], len(world.entities[relation.subject]))
    for one, other in zip(names[::2], names[1::2], strict=False):
        world.state[relation.name, one] = other
        world.state[relation.name, other] = one


def _with_title(article: Article) -> list[str]:
    title = article.title.removeprefix("the ")
    return [f"{title}\n{text}" for text in article.paragraphs]
