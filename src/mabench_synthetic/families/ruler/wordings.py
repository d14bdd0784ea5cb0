"""Questions about what one article tells, in its own words or in others."""

from __future__ import annotations

from random import Random

from mabench_synthetic.families.ruler.corpus import ARTICLE_RELATIONS
from mabench_synthetic.language.english import long_date
from mabench_synthetic.language.wordings import table
from mabench_synthetic.world.relations import Relation, chain_phrase, chain_question
from mabench_synthetic.world.world import World

# Relations in words that no article has.
_RELATIONS_APART = table("""
birthplace: Where did the life of {s} begin?
teacher: Under whom did {s} train? | Who was the master of {s}?
employer: On whose payroll is {s}? | Who pays the salary of {s}?
friend: In whom does {s} confide? | Who is the dearest companion of {s}?
game: What is the pastime of {s}? | What does {s} do for pleasure?
residence: Where does {s} dwell at present? | Where is the flat of {s}?
spouse: With whom did {s} exchange vows? | Who is the wife or husband of {s}?
mayor: Who governs {s}? | Who holds the highest office of {s}?
twin: Which place is the official partner of {s}?
country: Of which nation is {s} a part?
founder: Who set up {s}? | Whose idea was {s}?
seat: Where is {s} based? | Where are the main rooms of {s}?
director: Who runs {s}? | Who is in charge of {s}?
parent: To which larger body does {s} report?
author: Whose pen produced {s}? | Who thought up {s}?
publisher: Which firm brought out {s}? | Which firm gave {s} to the world?
setting: Where does the plot of {s} unfold?
translator: Who put {s} into another language?
""")
# What stands for the object of a relation in such words.
_PHRASES_APART = table("""
birthplace: the city where {s} came into the world
teacher: the master of {s} | the person under whom {s} trained
employer: the organisation that pays {s} | the organisation on whose payroll {s} is
friend: the confidant of {s} | the dearest companion of {s}
residence: the city where {s} dwells at present
spouse: the wife or husband of {s} | the person who exchanged vows with {s}
mayor: the person who governs {s} | the person in the highest office of {s}
twin: the official partner of {s}
founder: the person who set up {s} | the person whose idea was {s}
seat: the city where {s} is based
director: the person who runs {s} | the person in charge of {s}
parent: the larger body to which {s} reports
author: the person who thought up {s} | the person whose pen produced {s}
publisher: the firm that brought out {s} | the firm that gave {s} to the world
setting: the city where the plot of {s} unfolds
translator: the person who put {s} into another language
""")
# What an article tells beside relations, by the kind of its subject: in its words, and in others.
_ATTRIBUTES = table("""
person trade: What is {s} best known as?
person date: On which day was {s} born?
person fame: What does the name of {s} stand for?
city date: On which day was {s} founded?
city population: How many inhabitants does {s} have?
city fame: What does nobody who visits {s} overlook?
organisation date: When was {s} founded? | On which day was {s} founded?
organisation fame: What was {s} founded for?
work date: On which day did {s} come out?
work fame: What does the story of {s} turn on?
""")
_ATTRIBUTES_APART = table("""
person trade: What does {s} do for a living? | What is the occupation of {s}?
person date: When did the life of {s} begin? | What is the birthday of {s}?
person fame: What brought renown to {s}?
city date: When did {s} come into being?
city population: How populous is {s}? | How large is the population of {s}?
city fame: What will every guest of {s} notice?
organisation date: When was {s} set up? | On which day did {s} come into being?
organisation fame: What was the purpose of {s}?
work date: When was {s} first sold?
work fame: What is the plot of {s} about?
""")


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
