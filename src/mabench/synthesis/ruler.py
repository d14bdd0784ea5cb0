"""RULER rows: documents in which one fact, or two joined ones, answer each question.

``qa1`` documents are bare paragraphs and each question has three or four candidate answers;
``qa2`` documents start with a title and the questions join or compare two of them.
"""

from __future__ import annotations

from random import Random

from mabench.dataset.schema import RowContent
from mabench.synthesis.encyclopedia import Article, write_articles
from mabench.synthesis.english import long_date, month_first
from mabench.synthesis.relations import RELATIONS, Relation, chain_question
from mabench.synthesis.rows import Item, row_content
from mabench.synthesis.streams import stream
from mabench.synthesis.world import World, build_world

_QUESTIONS = 25
PEOPLE = 60
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
# Countries and games have no article of their own, so nothing can be asked about them alone.
_ARTICLE_RELATIONS = tuple(relation for relation in RELATIONS if relation.subject in _KINDS)


def make_rows(seed: int) -> list[RowContent]:
    """Return the row of single facts and the row of joined facts, over different worlds."""
    return [_single(stream(seed, "ruler", "qa1")), _joined(stream(seed, "ruler", "qa2"))]


def _single(rng: Random) -> RowContent:
    world = build_world(rng, PEOPLE)
    paragraphs = [article.text for article in write_articles(rng, world)]
    items: dict[str, Item] = {}
    while len(items) < _QUESTIONS:
        ask = rng.choice((_ask_relation, _ask_relation, _ask_date, _ask_population))
        item = ask(rng, world)
        items[item.question] = item
    return row_content("ruler_qa1_197K", _documents(paragraphs), list(items.values()))


def _joined(rng: Random) -> RowContent:
    world = build_world(rng, PEOPLE)
    articles = [_titled(article) for article in write_articles(rng, world)]
    items: dict[str, Item] = {}
    while len(items) < _QUESTIONS:
        ask = (_ask_two_hops, _ask_earlier, _ask_two_hops, _ask_same)[len(items) % 4]
        item = ask(rng, world)
        items[item.question] = item
    return row_content("ruler_qa2_421K", _documents(articles), list(items.values()))


def _documents(texts: list[str]) -> str:
    return "\n\n".join(f"Document {i}:\n{text}" for i, text in enumerate(texts, start=1))


def _titled(article: Article) -> str:
    return f"{article.title.removeprefix('the ')}\n{article.text}"


def _ask_relation(rng: Random, world: World) -> Item:
    relation = rng.choice(_ARTICLE_RELATIONS)
    subject = rng.choice(world.entities[relation.subject])
    gold = world.state[relation.name, subject]
    variants = {"city": f"the city of {gold}", "game": f"the game of {gold}"}
    return Item(
        rng.choice(relation.questions).format(s=subject),
        _candidates(rng, gold, variants.get(relation.object, gold)),
    )


def _ask_date(rng: Random, world: World) -> Item:
    kind = rng.choice(_KINDS)
    subject = rng.choice(world.entities[kind])
    day = world.dates[subject]
    question = rng.choice(_DATED[kind]).format(s=subject)
    return Item(question, _candidates(rng, long_date(day), month_first(day)))


def _ask_population(rng: Random, world: World) -> Item:
    city = rng.choice(world.entities["city"])
    number = f"{world.populations[city]:,}"
    question = rng.choice(_COUNTED).format(s=city)
    return Item(question, _candidates(rng, number, f"{number} inhabitants"))


def _candidates(rng: Random, gold: str, variant: str) -> tuple[str, ...]:
    """Return what three or four annotators wrote down; they often agree."""
    return (gold, *rng.choices((gold, variant), k=rng.choice((2, 3))))


def _ask_two_hops(rng: Random, world: World) -> Item:
    while True:
        first, second = rng.choice(_ARTICLE_RELATIONS), rng.choice(_ARTICLE_RELATIONS)
        if first.object != second.subject:
            continue
        subject = rng.choice(world.entities[first.subject])
        gold = world.follow(subject, (first, second))
        if gold != subject:
            return Item(chain_question(rng, subject, (first, second)), (gold,))


def _ask_earlier(rng: Random, world: World) -> Item:
    kind = rng.choice(_KINDS)
    a, b = rng.sample(world.entities[kind], 2)
    gold = min(a, b, key=world.dates.__getitem__)
    return Item(rng.choice(_EARLIER[kind]).format(a=a, b=b), (gold,))


def _ask_same(rng: Random, world: World) -> Item:
    relation: Relation = rng.choice([r for r in RELATIONS if r.name in _SAME])
    wanted = rng.choice((True, False))
    while True:
        a, b = rng.sample(world.entities[relation.subject], 2)
        if (world.state[relation.name, a] == world.state[relation.name, b]) is wanted:
            question = rng.choice(_SAME[relation.name]).format(a=a, b=b)
            return Item(question, ("yes" if wanted else "no",))
