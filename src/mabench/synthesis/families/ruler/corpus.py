"""The documents of a RULER row, written until the row has its length."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from mabench.synthesis.families.ruler.encyclopedia import Article, in_articles, write_articles
from mabench.synthesis.generator import RowSpec
from mabench.synthesis.language.length import tokens_of
from mabench.synthesis.world.relations import RELATIONS
from mabench.synthesis.world.world import World, build_world

KINDS = ("person", "city", "organisation", "work")
# Countries and games have no articles of their own, so their relations cannot be asked for.
ARTICLE_RELATIONS = tuple(relation for relation in RELATIONS if in_articles(relation))
# Tokens of an article, and articles for each person of the world, measured on generated rows.
_ARTICLE_TOKENS = 115
_ARTICLES_PER_PERSON = 2.05
_HEADER_TOKENS = 4.0
_FEWEST_PEOPLE = 14
_RATES = {"qa1": 1.024, "qa2": 1.020}


class Corpus(NamedTuple):
    """The texts of a row, their world, and the titles of their articles: by kind, and all."""

    texts: list[str]
    world: World
    subjects: dict[str, tuple[str, ...]]
    titles: frozenset[str]


def write_corpus(rng: Random, spec: RowSpec, part: str) -> Corpus:
    """Write articles until the row has its length."""
    world = world_for(rng, spec)
    left = spec.tokens / _RATES[part]
    texts: list[str] = []
    subjects: dict[str, list[str]] = {kind: [] for kind in KINDS}
    clauses = 1 if part == "qa1" else int(spec.knobs["clauses"])
    for article in write_articles(rng, world, clauses):
        text = article.text if part == "qa1" else _with_title(article)
        left -= tokens_of(text) + _HEADER_TOKENS
        texts.append(text)
        subjects[article.kind].append(article.title)
        if left <= 0:
            break
    titles = frozenset(name for names in subjects.values() for name in names)
    return Corpus(texts, world, {kind: tuple(names) for kind, names in subjects.items()}, titles)


def world_for(rng: Random, spec: RowSpec) -> World:
    """Make the world of a row, large enough for its articles."""
    people = max(_FEWEST_PEOPLE, round(1.1 * spec.tokens / _ARTICLE_TOKENS / _ARTICLES_PER_PERSON))
    return build_world(rng, people, spec.knobs["likeness"])


def _with_title(article: Article) -> str:
    return f"{article.title.removeprefix('the ')}\n{article.text}"
