"""Makes questions about what one article says or two say together, in its words or in others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from mabench_synthetic.families.ruler.encyclopedia import ARTICLE_RELATIONS, KINDS, Corpus, slots_of
from mabench_synthetic.generator import QAPair
from mabench_synthetic.language import long_date, table
from mabench_synthetic.world import RELATIONS, Relation, World, chain_phrase, chain_question

# Relations in words that no article has.
_RELATIONS_APART = table("articles", "relations_apart")
# What stands for the object of a relation in such words.
_PHRASES_APART = table("articles", "phrases_apart")
# What an article tells beside relations, by the kind of its subject: in its words, and in others.
_ATTRIBUTES = table("articles", "attributes")
_ATTRIBUTES_APART = table("articles", "attributes_apart")


def asked_in_words(rng: Random, what: str, subject: str, *, apart: bool) -> str:
    """Return a question for a relation or an attribute such as ``city date``.

    If ``apart``, it uses words that the article does not use.
    """
    if apart:
        return rng.choice((_RELATIONS_APART | _ATTRIBUTES_APART)[what]).format(s=subject)
    if what in _ATTRIBUTES:
        return rng.choice(_ATTRIBUTES[what]).format(s=subject)
    (relation,) = (relation for relation in ARTICLE_RELATIONS if relation.name == what)
    return chain_question(rng, subject, (relation,))


def attributes_of(kind: str) -> list[str]:
    """Return the attributes that articles give for a kind, such as ``date``."""
    return [what.split()[1] for what in _ATTRIBUTES if what.split()[0] == kind]


def told(world: World, name: str, attribute: str) -> str:
    """Return an attribute of a subject as its article words it."""
    if attribute == "date":
        return long_date(world.dates[name])
    if attribute == "population":
        return f"{world.populations[name]:,}"
    return {"trade": world.trades, "fame": world.fames}[attribute][name]


# Descriptions that may take the place of a name where they fit one thing alone. Slots: relations
# and the theme of the thing, its job, what sort of body it is, and the year in which it began.
_DEFINITE = table("articles", "definite")
# What may be said in passing of a thing that is named otherwise; it may fit others, too.
_IN_PASSING = table("articles", "in_passing")
# The slots that would tell what is asked for, or half of it, where these are not the same.
_TELLING = {"date": ("year",), "trade": ("job", "trade")}


# After this many draws without a new question, a short row has none left.
_MISSES = 2_000
_EARLIER = table("articles", "earlier")
_SAME = table("articles", "same")
# What something is known for, described by two relations that its articles tell of: in the words
# of the articles, and in others.
_DESCRIBED = table("articles", "described")
_DESCRIBED_APART = table("articles", "described_apart")
_DESCRIBED_SHARE, _ATTRIBUTE_SHARE = 0.05, 0.2
# How often the thing that leads to another is described, and how often the other is besides.
_UNNAMED_SHARE, _IN_PASSING_SHARE = 0.35, 0.9
_EARLIER_SHARE = 0.5
_JOINED_RELATIONS = tuple(
    (first, second)
    for first in ARTICLE_RELATIONS
    for second in ARTICLE_RELATIONS
    if first.object == second.subject
)


def joined_pairs(
    rng: Random, corpus: Corpus, paraphrase: float, compared: float
) -> Iterator[QAPair]:
    """Yield questions as long as any are found; the share ``compared`` compares two things.

    In the share ``paraphrase`` of the others, one hop is in words that its article does not use. In
    a third of them, the subject of the first article is described by what that article says and not
    named. Most say something in passing about the thing that it names, which the second article
    says.
    """
    while True:
        ask = _kind_of_question(rng, compared)
        draws = (ask(rng, corpus, paraphrase) for _ in range(_MISSES))
        pair = next((pair for pair in draws if pair), None)
        if pair is None:
            return
        yield pair


def _kind_of_question(
    rng: Random, compared: float
) -> Callable[[Random, Corpus, float], QAPair | None]:
    """Return what draws a question of a random kind; it returns None for a draw in vain."""
    if rng.random() < compared:
        return _ask_earlier if rng.random() < _EARLIER_SHARE else _ask_same
    if rng.random() < _DESCRIBED_SHARE:
        return _ask_described
    if rng.random() < _ATTRIBUTE_SHARE:
        return _ask_attribute
    return _ask_two_hops


def _ask_two_hops(rng: Random, corpus: Corpus, paraphrase: float) -> QAPair | None:
    """Ask what one article says about something that another article names."""
    first, second = rng.choice(_JOINED_RELATIONS)
    step = _step(rng, corpus, first)
    if step is None:
        return None
    gold = corpus.world.state[second.name, step.middle]
    if gold == step.subject:
        return None
    asked_of = _phrase(rng, corpus.world, step, paraphrase, asked=second.name)
    asked = asked_in_words(rng, second.name, asked_of, apart=rng.random() < paraphrase)
    hops = (step.subject, first.name), (step.middle, second.name)
    return _pair(asked, gold, corpus.clauses(*hops))


def _ask_attribute(rng: Random, corpus: Corpus, paraphrase: float) -> QAPair | None:
    """Ask for an attribute of somebody or something that another article names."""
    first = rng.choice([r for r in ARTICLE_RELATIONS if r.object in KINDS])
    step = _step(rng, corpus, first)
    if step is None:
        return None
    attribute = rng.choice(attributes_of(first.object))
    asked_of = _phrase(rng, corpus.world, step, paraphrase, asked=attribute)
    what, apart = f"{first.object} {attribute}", rng.random() < paraphrase
    asked = asked_in_words(rng, what, asked_of, apart=apart)
    hops = (step.subject, first.name), (step.middle, attribute)
    return _pair(asked, told(corpus.world, step.middle, attribute), corpus.clauses(*hops))


class _RelationStep(NamedTuple):
    """A step from the subject of an article to the object of a relation; both have articles."""

    subject: str
    relation: Relation
    middle: str


def _step(rng: Random, corpus: Corpus, relation: Relation) -> _RelationStep | None:
    """Return a step from some subject; None if the object has no article."""
    if not corpus.subjects[relation.subject]:
        return None
    subject = rng.choice(corpus.subjects[relation.subject])
    middle = corpus.world.state[relation.name, subject]
    return _RelationStep(subject, relation, middle) if middle in corpus.told else None


def _phrase(
    rng: Random, world: World, step: _RelationStep, paraphrase: float, *, asked: str
) -> str:
    """Return a phrase for the end of a step: by its subject, which may itself be described.

    Something may be said in passing about what the phrase stands for, but not what is ``asked``.
    """
    subject, relation, middle = step
    apart = rng.random() < paraphrase
    if rng.random() < _UNNAMED_SHARE:
        subject = _description(rng, world, relation, subject) or subject
    if apart:
        phrase = rng.choice(_PHRASES_APART[relation.name]).format(s=subject)
    else:
        phrase = chain_phrase(rng, subject, (relation,))
    if rng.random() >= _IN_PASSING_SHARE:
        return phrase
    wordings = _silent_of(asked, _IN_PASSING.get(relation.object, ()))
    if not wordings:
        return phrase
    slots = slots_of(world, relation.object, middle)
    return f"{phrase}, {rng.choice(wordings).format(**slots)},"


def _description(rng: Random, world: World, relation: Relation, name: str) -> str | None:
    """Return a description that fits only ``name`` among its kind; None if there is none.

    It says nothing about a relation. Only one random wording is tried.
    """
    kind = relation.subject
    wording = rng.choice(_silent_of(relation.name, _DEFINITE[kind]))
    told = wording.format(**slots_of(world, kind, name))
    others = (other for other in world.entities[kind] if other != name)
    alike = (wording.format(**slots_of(world, kind, other)) for other in others)
    return None if told in alike else told


def _silent_of(what: str, wordings: Sequence[str]) -> list[str]:
    """Return the wordings that say nothing about a relation or an attribute."""
    slots = [f"{{{slot}}}" for slot in _TELLING.get(what, (what,))]
    return [w for w in wordings if not any(slot in w for slot in slots)]


def _pair(question: str, gold: str, rests_on: tuple[str, ...]) -> QAPair | None:
    """Return a question without a comma before its question mark; None if it names the gold."""
    return None if gold in question else QAPair(question.replace(",?", "?"), (gold,), rests_on)


def _ask_described(rng: Random, corpus: Corpus, paraphrase: float) -> QAPair | None:
    """Ask what the only thing with two relations to others is known for."""
    kind, *relations = rng.choice(tuple(_DESCRIBED)).split()
    if not corpus.subjects[kind]:
        return None
    name, state = rng.choice(corpus.subjects[kind]), corpus.world.state
    objects = {relation: state[relation, name] for relation in relations}
    alike = [
        other
        for other in corpus.world.entities[kind]
        if all(state[relation, other] == objects[relation] for relation in relations)
    ]
    if len(alike) > 1:
        return None
    wordings = _DESCRIBED_APART if rng.random() < paraphrase else _DESCRIBED
    asked = rng.choice(wordings[" ".join((kind, *relations))])
    job = corpus.world.trades.get(name, "")
    told_of = corpus.clauses(*((name, what) for what in (*relations, "fame")))
    return QAPair(asked.format(job=job, **objects), (corpus.world.fames[name],), told_of)


def _ask_earlier(rng: Random, corpus: Corpus, paraphrase: float) -> QAPair | None:
    """Ask which of two is earlier; ``paraphrase`` does not matter, there is one set of wordings."""
    del paraphrase
    kind = rng.choice(KINDS)
    if len(corpus.subjects[kind]) < 2:
        return None
    a, b = rng.sample(corpus.subjects[kind], 2)
    gold = min(a, b, key=corpus.world.dates.__getitem__)
    dates = corpus.clauses((a, "date"), (b, "date"))
    return QAPair(rng.choice(_EARLIER[kind]).format(a=a, b=b), (gold,), dates)


def _ask_same(rng: Random, corpus: Corpus, paraphrase: float) -> QAPair | None:
    """Ask whether two have the same object; yes is as likely as no.

    ``paraphrase`` does not matter, there is one set of wordings.
    """
    del paraphrase
    relation: Relation = rng.choice([r for r in RELATIONS if r.name in _SAME])
    is_yes = rng.random() < 0.5
    names_by_object: dict[str, list[str]] = {}
    for name in corpus.subjects[relation.subject]:
        names_by_object.setdefault(corpus.world.state[relation.name, name], []).append(name)
    fewest = 2 if is_yes else 1
    groups = [names for names in names_by_object.values() if len(names) >= fewest]
    if len(groups) < 2:
        return None
    one, other = rng.sample(groups, 2)
    a, b = rng.sample(one, 2) if is_yes else (rng.choice(one), rng.choice(other))
    asked = rng.choice(_SAME[relation.name]).format(a=a, b=b)
    gold = "yes" if is_yes else "no"
    return QAPair(asked, (gold,), corpus.clauses((a, relation.name), (b, relation.name)))
