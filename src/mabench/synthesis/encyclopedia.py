"""Encyclopedic articles about a world: a few sentences for each person, city, body and work."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from mabench.synthesis.english import long_date, sentence, with_article
from mabench.synthesis.world import World

# One tuple of wordings per sentence. Slots: name, short (how it is called later on), date,
# trade, population, and the name of any relation of the subject.
_SENTENCES: dict[str, tuple[tuple[str, ...], ...]] = {
    "person": (
        (
            "{name} is {trade} who was born in {birthplace} on {date}.",
            "Born in {birthplace} on {date}, {name} is best known as {trade}.",
            "{name}, {trade}, was born on {date} in the city of {birthplace}.",
        ),
        (
            "The young {short} was taught by {teacher}, who did not give praise lightly.",
            "It was {teacher} who taught {short} the rudiments of the profession.",
            "Years of lessons with {teacher} shaped all that {short} did later.",
        ),
        (
            "Since then {short} has worked for {employer}.",
            "A post at {employer} followed, and {short} holds it to this day.",
            "After a short time abroad {short} was hired by {employer}.",
        ),
        (
            "Letters to {friend}, the closest of friends, have been kept in a private archive.",
            "The closest friend of {short} is {friend}, whom a delayed train first brought along.",
            "Critics note how often the name of {friend}, the closest friend, turns up in notes.",
        ),
        (
            "In spare hours {short} plays {game}, and plays it badly.",
            "A keen player of {game}, {short} once broke two fingers in a village match.",
            "Few know that {short} also plays {game} at weekends.",
        ),
        (
            "{short} now lives in {residence}, in rooms above a bakery.",
            "The household of {short} is in {residence}, where the street is quiet.",
            "For some years {short} has made a home in {residence}.",
        ),
    ),
    "city": (
        (
            "{name} is a city in {country}, founded on {date} around a salt market.",
            "The city of {name} in {country} was founded on {date} beside a ford.",
        ),
        (
            "At the last census it had {population} inhabitants.",
            "The register lists {population} inhabitants, not counting the garrison.",
        ),
        (
            "The mayor is {mayor}, who was elected by a narrow margin.",
            "Its affairs are led by the mayor, {mayor}, from a hall with a leaking roof.",
        ),
        (
            "Visitors praise the covered bridges and complain of the wind.",
            "Two rivers meet below the old wall, and floods are common in spring.",
            "The trams were built for a fair and have never been replaced.",
        ),
    ),
    "organisation": (
        (
            "{name} was founded on {date} by {founder}.",
            "It was {founder} who founded {name} on {date}.",
        ),
        (
            "Its head office is in {seat}, across from the customs house.",
            "The headquarters stand in {seat}, behind a row of lime trees.",
        ),
        (
            "The present director is {director}.",
            "Under {director}, the director, the accounts were opened to the public.",
        ),
        (
            "A fire destroyed most of the early records.",
            "Each autumn the doors are opened to schools for a week.",
            "Its emblem shows a heron over three waves.",
        ),
    ),
    "work": (
        (
            "{name} is a novel by {author} that came out on {date}.",
            "The novel {name}, which came out on {date}, was written by {author}.",
        ),
        (
            "It was published by {publisher} in a small first printing.",
            "The book was published by {publisher} after others had turned it down.",
        ),
        (
            "The story takes place in {setting} during one long summer.",
            "It is set in {setting}, among bargemen and their creditors.",
        ),
        (
            "Reviewers disagreed about the ending.",
            "A stage version closed after nine evenings.",
            "The last chapter is often printed on its own.",
        ),
    ),
}


class Article(NamedTuple):
    """An article: what it is about, and one paragraph of text."""

    title: str
    text: str


def write_articles(rng: Random, world: World) -> list[Article]:
    """Return one article for each person, city, organisation and work, in random order."""
    articles = [
        Article(name, _paragraph(rng, world, kind, name))
        for kind in _SENTENCES
        for name in world.entities[kind]
    ]
    rng.shuffle(articles)
    return articles


def _paragraph(rng: Random, world: World, kind: str, name: str) -> str:
    slots = {relation: o for (relation, subject), o in world.state.items() if subject == name}
    slots |= {
        "name": name,
        "short": name.split()[-1] if kind == "person" else name,
        "date": long_date(world.dates[name]),
        "trade": with_article(world.trades.get(name, "-")),
        "population": f"{world.populations.get(name, 0):,}",
    }
    first, *rest = (rng.choice(wordings) for wordings in _SENTENCES[kind])
    rng.shuffle(rest)
    return " ".join(sentence(wording.format(**slots)) for wording in (first, *rest))
