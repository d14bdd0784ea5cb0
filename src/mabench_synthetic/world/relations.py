"""The relations of the small world and the ways to word them.

Every relation is functional: a subject has one object at a time. A wording holds ``{s}`` for
the subject and, in statements, ``{o}`` for the object. A phrase stands for the object and can
take the place of a subject, which makes questions over several relations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

from mabench_synthetic.language.wordings import table

_WORD = re.compile(r"[a-z]{3,}")
_COMMON = frozenset((
    "the", "for", "was", "what", "which", "who", "whom", "whose", "where", "with", "has", "have",
    "had", "does", "did", "from", "that", "name", "city", "country", "person", "organisation",
    "game",
))  # fmt: skip
_DOUBLED = re.compile(r"\b([a-z]{2,}?)s? \1\b")


class Relation(NamedTuple):
    """A relation between two kinds of entities, with its wordings."""

    name: str
    subject: str
    object: str
    statements: tuple[str, ...]
    questions: tuple[str, ...]
    phrases: tuple[str, ...]  # One that can stand within itself ends with its slot.


# Under the name and the two kinds: statements, which end with a full stop, questions and phrases.
_WORDINGS = table("relations", "relations")


def _relation(kinds: str, wordings: Sequence[str]) -> Relation:
    statements = tuple(text for text in wordings if text.endswith("."))
    questions = tuple(text for text in wordings if text.endswith("?"))
    phrases = tuple(text for text in wordings if not text.endswith((".", "?")))
    name, subject, object_ = kinds.split()
    return Relation(name, subject, object_, statements, questions, phrases)


RELATIONS = tuple(_relation(kinds, wordings) for kinds, wordings in _WORDINGS.items())


# Which of the wordings of a question or a phrase may be used.
Choice = Callable[[Relation, Sequence[str]], Sequence[str]]


def any_wording(relation: Relation, wordings: Sequence[str]) -> Sequence[str]:
    """Allow every wording."""
    del relation
    return wordings


def chain_question(
    rng: Random, subject: str, path: Sequence[Relation], choice: Choice = any_wording
) -> str:
    """Return a question for what is reached from ``subject`` along ``path``."""
    last = path[-1]
    asked_of = chain_phrase(rng, subject, path[:-1], choice)
    return _worded(rng, choice(last, last.questions), last.questions, asked_of)


def chain_phrase(
    rng: Random, subject: str, path: Sequence[Relation], choice: Choice = any_wording
) -> str:
    """Return a phrase for what is reached from ``subject`` along ``path``."""
    for relation in path:
        allowed = choice(relation, relation.phrases)
        subject = _worded(rng, allowed, relation.phrases, subject)
    return subject


def shared_words(one: str, other: str) -> int:
    """Return how many telling words two wordings share, such as ``works`` and ``work``."""
    return len(_telling(one) & _telling(other))


@cache
def _telling(wording: str) -> frozenset[str]:
    return frozenset(
        word.rstrip("s")[:5] for word in _WORD.findall(wording.lower()) if word not in _COMMON
    )


def _worded(rng: Random, allowed: Sequence[str], every: Sequence[str], subject: str) -> str:
    """Return one of the allowed wordings; of all where those double a verb (``live lives``)."""
    texts = [wording.format(s=subject) for wording in allowed]
    others = [wording.format(s=subject) for wording in every]
    fit = [[text for text in some if not _DOUBLED.search(text)] for some in (texts, others)]
    return rng.choice(fit[0] or fit[1] or texts)
