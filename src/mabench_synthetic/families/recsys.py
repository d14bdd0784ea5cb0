"""Makes rows of recommendation: dialogues of people with hidden tastes, over invented films.

Films form small circles: who likes some of a circle likes the others. A circle is never named; it
shows only in the films that people like together, among other films. A few circles are popular and
most are almost unknown, so most films are named once or never.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from random import Random
from typing import NamedTuple

from mabench.data.schema import RowContent
from mabench.text.names import NameInventor
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
from mabench_synthetic.language import listed, phrases, rate_of, table, tokens_of

_TASTES = phrases("films", "tastes")
_TITLES = phrases("films", "titles")
_FIRST_YEAR, _LAST_YEAR = 1935, 2018
# One circle in this many has a film that shares its title with a film of another circle.
_SHARED = 12
# People around the films, as a share of them: not all entities of the hub are films.
_PEOPLE = 0.35
# How much the first circles stand out: the weight of a circle is its rank, this much later, to
# the power of minus the tail (Zipf's law in Mandelbrot's form).
_HEAD = 4
_DIALOGUE_TOKENS = 192
_FEWEST_CIRCLES = 12


class Film(NamedTuple):
    """A film; another film of another year may have the same title."""

    title: str
    year: int

    def __str__(self) -> str:
        return f"{self.title} ({self.year})"


class Circle(NamedTuple):
    """Films of one taste that belong together; the first may share its title with another film."""

    taste: str
    films: tuple[Film, ...]


class FilmCatalogue(NamedTuple):
    """Circles of films, and the entity ids of the films and of the people around them.

    ``heard`` has the circles of each taste, and under None all circles, with the cumulative sums of
    their popularity.
    """

    circles: tuple[Circle, ...]
    entities: dict[str, int]
    heard: dict[str | None, tuple[list[Circle], list[float]]]

    def circle(self, rng: Random, taste: str | None = None) -> Circle:
        """Return a random circle, popular ones more often; of one ``taste``, if given."""
        circles, heard = self.heard[taste]
        return rng.choices(circles, cum_weights=heard)[0]


def catalogue_of(spec: RowSpec) -> FilmCatalogue:
    """Invent the films of a row, and number all entities in random order.

    Rows with the same seed, length and knobs share them. The circle at rank r, from 0, has a
    popularity in proportion to 1 / (r + 4) ** ``tail``. A smaller catalogue with the same seed is
    not a part of a larger one.
    """
    dialogues, size = spec.tokens / _DIALOGUE_TOKENS, int(spec.knobs["circle"])
    count = max(_FEWEST_CIRCLES, round(dialogues / spec.knobs["dialogues"]))
    rng = random_stream(spec.seed, "catalogue", count, size)
    names = NameInventor(rng)
    circles = _circles(rng, names, count, size)
    entities = [entity_name(film) for circle in circles for film in circle.films]
    people = (names.person().replace(" ", "_") for _ in range(round(_PEOPLE * len(entities))))
    entities += [f"<http://dbpedia.org/resource/{person}>" for person in people]
    rng.shuffle(entities)
    heard = {}
    for taste in (None, *_TASTES):
        ranks = [rank for rank, circle in enumerate(circles) if taste in (None, circle.taste)]
        weights = accumulate((rank + _HEAD) ** -spec.knobs["tail"] for rank in ranks)
        heard[taste] = [circles[rank] for rank in ranks], [*weights]
    return FilmCatalogue(tuple(circles), {name: i for i, name in enumerate(entities)}, heard)


def _circles(rng: Random, names: NameInventor, count: int, size: int) -> list[Circle]:
    """Invent circles of that many films; one in ``_SHARED`` takes a title from the one before."""
    circles: list[Circle] = []
    for number in range(count):
        films = [_film(rng, names) for _ in range(size)]
        takes_title = (number + 1) % _SHARED == 0
        if takes_title:
            title, taken = circles[-1].films[0]
            years = [year for year in range(_FIRST_YEAR, _LAST_YEAR) if year != taken]
            films[0] = Film(title, rng.choice(years))
        circles.append(Circle(rng.choice(_TASTES), tuple(films)))
    return circles


def _film(rng: Random, names: NameInventor) -> Film:
    """Invent a film."""
    title = rng.choice(_TITLES).format(names.word())
    return Film(title, rng.randrange(_FIRST_YEAR, _LAST_YEAR))


def entity_name(film: Film) -> str:
    """Return the name of a film as an entity, in the form of the hub's entity2id.json."""
    return f"<http://dbpedia.org/resource/{film.title.replace(' ', '_')}_({film.year}_film)>"


# How often the system opens a dialogue, both begin with small talk, the user names a taste, two
# films are offered at once, a reply itself names a film, and the user has the last word.
_SYSTEM_FIRST = 0.6
_CHATS = 0.5
_SAYS_TASTE = 0.85
_TWO = 0.25
_NAMES_ANOTHER = 0.3
_LAST_WORD = 0.5
# How many films the user names at first: the numbers, and the weight of each, for ``choices``.
_LIKED = ((0, 1, 2), (30, 45, 25))
_LINES = table("films", "lines")


def _talk(rng: Random, taste: str, films: Sequence[Film]) -> Iterator[str]:
    """Yield the turns of a dialogue that names films in their order."""
    if rng.random() < _SYSTEM_FIRST:
        yield f"System: {_line(rng, 'greeting')}"
    *turns, last = _turns(rng, taste, films)
    yield from turns
    yield f"{last} {_line(rng, 'thanks')}"
    yield f"System: {_line(rng, 'farewell')}"
    if rng.random() < _LAST_WORD:
        yield f"User: {_line(rng, 'bye')}"


