"""Recommendation rows: dialogues of people with hidden tastes over an invented catalogue.

Films come in circles: who likes some of a circle likes the others. A circle is never named; it
shows in the films that people like together, among the films of other circles that they mention
and the popular ones that everybody talks of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from mabench.data.schema import RowContent
from mabench.synthesis.content import QAPair, distinct, row_content
from mabench.synthesis.families.recsys.catalogue import (
    Circle,
    Film,
    FilmCatalogue,
    entity_name,
    make_catalogue,
)
from mabench.synthesis.generator import Generator, Knob, RowSpec, random_stream
from mabench.synthesis.language.english import listed
from mabench.synthesis.language.length import tokens_of
from mabench.synthesis.language.wordings import table

_KNOBS = (
    Knob("circle", 7, 5, 30, "films of a circle, which the same people like"),
    Knob("dialogues", 6, 3, 100, "dialogues about each circle, in the mean"),
    Knob("noise", 0.5, 0.0, 0.95, "share of the films spoken of that are of no account"),
)
_DIALOGUE_TOKENS = 215
_FEWEST_CIRCLES = 12
_MOST_GOLDS = 3
# Between o200k_base and the estimate of length.py, measured on generated rows.
_RATE = 0.924
# An aside is about a film from outside the circle, which somebody mentions and did not care for.
_LINES = table("""
greeting: Hello! What kind of films do you like? | Hi, what are you in the mood for tonight? |
    Good evening. Tell me about some films that you enjoyed. |
    Welcome back! Shall we find you something to watch?
likes: I could watch {films} every week. | My favourites are {films}. |
    Lately I enjoyed {films} a lot. | Something like {films} would be great.
taste: You seem to like {taste}, is that right? | So you are one for {taste}, I see. |
    Ah, {taste}! There are some fine ones.
offer: Have you seen {film}? I think you would like it. | Then {film} is the one for you. |
    People who love those also love {film}. | You could try {film} next.
aside: I did not get on with {film}, though everybody praised it. |
    {film} was on last week, and I fell asleep. |
    My brother made me watch {film}, which was not for me. | I had to stop {film} in the middle.
seen: Yes, I have seen {film} and I loved it. What else is there? |
    {film} was wonderful, I know it by heart. Do you have another one? |
    That one I have seen already, and I liked it. Any other ideas?
refusal: I do not think that is for me. Something else? | No, I would rather see another one. |
    I have heard of it, and it does not appeal to me.
thanks: That sounds perfect, thank you. | I will watch that tonight, thanks a lot! |
    Great, I have not seen it yet. Bye!
farewell: Enjoy the film! | You are welcome, have a good night. | My pleasure, goodbye.
""")


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row over the catalogue of its seed and length.

    Raises:
        UsageError: when the dialogues are too few for that many questions.
    """
    catalogue = catalogue_of(spec)
    noise = spec.knobs["noise"]
    rng = random_stream(spec.seed, "recsys", spec.row)
    context = "\n\n".join(_dialogues(rng, catalogue, noise, spec.tokens / _RATE))
    pairs = distinct(_pairs(rng, catalogue, noise, spec.questions), spec.questions)
    return row_content(spec.source, context, pairs, first_id=spec.row * spec.questions)


def catalogue_of(spec: RowSpec) -> FilmCatalogue:
    """Return the films that a row is about; rows of one seed, length and knobs share them."""
    dialogues = spec.tokens / _DIALOGUE_TOKENS
    circles = max(_FEWEST_CIRCLES, round(dialogues / spec.knobs["dialogues"]))
    return make_catalogue(spec.seed, circles, int(spec.knobs["circle"]))


def _dialogues(rng: Random, catalogue: FilmCatalogue, noise: float, tokens: float) -> Iterator[str]:
    """Yield dialogues, every circle in turn, until the row has its length."""
    left: list[Circle] = []
    number = 0
    while tokens > 0:
        if not left:
            left = rng.sample(catalogue.circles, len(catalogue.circles))
        number += 1
        turns = _dialogue(rng, catalogue, left.pop(), noise)
        text = f"Dialogue {number}:\n" + "\n".join(turns)
        tokens -= tokens_of(text)
        yield text


def _dialogue(rng: Random, catalogue: FilmCatalogue, circle: Circle, noise: float) -> Iterator[str]:
    """Yield the turns of a whole dialogue: films liked, one seen, one accepted."""
    films = rng.sample(circle.films, min(len(circle.films), rng.choice((4, 5))))
    *liked, seen, accepted = films
    yield f"System: {_line(rng, 'greeting')}"
    yield f"User: {_likes(rng, liked)}{_aside(rng, catalogue, noise)}"
    yield f"System: {_line(rng, 'taste', taste=circle.taste)} {_line(rng, 'offer', film=seen)}"
    yield f"User: {_line(rng, 'seen', film=seen)}"
    if rng.random() < noise:
        yield f"System: {_line(rng, 'offer', film=_other(rng, catalogue))}"
        yield f"User: {_line(rng, 'refusal')}"
    yield f"System: {_line(rng, 'offer', film=accepted)}"
    yield f"User: {_line(rng, 'thanks')}"
    yield f"System: {_line(rng, 'farewell')}"


def _other(rng: Random, catalogue: FilmCatalogue) -> Film:
    """Return a film of any circle; films of the first circles, the popular ones, are likelier."""
    circles = catalogue.circles
    return rng.choice(circles[int(len(circles) * rng.random() ** 3)].films)


def _aside(rng: Random, catalogue: FilmCatalogue, noise: float) -> str:
    if rng.random() >= noise:
        return ""
    wording = rng.choice(_LINES["aside"])
    return " " + wording.format(film=_other(rng, catalogue))


def _pairs(rng: Random, catalogue: FilmCatalogue, noise: float, count: int) -> Iterator[QAPair]:
    """Ask about random circles; the golds are the films of a circle that are not named."""
    for i in range(4 * count):
        circle = rng.choice(catalogue.circles)
        first, *others = circle.films
        rng.shuffle(others)
        golds = 1 + i % min(_MOST_GOLDS, len(others) - 1)
        # A title shared by two films would make a poor gold: the first film is always named.
        seen, wanted = [first, *others[: len(others) - golds]], others[len(others) - golds :]
        ids = tuple(str(catalogue.entities[entity_name(film)]) for film in wanted)
        yield QAPair(_question(rng, catalogue, seen, noise), ids)


def _question(rng: Random, catalogue: FilmCatalogue, seen: Sequence[Film], noise: float) -> str:
    *liked, offered = seen
    turns = [
        f"User: {_likes(rng, liked)}{_aside(rng, catalogue, noise)}",
        f"System: {_line(rng, 'offer', film=offered)}",
        f"User: {_line(rng, 'seen', film=offered)}",
        "System: ",
    ]
    return "\n" + "\n".join(turns)


def _likes(rng: Random, films: Sequence[Film]) -> str:
    return _line(rng, "likes", films=listed([str(film) for film in films]))


def _line(rng: Random, kind: str, **slots: object) -> str:
    return rng.choice(_LINES[kind]).format(**slots)


GENERATOR = Generator(
    family="recsys",
    make_row=_make_row,
    knobs=_KNOBS,
    entities=lambda spec: catalogue_of(spec).entities,
)
