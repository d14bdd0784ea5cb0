"""RULER rows: documents in which one fact, or two joined ones, answer each question.

``qa1`` documents are bare paragraphs and each question has three or four candidate answers;
``qa2`` documents start with a title and the questions join or compare two of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import NamedTuple

from mabench.data.schema import RowContent
from mabench.synthesis.english import long_date, month_first
from mabench.synthesis.length import tokens_of
from mabench.synthesis.orders import Knob, Order
from mabench.synthesis.rows import Item, different, row_content
from mabench.synthesis.streams import stream
from mabench.synthesis.world.encyclopedia import Article, is_told, write_articles
from mabench.synthesis.world.relations import RELATIONS, Relation, chain_question
from mabench.synthesis.world.world import World, build_world

_DATED = {
    "person": ("On which day was {s} born?", "What is the date of birth of {s}?"),
    "city": ("On which day was {s} founded?", "What is the founding date of the city of {s}?"),
    "organisation": ("When was {s} founded?", "On which day did {s} come into being?"),
    "work": ("On which day did {s} come out?", "When was {s} first sold?"),
}
_COUNTED = ("How many inhabitants does {s} have?", "How large is the population of {s}?")
_EARLIER = {
    "person": ("Who was born first, {a} or {b}?", "Who is older, {a} or {b}?"),
    "city": ("Which city was founded first, {a} or {b}?", "Which city is older, {a} or {b}?"),
    "organisation": ("Which was founded first, {a} or {b}?", "Which is older, {a} or {b}?"),
    "work": ("Which came out first, {a} or {b}?", "Which of the two is older, {a} or {b}?"),
}
_SAME = {
    "birthplace": ("Were {a} and {b} born in the same city?", "Do {a} and {b} share a birthplace?"),
    "employer": ("Do {a} and {b} work for the same employer?", "Are {a} and {b} colleagues?"),
    "game": ("Do {a} and {b} play the same game?", "Is there one game that {a} and {b} both play?"),
    "country": ("Do {a} and {b} lie in the same country?", "Are {a} and {b} in one country?"),
}
_KINDS = ("person", "city", "organisation", "work")
# Only what the articles tell can be asked; countries and games have none of their own.
_ARTICLE_RELATIONS = tuple(relation for relation in RELATIONS if is_told(relation))


KNOBS = (
    Knob("likeness", 0.2, 0.0, 0.9, "share of the people who have somebody else's surname"),
    Knob("forms", 2, 1, 3, "surface forms beyond the first among the golds of qa1, at least"),
)
_JOINED_RELATIONS = tuple(
    (first, second)
    for first in _ARTICLE_RELATIONS
    for second in _ARTICLE_RELATIONS
    if first.object == second.subject
)
# Tokens of an article, and articles for each person of the world, measured on generated rows.
_ARTICLE_TOKENS = 115
_ARTICLES_PER_PERSON = 2.05
_HEADER_TOKENS = 4.0
_FEWEST_PEOPLE = 14
_TRIES = 400
_RATES = {"qa1": 1.024, "qa2": 1.020}


class Told(NamedTuple):
    """A world, and those of its entities that an article tells of."""

    world: World
    subjects: dict[str, tuple[str, ...]]
    known: frozenset[str]


def make_row(order: Order) -> RowContent:
    """Make a row of single facts (qa1) or of joined facts (qa2), each over a world of its own.

    Raises:
        UsageError: when so short a row does not hold that many questions.
    """
    part = "qa1" if "qa1" in order.source else "qa2"
    rng = stream(order.seed, "ruler", part, order.row)
    texts, told = _write(rng, order, part)
    asked = _single(rng, told, int(order.knobs["forms"])) if part == "qa1" else _joined(rng, told)
    items = different(islice(asked, _TRIES * order.questions), order.questions)
    return row_content(order.source, _documents(texts), items)


def world_of(order: Order) -> World:
    """Return the world that the row of an order is about."""
    part = "qa1" if "qa1" in order.source else "qa2"
    return _world(stream(order.seed, "ruler", part, order.row), order)


def _world(rng: Random, order: Order) -> World:
    people = max(_FEWEST_PEOPLE, round(1.1 * order.tokens / _ARTICLE_TOKENS / _ARTICLES_PER_PERSON))
    return build_world(rng, people, order.knobs["likeness"])


def _write(rng: Random, order: Order, part: str) -> tuple[list[str], Told]:
    """Write articles until the row has its length."""
    world = _world(rng, order)
    left = order.tokens / _RATES[part]
    texts: list[str] = []
    subjects: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for article in write_articles(rng, world):
        text = article.text if part == "qa1" else _titled(article)
        left -= tokens_of(text) + _HEADER_TOKENS
        texts.append(text)
        subjects[article.kind].append(article.title)
        if left <= 0:
            break
    known = frozenset(name for names in subjects.values() for name in names)
    return texts, Told(world, {kind: tuple(names) for kind, names in subjects.items()}, known)


def _single(rng: Random, told: Told, forms: int) -> Iterator[Item]:
    while True:
        ask = rng.choice((_ask_relation, _ask_relation, _ask_date, _ask_population))
        question, gold, variant = ask(rng, told)
        yield Item(question, _candidates(rng, gold, variant, forms))


def _joined(rng: Random, told: Told) -> Iterator[Item]:
    while True:
        for ask in (_ask_two_hops, _ask_earlier, _ask_two_hops, _ask_same):
            item = ask(rng, told)
            if item:
                yield item


def _documents(texts: list[str]) -> str:
    return "\n\n".join(f"Document {i}:\n{text}" for i, text in enumerate(texts, start=1))


def _titled(article: Article) -> str:
    return f"{article.title.removeprefix('the ')}\n{article.text}"


def _ask_relation(rng: Random, told: Told) -> tuple[str, str, str]:
    relation = rng.choice([r for r in _ARTICLE_RELATIONS if told.subjects[r.subject]])
    subject = rng.choice(told.subjects[relation.subject])
    gold = told.world.state[relation.name, subject]
    variants = {"city": f"the city of {gold}", "game": f"the game of {gold}"}
    question = rng.choice(relation.questions).format(s=subject)
    return question, gold, variants.get(relation.object, gold)


def _ask_date(rng: Random, told: Told) -> tuple[str, str, str]:
    kind = rng.choice([kind for kind in _KINDS if told.subjects[kind]])
    subject = rng.choice(told.subjects[kind])
    day = told.world.dates[subject]
    return rng.choice(_DATED[kind]).format(s=subject), long_date(day), month_first(day)


def _ask_population(rng: Random, told: Told) -> tuple[str, str, str]:
    if not told.subjects["city"]:
        return _ask_date(rng, told)
    city = rng.choice(told.subjects["city"])
    number = f"{told.world.populations[city]:,}"
    return rng.choice(_COUNTED).format(s=city), number, f"{number} inhabitants"


def _candidates(rng: Random, gold: str, variant: str, forms: int) -> tuple[str, ...]:
    """Return what three or four annotators wrote down; they often agree."""
    return (gold, *rng.choices((gold, variant), k=rng.choice((forms, forms + 1))))


def _ask_two_hops(rng: Random, told: Told) -> Item | None:
    """Ask what an article tells of something that another article names."""
    first, second = rng.choice(_JOINED_RELATIONS)
    if not told.subjects[first.subject]:
        return None
    subject = rng.choice(told.subjects[first.subject])
    middle = told.world.state[first.name, subject]
    gold = told.world.state[second.name, middle]
    if middle not in told.known or gold == subject:
        return None
    return Item(chain_question(rng, subject, (first, second)), (gold,))


def _ask_earlier(rng: Random, told: Told) -> Item | None:
    kind = rng.choice(_KINDS)
    if len(told.subjects[kind]) < 2:
        return None
    a, b = rng.sample(told.subjects[kind], 2)
    gold = min(a, b, key=told.world.dates.__getitem__)
    return Item(rng.choice(_EARLIER[kind]).format(a=a, b=b), (gold,))


def _ask_same(rng: Random, told: Told) -> Item | None:
    """Ask whether two have the same object; yes is as likely as no."""
    relation: Relation = rng.choice([r for r in RELATIONS if r.name in _SAME])
    wanted = rng.random() < 0.5
    alike: dict[str, list[str]] = {}
    for name in told.subjects[relation.subject]:
        alike.setdefault(told.world.state[relation.name, name], []).append(name)
    groups = [names for names in alike.values() if len(names) > 1 or not wanted]
    if len(groups) < 2:
        return None
    one, other = rng.sample(groups, 2)
    a, b = rng.sample(one, 2) if wanted else (rng.choice(one), rng.choice(other))
    return Item(rng.choice(_SAME[relation.name]).format(a=a, b=b), ("yes" if wanted else "no",))
