"""RULER rows: documents in which one fact, or two joined ones, answer each question.

``qa1`` documents are bare paragraphs and each question has three or four candidate answers;
``qa2`` documents start with a title and the questions join or compare two of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from mabench.data.schema import RowContent
from mabench.synthesis.content import QAPair, distinct, row_content
from mabench.synthesis.families.ruler.corpus import (
    ARTICLE_RELATIONS,
    KINDS,
    Corpus,
    world_for,
    write_corpus,
)
from mabench.synthesis.families.ruler.joined import joined_pairs
from mabench.synthesis.generator import Generator, Knob, RowSpec, random_stream
from mabench.synthesis.language.english import long_date, month_first
from mabench.synthesis.world.world import World

_DATED = {
    "person": ("On which day was {s} born?", "What is the date of birth of {s}?"),
    "city": ("On which day was {s} founded?", "What is the founding date of the city of {s}?"),
    "organisation": ("When was {s} founded?", "On which day did {s} come into being?"),
    "work": ("On which day did {s} come out?", "When was {s} first sold?"),
}
_COUNTED = ("How many inhabitants does {s} have?", "How large is the population of {s}?")
_KNOBS = (
    Knob("likeness", 0.2, 0.0, 0.9, "share of the people who have somebody else's surname"),
    Knob("forms", 2, 1, 3, "surface forms beyond the first among the golds of qa1, at least"),
    Knob("clauses", 2, 1, 4, "how many things a sentence of qa2 tells"),
    Knob("paraphrase", 1.0, 0.0, 1.0, "share of the second hops of qa2 in other words"),
    Knob("compared", 0.08, 0.0, 1.0, "share of the questions of qa2 that compare two things"),
)
_TRIES = 400


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row of single facts (qa1) or of joined facts (qa2), each over a world of its own.

    Raises:
        UsageError: when the row is too short for that many questions.
    """
    rng, part = _stream(spec)
    corpus = write_corpus(rng, spec, part)
    if part == "qa1":
        pairs = _single(rng, corpus, int(spec.knobs["forms"]))
    else:
        pairs = joined_pairs(rng, corpus, spec.knobs["paraphrase"], spec.knobs["compared"])
    chosen = distinct(islice(pairs, _TRIES * spec.questions), spec.questions)
    documents = (f"Document {i}:\n{text}" for i, text in enumerate(corpus.texts, start=1))
    return row_content(spec.source, "\n\n".join(documents), chosen)


def world_of(spec: RowSpec) -> World:
    """Return the world that the row of a spec is about."""
    rng, _ = _stream(spec)
    return world_for(rng, spec)


def _stream(spec: RowSpec) -> tuple[Random, str]:
    """Return the random numbers of a row, and which part of RULER it belongs to."""
    part = "qa1" if "qa1" in spec.source else "qa2"
    return random_stream(spec.seed, "ruler", part, spec.row), part


def _single(rng: Random, corpus: Corpus, forms: int) -> Iterator[QAPair]:
    while True:
        ask = rng.choice((_ask_relation, _ask_relation, _ask_date, _ask_population))
        question, gold, variant = ask(rng, corpus)
        yield QAPair(question, _candidates(rng, gold, variant, forms))


def _ask_relation(rng: Random, corpus: Corpus) -> tuple[str, str, str]:
    relation = rng.choice([r for r in ARTICLE_RELATIONS if corpus.subjects[r.subject]])
    subject = rng.choice(corpus.subjects[relation.subject])
    gold = corpus.world.state[relation.name, subject]
    variants = {"city": f"the city of {gold}", "game": f"the game of {gold}"}
    question = rng.choice(relation.questions).format(s=subject)
    return question, gold, variants.get(relation.object, gold)


def _ask_date(rng: Random, corpus: Corpus) -> tuple[str, str, str]:
    kind = rng.choice([kind for kind in KINDS if corpus.subjects[kind]])
    subject = rng.choice(corpus.subjects[kind])
    day = corpus.world.dates[subject]
    return rng.choice(_DATED[kind]).format(s=subject), long_date(day), month_first(day)


def _ask_population(rng: Random, corpus: Corpus) -> tuple[str, str, str]:
    if not corpus.subjects["city"]:
        return _ask_date(rng, corpus)
    city = rng.choice(corpus.subjects["city"])
    number = f"{corpus.world.populations[city]:,}"
    return rng.choice(_COUNTED).format(s=city), number, f"{number} inhabitants"


def _candidates(rng: Random, gold: str, variant: str, forms: int) -> tuple[str, ...]:
    """Return what three or four annotators wrote down; they often agree."""
    return (gold, *rng.choices((gold, variant), k=rng.choice((forms, forms + 1))))


GENERATOR = Generator(family="ruler", make_row=_make_row, knobs=_KNOBS)
