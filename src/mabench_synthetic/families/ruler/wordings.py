"""Questions about what one article tells, in its own words or in others."""

from __future__ import annotations

from random import Random

from mabench_synthetic.families.ruler.corpus import ARTICLE_RELATIONS
from mabench_synthetic.language.english import long_date
from mabench_synthetic.language.wordings import table
from mabench_synthetic.world.relations import Relation, chain_phrase, chain_question
from mabench_synthetic.world.world import World

# Relations in words that no article has.
_RELATIONS_APART = table("articles", "relations_apart")
# What stands for the object of a relation in such words.
_PHRASES_APART = table("articles", "phrases_apart")
# What an article tells beside relations, by the kind of its subject: in its words, and in others.
_ATTRIBUTES = table("articles", "attributes")
_ATTRIBUTES_APART = table("articles", "attributes_apart")


def asked_in_words(rng: Random, what: str, subject: str, *, apart: bool) -> str:
    """Return a question for a relation or an attribute such as ``city date``.

    ``apart`` says whether in words that the article does not use.
    """
    if apart:
        return rng.choice((_RELATIONS_APART | _ATTRIBUTES_APART)[what]).format(s=subject)
    if what in _ATTRIBUTES:
        return rng.choice(_ATTRIBUTES[what]).format(s=subject)
    (relation,) = (relation for relation in ARTICLE_RELATIONS if relation.name == what)
    return chain_question(rng, subject, (relation,))


def phrase_in_words(rng: Random, relation: Relation, subject: str, *, apart: bool) -> str:
    """Return a phrase for the object of a relation, perhaps in words that its article has not."""
    if apart:
        return rng.choice(_PHRASES_APART[relation.name]).format(s=subject)
    return chain_phrase(rng, subject, (relation,))


def attributes_of(kind: str) -> list[str]:
    """Return the attributes that articles tell of a kind, such as ``date``."""
    return [what.split()[1] for what in _ATTRIBUTES if what.split()[0] == kind]


def told(world: World, name: str, attribute: str) -> str:
    """Return an attribute of a subject as its article tells it."""
    if attribute == "date":
        return long_date(world.dates[name])
    if attribute == "population":
        return f"{world.populations[name]:,}"
    return {"trade": world.trades, "fame": world.fames}[attribute][name]
