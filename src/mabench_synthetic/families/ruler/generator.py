"""Makes rows of RULER: documents in which one fact, or two joined ones, answer each question.

Documents of ``qa1`` are bare paragraphs, and each question has three or four candidate answers.
Documents of ``qa2`` begin with a title, and questions join or compare two of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import NamedTuple

from mabench.data.schema import RowContent
from mabench_synthetic.families.ruler.encyclopedia import (
    ARTICLE_RELATIONS,
    KINDS,
    Corpus,
    write_corpus,
)
from mabench_synthetic.families.ruler.questions import (
    asked_in_words,
    attributes_of,
    joined_pairs,
    told,
)
from mabench_synthetic.generator import (
    Generator,
    Knob,
    QAPair,
    RowSpec,
    distinct,
    id_stem_of,
    random_stream,
    row_content,
)
from mabench_synthetic.language import month_first

# How often qa1 asks for each attribute of a subject; else it asks for a relation.
_ATTRIBUTE_SHARES = {"date": 0.15, "population": 0.1, "fame": 0.15}
_KNOBS = (
    Knob("likeness", 0.2, 0.0, 0.9, "share of the people who share a surname"),
    Knob("forms", 2, 1, 3, "least number of further surface forms of a gold of qa1"),
    Knob("paraphrase", 0.38, 0.0, 1.0, "share of the questions in words that no article has"),
    Knob("compared", 0.1, 0.0, 1.0, "share of the questions of qa2 that compare two things"),
)
_TRIES = 400


class _Asked(NamedTuple):
    """A question about one article.

    Attributes:
        question: the question.
        gold: its answer.
        variant: the answer in another form, or the same again.
        told: of whom the article tells what, such as ``date``.
    """

    question: str
    gold: str
    variant: str
    told: tuple[str, str]


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row of single facts (qa1) or joined facts (qa2), each over a world of its own.

    Raises:
        UsageError: when the row is too short for that many questions.
    """
    part = "qa1" if "qa1" in spec.source else "qa2"
    rng = random_stream(spec.seed, "ruler", part, spec.row)
    corpus = write_corpus(rng, spec, part)
    if part == "qa1":
        pairs = _single(rng, corpus, int(spec.knobs["forms"]), spec.knobs["paraphrase"])
    else:
        pairs = joined_pairs(rng, corpus, spec.knobs["paraphrase"], spec.knobs["compared"])
    chosen = distinct(islice(pairs, _TRIES * spec.questions), spec.questions)
    documents = (f"Document {i}:\n{text}" for i, text in enumerate(corpus.texts, start=1))
    return row_content(spec.source, "\n\n".join(documents), chosen, id_stem=id_stem_of(spec))


def _single(rng: Random, corpus: Corpus, forms: int, paraphrase: float) -> Iterator[QAPair]:
    """Yield questions about one article each; the share ``paraphrase`` uses other words than it."""
    names, shares = zip(*_ATTRIBUTE_SHARES.items(), strict=True)
    while True:
        (attribute,) = rng.choices((None, *names), (1 - sum(shares), *shares))
        apart = rng.random() < paraphrase
        if attribute:
            asked = _ask_attribute(rng, corpus, attribute, apart)
        else:
            asked = _ask_relation(rng, corpus, apart)
        if asked:
            golds = _candidates(rng, asked.gold, asked.variant, forms)
            yield QAPair(asked.question, golds, corpus.clauses(asked.told))


def _ask_relation(rng: Random, corpus: Corpus, apart: bool) -> _Asked:
    """Ask for the object of a relation; if ``apart``, in words that the article does not use."""
    relation = rng.choice([r for r in ARTICLE_RELATIONS if corpus.subjects[r.subject]])
    subject = rng.choice(corpus.subjects[relation.subject])
    gold = corpus.world.state[relation.name, subject]
    variants = {"city": f"the city of {gold}", "game": f"the game of {gold}"}
    question = asked_in_words(rng, relation.name, subject, apart=apart)
    return _Asked(question, gold, variants.get(relation.object, gold), (subject, relation.name))


def _ask_attribute(rng: Random, corpus: Corpus, attribute: str, apart: bool) -> _Asked | None:
    """Ask for an attribute; None if no article contains it."""
    kinds = [k for k in KINDS if attribute in attributes_of(k) and corpus.subjects[k]]
    if not kinds:
        return None
    kind = rng.choice(kinds)
    subject = rng.choice(corpus.subjects[kind])
    gold = told(corpus.world, subject, attribute)
    variants = {
        "date": month_first(corpus.world.dates[subject]),
        "population": f"{gold} inhabitants",
    }
    question = asked_in_words(rng, f"{kind} {attribute}", subject, apart=apart)
    return _Asked(question, gold, variants.get(attribute, gold), (subject, attribute))


def _candidates(rng: Random, gold: str, variant: str, forms: int) -> tuple[str, ...]:
    """Return the answers that three or four annotators might write; they often agree."""
    count = rng.choice((forms, forms + 1))
    return (gold, *rng.choices((gold, variant), k=count))


GENERATOR = Generator(family="ruler", make_row=_make_row, knobs=_KNOBS)
