"""An invented catalogue of films, and the circles of films that the same people like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from random import Random
from typing import NamedTuple

from mabench.text.names import Names
from mabench_synthetic.generator import random_stream

_TASTES = (
    "courtroom dramas", "desert adventures", "films about families that run inns",
    "films about ballet", "ghost stories at sea", "heists on trains", "mountain rescue films",
    "musicals about work", "mysteries among gardeners", "road films with animals",
    "satires about banks", "school comedies", "silent-era romances", "spy films in winter",
    "stories of twins", "submarine thrillers", "tales of forgers", "time travel comedies",
)  # fmt: skip
_TITLE_FORMS = (
    "{}", "The {} Affair", "A Night in {}", "{} and the Stranger", "The Silence of {}",
    "Leaving {}", "Three Days at {}", "The {} Papers", "Goodbye to {}", "Under {} Skies",
)  # fmt: skip
_FIRST_YEAR, _LAST_YEAR = 1935, 2018
# One circle in so many has a film that shares its title with a film of another circle.
_SHARED = 12
# People around the films, as a share of them: not all entities of the hub are films.
_PEOPLE = 0.35
# How much the first circles stand out: the weight of a circle is its rank, this much later, to
# the power of minus the tail (Zipf's law in Mandelbrot's form).
_HEAD = 4


class Film(NamedTuple):
    """A film; its title may be shared with a film of another year."""

    title: str
    year: int

    def __str__(self) -> str:
        return f"{self.title} ({self.year})"


class Circle(NamedTuple):
    """Films that go together, of one taste; the first may share its title with another film."""

    taste: str
    films: tuple[Film, ...]


class FilmCatalogue(NamedTuple):
    """Circles of films, and the entity ids of films and of the people around them.

    ``heard`` holds the sums of the circles' popularity, up to each circle and with it, and
    ``alike`` the circles of each taste with theirs.
    """

    circles: tuple[Circle, ...]
    entities: dict[str, int]
    heard: tuple[float, ...]
    alike: dict[str, tuple[tuple[Circle, ...], tuple[float, ...]]]

    def circle(self, rng: Random, taste: str | None = None) -> Circle:
        """Return a circle, the popular ones more often; one of ``taste`` when given."""
        circles, heard = self.alike[taste] if taste else (self.circles, self.heard)
        return rng.choices(circles, cum_weights=heard)[0]


def make_catalogue(seed: int, circles: int, size: int, tail: float) -> FilmCatalogue:
    """Invent ``circles`` circles of ``size`` films, and number all entities in random order.

    The circle at rank r is heard of in proportion to 1 / (r + 4) ** ``tail``, counted from 0.
    A smaller catalogue of the same seed is not a part of a larger one.
    """
    rng = random_stream(seed, "catalogue", circles, size)
    names = Names(rng)
    all_circles: list[Circle] = []
    for number in range(circles):
        films = [_film(rng, names) for _ in range(size)]
        if number % _SHARED == _SHARED - 1:
            films[0] = _remake(rng, all_circles[number - 1].films[0])
        all_circles.append(Circle(rng.choice(_TASTES), tuple(films)))
    entities = [entity_name(film) for circle in all_circles for film in circle.films]
    entities += _people(names, round(_PEOPLE * len(entities)))
    rng.shuffle(entities)
    ids = {name: number for number, name in enumerate(entities)}
    weights = [(rank + _HEAD) ** -tail for rank in range(circles)]
    alike = {
        taste: _cumulated(
            [pair for pair in zip(all_circles, weights, strict=True) if pair[0].taste == taste]
        )
        for taste in sorted({circle.taste for circle in all_circles})
    }
    return FilmCatalogue(tuple(all_circles), ids, tuple(accumulate(weights)), alike)


def _cumulated(
    pairs: Sequence[tuple[Circle, float]],
) -> tuple[tuple[Circle, ...], tuple[float, ...]]:
    circles, weights = zip(*pairs, strict=True)
    return circles, tuple(accumulate(weights))


def entity_name(film: Film) -> str:
    """Return the name of a film as an entity, in the manner of the hub's entity2id.json."""
    return f"<http://dbpedia.org/resource/{film.title.replace(' ', '_')}_({film.year}_film)>"


def _film(rng: Random, names: Names) -> Film:
    title = rng.choice(_TITLE_FORMS).format(names.word())
    return Film(title, rng.randrange(_FIRST_YEAR, _LAST_YEAR))


def _remake(rng: Random, film: Film) -> Film:
    """Return a film of the same title and another year."""
    years = [year for year in range(_FIRST_YEAR, _LAST_YEAR) if year != film.year]
    return Film(film.title, rng.choice(years))


def _people(names: Names, count: int) -> Iterator[str]:
    """Yield directors and actors."""
    for _ in range(count):
        yield f"<http://dbpedia.org/resource/{names.person().replace(' ', '_')}>"
