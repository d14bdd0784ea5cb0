"""An invented catalogue of films, and the hidden tastes that divide it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from mabench.synthesis.names import Names

TASTES = (
    "courtroom dramas", "desert adventures", "families that run inns", "films about ballet",
    "ghost stories at sea", "heists on trains", "mountain rescue films", "musicals about work",
    "murder among gardeners", "road films with animals", "satires about banks",
    "school comedies", "silent-era romances", "spy films in winter", "stories of twins",
    "submarine thrillers", "tales of forgers", "time travel comedies",
)  # fmt: skip
FILMS_PER_TASTE = 6
_TITLE_FORMS = (
    "{}", "The {} Affair", "A Night in {}", "{} and the Stranger", "The Silence of {}",
    "Leaving {}", "Three Days at {}", "The {} Papers", "Goodbye to {}", "Under {} Skies",
)  # fmt: skip
_LAST_YEAR = 2018


class Film(NamedTuple):
    """A film; its title may be shared with a film of another year."""

    title: str
    year: int

    def __str__(self) -> str:
        return f"{self.title} ({self.year})"


class Catalogue(NamedTuple):
    """Films by taste, and the entity ids of films and of the people around them.

    The first film of a taste may share its title with a film of another taste; the others
    have titles of their own.
    """

    films: dict[str, tuple[Film, ...]]
    entities: dict[str, int]


def make_catalogue(rng: Random) -> Catalogue:
    """Invent films for every taste, and number all entities in random order."""
    names = Names(rng)
    titles = [_title(rng, names) for _ in range(FILMS_PER_TASTE * len(TASTES))]
    # The first films of two neighbouring tastes get one title, in three pairs.
    for pair in rng.sample(range(0, len(TASTES), 2), 3):
        titles[(pair + 1) * FILMS_PER_TASTE] = titles[pair * FILMS_PER_TASTE]
    years = rng.sample(range(1935, _LAST_YEAR), 2)
    films = [
        Film(title, years[i // FILMS_PER_TASTE % 2] if titles.count(title) > 1 else _year(rng))
        for i, title in enumerate(titles)
    ]
    shelves = {
        taste: tuple(films[i * FILMS_PER_TASTE : (i + 1) * FILMS_PER_TASTE])
        for i, taste in enumerate(TASTES)
    }
    return Catalogue(shelves, _number(rng, [*map(entity_name, films), *_people(names)]))


def entity_name(film: Film) -> str:
    """Return the name of a film as an entity, in the manner of the hub's entity2id.json."""
    return f"<http://dbpedia.org/resource/{film.title.replace(' ', '_')}_({film.year}_film)>"


def _year(rng: Random) -> int:
    return rng.randrange(1935, _LAST_YEAR)


def _title(rng: Random, names: Names) -> str:
    return rng.choice(_TITLE_FORMS).format(names.word())


def _people(names: Names) -> Iterator[str]:
    """Yield directors and actors: entities that are no films, as most on the hub are."""
    for _ in range(60):
        yield f"<http://dbpedia.org/resource/{names.person().replace(' ', '_')}>"


def _number(rng: Random, entities: list[str]) -> dict[str, int]:
    rng.shuffle(entities)
    return {name: i for i, name in enumerate(entities)}
