"""Questions about two articles: what one tells of something the other names, or both compared."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mabench.synthesis.content import QAPair
from mabench.synthesis.families.ruler.corpus import ARTICLE_RELATIONS, KINDS, Corpus
from mabench.synthesis.language.english import long_date
from mabench.synthesis.language.wordings import table
from mabench.synthesis.world.relations import RELATIONS, Relation, chain_phrase, chain_question
from mabench.synthesis.world.world import World

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
# Questions about what an article tells, in words that the article does not use.
_APART = table("""
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
# What an article tells beside relations, by the kind of its subject.
_ATTRIBUTES = table("""
person trade: What does {s} do for a living? | What is the occupation of {s}?
person date: When did the life of {s} begin? | What is the birthday of {s}?
city date: When did {s} come into being?
city population: How populous is {s}? | How many people are counted in {s}?
organisation date: When was {s} set up?
""")
# What something is known for, described by two relations that its articles tell of.
_DESCRIBED = table("""
person birthplace teacher: What made the {job} from {birthplace} known, whom {teacher} taught? |
    What brought renown to the {job} from {birthplace} who was taught by {teacher}?
city country mayor: What will every guest notice in the city in {country} with {mayor} as mayor?
organisation founder seat: What was the purpose of the body that {founder} founded in {seat}?
work author publisher: What is the plot about in the novel by the author {author} that
    {publisher} published?
""")
_DESCRIBED_SHARE, _ATTRIBUTE_SHARE = 0.3, 0.2
_JOINED_RELATIONS = tuple(
    (first, second)
    for first in ARTICLE_RELATIONS
    for second in ARTICLE_RELATIONS
    if first.object == second.subject
)


def joined_pairs(
    rng: Random, corpus: Corpus, paraphrase: float, compared: float
) -> Iterator[QAPair]:
    """Yield questions for ever, the share ``compared`` of which compare two things.

    In the share ``paraphrase`` of the others the second hop is asked for in words that the
    article does not use.
    """
    while True:
        if rng.random() < compared:
            pair = rng.choice((_ask_earlier, _ask_earlier, _ask_same))(rng, corpus)
        elif rng.random() < _DESCRIBED_SHARE:
            pair = _ask_described(rng, corpus)
        elif rng.random() < _ATTRIBUTE_SHARE:
            pair = _ask_attribute(rng, corpus)
        else:
            pair = _ask_two_hops(rng, corpus, rng.random() < paraphrase)
        if pair:
            yield pair


def _ask_two_hops(rng: Random, corpus: Corpus, paraphrase: bool) -> QAPair | None:
    """Ask what an article tells of something that another article names."""
    first, second = rng.choice(_JOINED_RELATIONS)
    if not corpus.subjects[first.subject]:
        return None
    subject = rng.choice(corpus.subjects[first.subject])
    middle = corpus.world.state[first.name, subject]
    gold = corpus.world.state[second.name, middle]
    if middle not in corpus.titles or gold == subject:
        return None
    if paraphrase:
        asked = rng.choice(_APART[second.name]).format(s=chain_phrase(rng, subject, (first,)))
    else:
        asked = chain_question(rng, subject, (first, second))
    return QAPair(asked, (gold,))


def _ask_attribute(rng: Random, corpus: Corpus) -> QAPair | None:
    """Ask what somebody or something is that another article names."""
    kind, _, attribute = rng.choice(tuple(_ATTRIBUTES)).partition(" ")
    first = rng.choice([relation for relation in ARTICLE_RELATIONS if relation.object == kind])
    if not corpus.subjects[first.subject]:
        return None
    subject = rng.choice(corpus.subjects[first.subject])
    middle = corpus.world.state[first.name, subject]
    if middle not in corpus.titles:
        return None
    asked = rng.choice(_ATTRIBUTES[f"{kind} {attribute}"])
    gold = _told(corpus.world, middle)[attribute]
    return QAPair(asked.format(s=chain_phrase(rng, subject, (first,))), (gold,))


def _ask_described(rng: Random, corpus: Corpus) -> QAPair | None:
    """Ask what is known of the one thing that stands in two relations to others."""
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
    asked = rng.choice(_DESCRIBED[" ".join((kind, *relations))])
    job = corpus.world.trades.get(name, "")
    return QAPair(asked.format(job=job, **objects), (corpus.world.fames[name],))


def _told(world: World, name: str) -> dict[str, str]:
    """Return what an article tells of its subject, as it tells it."""
    return {
        "date": long_date(world.dates[name]),
        "trade": world.trades.get(name, ""),
        "population": f"{world.populations.get(name, 0):,}",
    }


def _ask_earlier(rng: Random, corpus: Corpus) -> QAPair | None:
    kind = rng.choice(KINDS)
    if len(corpus.subjects[kind]) < 2:
        return None
    a, b = rng.sample(corpus.subjects[kind], 2)
    gold = min(a, b, key=corpus.world.dates.__getitem__)
    return QAPair(rng.choice(_EARLIER[kind]).format(a=a, b=b), (gold,))


def _ask_same(rng: Random, corpus: Corpus) -> QAPair | None:
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
