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
_WORDINGS = table("""
birthplace person city: {s} was born in the city of {o}. | The birthplace of {s} is {o}. |
    It was in the city of {o} that {s} was born. | In which city was {s} born? |
    What is the birthplace of {s}? | the native city of {s} | the birthplace of {s} |
    the city where {s} was born
residence person city: {s} lives in the city of {o}. | The home of {s} stands in {o}. |
    {s} has a home in the city of {o}. | In which city does {s} live? |
    Which city is home to {s}? | the city that is home to {s} | the home city of {s} |
    the city in which {s} lives
employer person organisation: {s} works for {o}. | {s} is employed by {o}. |
    The employer of {s} is {o}. | Which organisation does {s} work for? |
    What is the name of the employer of {s}? | the employer of {s} |
    the organisation that employs {s} | the organisation that {s} works for
teacher person person: {s} was taught by {o}. | The teacher of {s} was {o}. |
    It was {o} who taught {s}. | Who taught {s}? | Who was the teacher of {s}? |
    the teacher of {s} | the person who taught {s}
friend person person: The closest friend of {s} is {o}. |
    {s} counts {o} as the closest of friends. | Nobody is closer to {s} than {o}. |
    Who is the closest friend of {s}? | Whom does {s} count as the closest of friends? |
    the closest friend of {s} | the best friend of {s}
game person game: {s} plays the game of {o}. | The favourite game of {s} is {o}. |
    In the evenings {s} plays {o}. | Which game does {s} play? |
    What is the favourite game of {s}? | the game that {s} plays | the favourite game of {s}
country city country: {s} is a city that lies in {o}. |
    The city of {s} belongs to the country of {o}. |
    In which country does {s} lie? | To which country does {s} belong? |
    the country of {s} | the country that {s} belongs to | the country in which {s} lies
mayor city person: The mayor of {s} is {o}. | {o} serves as the mayor of {s}. |
    The city of {s} has {o} as its mayor. | Who is the mayor of {s}? |
    What is the name of the mayor of {s}? | the mayor of {s} | the person who serves as mayor of {s}
capital country city: The capital of {s} is {o}. | {o} is the capital city of {s}. |
    The government of {s} sits in the capital, {o}. | What is the capital of {s}? |
    Which city is the capital of {s}? | the capital of {s} | the capital city of {s}
continent country continent: {s} lies on the continent of {o}. |
    The country of {s} is part of the continent of {o}. | The continent of {s} is {o}. |
    On which continent does {s} lie? | Of which continent is {s} a part? |
    What is the continent of {s}? | the continent on which {s} lies | the continent of {s} |
    the continent of which {s} is a part
president country person: The president of {s} is {o}. | {o} is the head of state of {s}. |
    The people of {s} elected {o} as president. | Who is the president of {s}? |
    Who is the head of state of {s}? | the president of {s} | the head of state of {s}
language country language: The official language of {s} is {o}. |
    In {s} the language of the courts is {o}. | Officially the people of {s} speak {o}. |
    What is the official language of {s}? | Which language do the courts of {s} use? |
    the official language of {s} | the language of the courts of {s}
founder organisation person: {s} was founded by {o}. | The founder of {s} is {o}. |
    It was {o} who founded {s}. | Who founded {s}? | Who is the founder of {s}? |
    the founder of {s} | the person who founded {s}
seat organisation city: The headquarters of {s} are in the city of {o}. |
    {s} has its head office in {o}. | The seat of {s} is the city of {o}. |
    In which city are the headquarters of {s}? | Where does {s} have its head office? |
    Which city is the seat of {s}? | the seat of {s} | the city of the headquarters of {s} |
    the city where {s} has its head office
director organisation person: The director of {s} is {o}. | {o} directs the affairs of {s}. |
    As director of {s} serves {o}. | Who is the director of {s}? | Who directs the affairs of {s}? |
    the director of {s} | the person who directs {s}
author work person: The author of {s} is {o}. | {s} is a work of the author {o}. |
    It was {o} who wrote {s}. | Who is the author of {s}? | Who wrote {s}? | the author of {s} |
    the person who wrote {s}
publisher work organisation: {s} was published by {o}. | The publisher of {s} is {o}. |
    It was {o} that published {s}. | Which organisation published {s}? |
    Who is the publisher of {s}? | the publisher of {s} | the organisation that published {s}
setting work city: The story of {s} is set in the city of {o}. | {s} takes place in {o}. |
    The scene of {s} is the city of {o}. | In which city is the story of {s} set? |
    Where does {s} take place? | Which city is the scene of {s}? |
    the city where {s} takes place | the city in which the story of {s} is set |
    the city that is the scene of {s}
origin game country: {s} was first played in {o}. | {s} is a game that comes from {o}. |
    The country that {s} comes from is {o}. | From which country does {s} come? |
    In which country was {s} first played? | the country from which {s} comes |
    the country where {s} was first played
spouse person person: {s} is married to {o}. | The spouse of {s} is {o}. |
    {o} is the spouse of {s}. | To whom is {s} married? | Who is the spouse of {s}? |
    the spouse of {s} | the person who married {s}
tongue person language: {s} grew up speaking {o}. | The mother tongue of {s} is {o}. |
    {o} is the mother tongue of {s}. | Which language did {s} grow up speaking? |
    What is the mother tongue of {s}? | the mother tongue of {s} |
    the language that {s} grew up speaking
twin city city: {s} is twinned with {o}. | The twin city of {s} is {o}. |
    {o} is the twin city of {s}. | With which city is {s} twinned? |
    What is the twin city of {s}? | the twin city of {s} | the city that is twinned with {s}
parent organisation organisation: {s} is a branch of {o}. | The parent body of {s} is {o}. |
    {s} is owned by {o}. | Of which organisation is {s} a branch? | By whom is {s} owned? |
    Which organisation is the parent body of {s}? | the parent body of {s} |
    the organisation by which {s} is owned | the organisation of which {s} is a branch
translator work person: {s} was translated by {o}. | The translator of {s} is {o}. |
    It was {o} who translated {s}. | Who translated {s}? | Who is the translator of {s}? |
    the translator of {s} | the person who translated {s}
inventor game person: The game of {s} was invented by {o}. | The inventor of {s} is {o}. |
    It was {o} who invented the game of {s}. | Who invented the game of {s}? |
    Who is the inventor of {s}? | the inventor of {s} | the person who invented {s}
""")


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
