"""Recommendation rows: dialogues of people with hidden tastes over an invented catalogue.

Films come in small circles: who likes some of a circle likes the others. A circle is never named;
it shows in the films that people like together, among others that they also name. Few circles
are popular and most are hardly heard of, so that most films are named once or never.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mabench.data.schema import RowContent
from mabench_synthetic.content import QAPair, distinct, row_content
from mabench_synthetic.families.recsys.catalogue import (
    Circle,
    Film,
    FilmCatalogue,
    entity_name,
    make_catalogue,
)
from mabench_synthetic.families.recsys.talk import opened, talk
from mabench_synthetic.generator import Generator, Knob, RowSpec, random_stream
from mabench_synthetic.language.length import rate_of, tokens_of

_KNOBS = (
    Knob("circle", 4, 3, 30, "films of a circle, which the same people like"),
    Knob("dialogues", 1.35, 0.2, 100.0, "dialogues about each circle, in the mean"),
    Knob("noise", 0.95, 0.0, 0.99, "share of the films spoken of that are of no account"),
    Knob("tail", 1.0, 0.0, 2.0, "how unevenly circles are popular; 0 for all alike"),
)
_DIALOGUE_TOKENS = 192
_FEWEST_CIRCLES = 12
# How many films a dialogue names, and how many a question wants, by how often.
_FILMS = ((3, 4, 5, 6, 7, 8, 10), (84, 340, 304, 134, 65, 33, 35))
_GOLDS = ((1, 2, 3), (72, 21, 7))
_FEWEST_NAMED = 2  # Films of its circle that a question names.
_MOST_OTHERS = 2  # Films of other circles that it names.
_OF_ONE_TASTE = 0.25  # How often a film of no account is of the taste that was spoken of.


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row over the catalogue of its seed and length.

    Raises:
        UsageError: when the dialogues are too few for that many questions.
    """
    catalogue = catalogue_of(spec)
    noise = spec.knobs["noise"]
    rng = random_stream(spec.seed, "recsys", spec.row)
    context = "\n\n".join(_dialogues(rng, catalogue, noise, spec.tokens / rate_of("films")))
    pairs = distinct(_pairs(rng, catalogue, noise, spec.questions), spec.questions)
    return row_content(spec.source, context, pairs, first_id=spec.row * spec.questions)


def catalogue_of(spec: RowSpec) -> FilmCatalogue:
    """Return the films that a row is about; rows of one seed, length and knobs share them."""
    dialogues = spec.tokens / _DIALOGUE_TOKENS
    circles = max(_FEWEST_CIRCLES, round(dialogues / spec.knobs["dialogues"]))
    return make_catalogue(spec.seed, circles, int(spec.knobs["circle"]), spec.knobs["tail"])


def _dialogues(rng: Random, catalogue: FilmCatalogue, noise: float, tokens: float) -> Iterator[str]:
    """Yield dialogues, about popular circles more often, until the row has its length."""
    number = 0
    while tokens > 0:
        number += 1
        circle = catalogue.circle(rng)
        [count] = rng.choices(_FILMS[0], _FILMS[1])
        films = _films(rng, catalogue, circle, count, noise)
        turns = talk(rng, circle.taste, films)
        text = f"Dialogue {number}:\n" + "\n".join(turns)
        tokens -= tokens_of(text)
        yield text


def _films(
    rng: Random, catalogue: FilmCatalogue, circle: Circle, count: int, noise: float
) -> list[Film]:
    """Return the films of a dialogue: some of the circle, and others of no account."""
    own = rng.sample(circle.films, len(circle.films))
    films: list[Film] = []
    while len(films) < count:
        if own and rng.random() >= noise:
            films.append(own.pop())
        elif (film := rng.choice(_other(rng, catalogue, circle).films)) not in films:
            films.append(film)
    return films


def _other(rng: Random, catalogue: FilmCatalogue, circle: Circle) -> Circle:
    """Return another circle, the popular ones more often."""
    while True:
        taste = circle.taste if rng.random() < _OF_ONE_TASTE else None
        other = catalogue.circle(rng, taste)
        if other is not circle:
            return other


def _pairs(rng: Random, catalogue: FilmCatalogue, noise: float, count: int) -> Iterator[QAPair]:
    """Ask about circles as they are spoken of; the golds are the films that are not named."""
    for _ in range(4 * count):
        circle = catalogue.circle(rng)
        first, *others = circle.films
        rng.shuffle(others)
        [golds] = rng.choices(_GOLDS[0], _GOLDS[1])
        golds = min(golds, len(circle.films) - _FEWEST_NAMED)
        # A title shared by two films would make a poor gold: the first film is always named.
        named, wanted = [first, *others[golds:]], others[:golds]
        # Of each other circle one film, so that most of the films named are of this one.
        strangers = [
            _other(rng, catalogue, circle) for _ in range(_MOST_OTHERS) if rng.random() < noise
        ]
        named += [rng.choice(other.films) for other in dict.fromkeys(strangers)]
        rng.shuffle(named)
        ids = tuple(str(catalogue.entities[entity_name(film)]) for film in wanted)
        yield QAPair(opened(rng, circle.taste, named), ids)


GENERATOR = Generator(
    family="recsys",
    make_row=_make_row,
    knobs=_KNOBS,
    entities=lambda spec: catalogue_of(spec).entities,
)