def _turns(rng: Random, taste: str, films: Sequence[Film]) -> Iterator[str]:
    """Yield turns of user and system alternately; the first and the last are the user's."""
    yield f"User: {_line(rng, 'reply')}"
    if rng.random() < _CHATS:
        yield f"System: {_line(rng, 'how')}"
        yield f"User: {_line(rng, 'fine')}"
    yield f"System: {_line(rng, 'question')}"
    [liked] = rng.choices(*_LIKED)
    wish = [_line(rng, "taste", taste=taste)] if rng.random() < _SAYS_TASTE else []
    if films[:liked]:
        wish.append(_line(rng, "likes", films=_titles(films[:liked])))
    yield f"User: {' '.join(wish) or _line(rng, 'anything')}"
    left = list(films[liked:])
    while left:
        count = 2 if rng.random() < _TWO else 1
        offered, left = left[:count], left[count:]
        yield f"System: {_line(rng, 'offer', films=_titles(offered))}"
        reply = _line(rng, rng.choice(("seen", "seen", "unseen", "refusal")))
        if left and rng.random() < _NAMES_ANOTHER:
            reply += f" {_line(rng, 'another', film=left.pop(0))}"
        yield f"User: {reply}"


def _titles(films: Sequence[Film]) -> str:
    """Return films as running text, each with its year."""
    return listed([str(film) for film in films])


def _line(rng: Random, kind: str, **slots: object) -> str:
    """Return a random line of a kind, with its slots filled."""
    return rng.choice(_LINES[kind]).format(**slots)


_KNOBS = (
    Knob("circle", 4, 3, 30, "films of each circle that the same people like"),
    Knob("dialogues", 1.35, 0.2, 100.0, "dialogues about each circle, on average"),
    Knob("noise", 0.95, 0.0, 0.99, "share of the mentioned films that do not matter"),
    Knob("tail", 1.0, 0.0, 2.0, "how uneven the popularity of circles is; 0 for equal"),
)
# How many films a dialogue names, and how many a question wants: numbers and weights, as above.
_FILMS = ((3, 4, 5, 6, 7, 8, 10), (84, 340, 304, 134, 65, 33, 35))
_GOLDS = ((1, 2, 3), (72, 21, 7))
# How many films of its circle a question names at least, and of other circles at most.
_FEWEST_NAMED = 2
_MOST_OTHERS = 2
# Some questions come out the same.
_TRIES_A_QUESTION = 4
# How often an unrelated film is of the taste of the dialogue.
_OF_ONE_TASTE = 0.25


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row over the catalogue of its seed and length.

    Raises:
        UsageError: when there are too few dialogues for that many questions.
    """
    catalogue = catalogue_of(spec)
    noise = spec.knobs["noise"]
    rng = random_stream(spec.seed, "recsys", spec.row)
    context = "\n\n".join(_dialogues(rng, catalogue, noise, spec.tokens / rate_of("films")))
    pairs = distinct(_pairs(rng, catalogue, noise, spec.questions), spec.questions)
    return row_content(spec.source, context, pairs, id_stem=id_stem_of(spec))


def _dialogues(rng: Random, catalogue: FilmCatalogue, noise: float, tokens: float) -> Iterator[str]:
    """Yield dialogues, about popular circles more often, until the row has its length."""
    number = 0
    while tokens > 0:
        number += 1
        circle = catalogue.circle(rng)
        [count] = rng.choices(*_FILMS)
        films = _films(rng, catalogue, circle, count, noise)
        text = "\n".join([f"Dialogue {number}:", *_talk(rng, circle.taste, films)])
        tokens -= tokens_of(text)
        yield text


def _films(
    rng: Random, catalogue: FilmCatalogue, circle: Circle, count: int, noise: float
) -> list[Film]:
    """Return the films of a dialogue: some of a circle, and unrelated ones."""
    own = rng.sample(circle.films, len(circle.films))
    films: list[Film] = []
    while len(films) < count:
        if own and rng.random() >= noise:
            films.append(own.pop())
        else:
            film = rng.choice(_other(rng, catalogue, circle).films)
            if film not in films:
                films.append(film)
    return films


def _other(rng: Random, catalogue: FilmCatalogue, circle: Circle) -> Circle:
    """Return another circle, popular ones more often."""
    while True:
        taste = circle.taste if rng.random() < _OF_ONE_TASTE else None
        other = catalogue.circle(rng, taste)
        if other is not circle:
            return other


def _pairs(rng: Random, catalogue: FilmCatalogue, noise: float, count: int) -> Iterator[QAPair]:
    """Ask for films of a circle; the golds are those that the dialogue does not name."""
    for _ in range(_TRIES_A_QUESTION * count):
        circle = catalogue.circle(rng)
        first, *others = circle.films
        rng.shuffle(others)
        [drawn] = rng.choices(*_GOLDS)
        golds = min(drawn, len(circle.films) - _FEWEST_NAMED)
        # A title shared by two films would make a poor gold: the first film is always named.
        named, wanted = [first, *others[golds:]], others[:golds]
        # Of each other circle one film, so that most of the films named are of this one.
        strangers = [
            _other(rng, catalogue, circle) for _ in range(_MOST_OTHERS) if rng.random() < noise
        ]
        named += [rng.choice(other.films) for other in dict.fromkeys(strangers)]
        rng.shuffle(named)
        ids = tuple(str(catalogue.entities[entity_name(film)]) for film in wanted)
        yield QAPair("\n".join(["", *_turns(rng, circle.taste, named), "System: "]), ids)


GENERATOR = Generator(
    family="recsys",
    make_row=_make_row,
    knobs=_KNOBS,
    entities=lambda spec: catalogue_of(spec).entities,
)
