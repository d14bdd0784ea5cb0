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
from mabench.synthesis.content import QAPair, distinct, row_content
from mabench.synthesis.families.ruler.encyclopedia import Article, in_articles, write_articles
from mabench.synthesis.generator import Generator, Knob, RowSpec, random_stream
from mabench.synthesis.language.english import long_date, month_first
from mabench.synthesis.language.length import tokens_of
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
# Countries and games have no articles of their own, so their relations cannot be asked for.
_ARTICLE_RELATIONS = tuple(relation for relation in RELATIONS if in_articles(relation))
_KNOBS = (
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


class _Corpus(NamedTuple):
    """The texts of a row, their world, and the titles of their articles: by kind, and all."""

    texts: list[str]
    world: World
    subjects: dict[str, tuple[str, ...]]
    titles: frozenset[str]


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row of single facts (qa1) or of joined facts (qa2), each over a world of its own.

    Raises:
        UsageError: when the row is too short for that many questions.
    """
    rng, part = _stream(spec)
    corpus = _write(rng, spec, part)
    forms = int(spec.knobs["forms"])
    pairs = _single(rng, corpus, forms) if part == "qa1" else _joined(rng, corpus)
    chosen = distinct(islice(pairs, _TRIES * spec.questions), spec.questions)
    documents = (f"Document {i}:\n{text}" for i, text in enumerate(corpus.texts, start=1))
    return row_content(spec.source, "\n\n".join(documents), chosen)


def world_of(spec: RowSpec) -> World:
    """Return the world that the row of a spec is about."""
    rng, _ = _stream(spec)
    return _world(rng, spec)


def _stream(spec: RowSpec) -> tuple[Random, str]:
    """Return the random numbers of a row, and which part of RULER it belongs to."""
    part = "qa1" if "qa1" in spec.source else "qa2"
    return random_stream(spec.seed, "ruler", part, spec.row), part


def _world(rng: Random, spec: RowSpec) -> World:
    people = max(_FEWEST_PEOPLE, round(1.1 * spec.tokens / _ARTICLE_TOKENS / _ARTICLES_PER_PERSON))
    return build_world(rng, people, spec.knobs["likeness"])


def _write(rng: Random, spec: RowSpec, part: str) -> _Corpus:
    """Write articles until the row has its length."""
    world = _world(rng, spec)
    left = spec.tokens / _RATES[part]
    texts: list[str] = []
    subjects: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for article in write_articles(rng, world):
        text = article.text if part == "qa1" else _with_title(article)
        left -= tokens_of(text) + _HEADER_TOKENS
        texts.append(text)
        subjects[article.kind].append(article.title)
        if left <= 0:
            break
    titles = frozenset(name for names in subjects.values() for name in names)
    return _Corpus(texts, world, {kind: tuple(names) for kind, names in subjects.items()}, titles)


def _single(rng: Random, corpus: _Corpus, forms: int) -> Iterator[QAPair]:
    while True:
        ask = rng.choice((_ask_relation, _ask_relation, _ask_date, _ask_population))
        question, gold, variant = ask(rng, corpus)
        yield QAPair(question, _candidates(rng, gold, variant, forms))


def _joined(rng: Random, corpus: _Corpus) -> Iterator[QAPair]:
    while True:
        for ask in (_ask_two_hops, _ask_earlier, _ask_two_hops, _ask_same):
            pair = ask(rng, corpus)
            if pair:
                yield pair


def _with_title(article: Article) -> str:
    return f"{article.title.removeprefix('the ')}\n{article.text}"


def _ask_relation(rng: Random, corpus: _Corpus) -> tuple[str, str, str]:
    relation = rng.choice([r for r in _ARTICLE_RELATIONS if corpus.subjects[r.subject]])
    subject = rng.choice(corpus.subjects[relation.subject])
    gold = corpus.world.state[relation.name, subject]
    variants = {"city": f"the city of {gold}", "game": f"the game of {gold}"}
    question = rng.choice(relation.questions).format(s=subject)
    return question, gold, variants.get(relation.object, gold)


def _ask_date(rng: Random, corpus: _Corpus) -> tuple[str, str, str]:
    kind = rng.choice([kind for kind in _KINDS if corpus.subjects[kind]])
    subject = rng.choice(corpus.subjects[kind])
    day = corpus.world.dates[subject]
    return rng.choice(_DATED[kind]).format(s=subject), long_date(day), month_first(day)


def _ask_population(rng: Random, corpus: _Corpus) -> tuple[str, str, str]:
    if not corpus.subjects["city"]:
        return _ask_date(rng, corpus)
    city = rng.choice(corpus.subjects["city"])
    number = f"{corpus.world.populations[city]:,}"
    return rng.choice(_COUNTED).format(s=city), number, f"{number} inhabitants"


def _candidates(rng: Random, gold: str, variant: str, forms: int) -> tuple[str, ...]:
    """Return what three or four annotators wrote down; they often agree."""
    return (gold, *rng.choices((gold, variant), k=rng.choice((forms, forms + 1))))


def _ask_two_hops(rng: Random, corpus: _Corpus) -> QAPair | None:
    """Ask what an article tells of something that another article names."""
    first, second = rng.choice(_JOINED_RELATIONS)
    if not corpus.subjects[first.subject]:
        return None
    subject = rng.choice(corpus.subjects[first.subject])
    middle = corpus.world.state[first.name, subject]
    gold = corpus.world.state[second.name, middle]
    if middle not in corpus.titles or gold == subject:
        return None
    return QAPair(chain_question(rng, subject, (first, second)), (gold,))


def _ask_earlier(rng: Random, corpus: _Corpus) -> QAPair | None:
    kind = rng.choice(_KINDS)
    if len(corpus.subjects[kind]) < 2:
        return None
    a, b = rng.sample(corpus.subjects[kind], 2)
    gold = min(a, b, key=corpus.world.dates.__getitem__)
    return QAPair(rng.choice(_EARLIER[kind]).format(a=a, b=b), (gold,))


def _ask_same(rng: Random, corpus: _Corpus) -> QAPair | None:
    """Ask whether two have the same object; yes is as likely as no."""
    relation: Relation = rng.choice([r for r in RELATIONS if r.name in _SAME])
    wanted = rng.random() < 0.5
    alike: dict[str, list[str]] = {}
    for name in corpus.subjects[relation.subject]:
        alike.setdefault(corpus.world.state[relation.name, name], []).append(name)
    groups = [names for names in alike.values() if len(names) > 1 or not wanted]
    if len(groups) < 2:
        return None
    one, other = rng.sample(groups, 2)
    a, b = rng.sample(one, 2) if wanted else (rng.choice(one), rng.choice(other))
    return QAPair(rng.choice(_SAME[relation.name]).format(a=a, b=b), ("yes" if wanted else "no",))


GENERATOR = Generator(family="ruler", make_row=_make_row, knobs=_KNOBS)
