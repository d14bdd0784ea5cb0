"""Recommendation rows: dialogues of people with hidden tastes over an invented catalogue.

A taste is never asked for by name in a question: it shows in the films that the user likes, and
the dialogues of the context tell which films are liked together.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mabench.dataset.schema import RowContent
from mabench.synthesis.catalogue import FILMS_PER_TASTE, Catalogue, Film, entity_name
from mabench.synthesis.english import listed
from mabench.synthesis.rows import Item, row_content

_DIALOGUES_PER_TASTE = 6
_QUESTIONS = 20
_GREETINGS = (
    "Hello! What kind of films do you like?",
    "Hi, what are you in the mood for tonight?",
    "Good evening. Tell me about some films that you enjoyed.",
    "Welcome back! Shall we find you something to watch?",
)
_LIKES = (
    "I could watch {films} every week.",
    "My favourites are {films}.",
    "Lately I enjoyed {films} a lot.",
    "Something like {films} would be great.",
)
_TASTES = (
    "You seem to like {taste}, is that right?",
    "So you are one for {taste}, I see.",
    "Ah, {taste}! There are some fine ones.",
)
_OFFERS = (
    "Have you seen {film}? I think you would like it.",
    "Then {film} is the one for you.",
    "People who love those also love {film}.",
    "You could try {film} next.",
)
_SEEN = (
    "Yes, I have seen {film} and I loved it. What else is there?",
    "{film} was wonderful, I know it by heart. Do you have another one?",
    "That one I have seen already, and I liked it. Any other ideas?",
)
_THANKS = (
    "That sounds perfect, thank you.",
    "I will watch that tonight, thanks a lot!",
    "Great, I have not seen it yet. Bye!",
)
_FAREWELLS = ("Enjoy the film!", "You are welcome, have a good night.", "My pleasure, goodbye.")


def make_rows(rng: Random, catalogue: Catalogue) -> list[RowContent]:
    """Return one row over ``catalogue``."""
    context = "\n\n".join(
        f"Dialogue {i}:\n" + "\n".join(turns)
        for i, turns in enumerate(_dialogues(rng, catalogue), start=1)
    )
    items = _items(rng, catalogue)
    return [row_content("recsys_redial_full", context, items)]


def _dialogues(rng: Random, catalogue: Catalogue) -> list[list[str]]:
    dialogues = [
        _dialogue(rng, taste, _rotated(films, i))
        for taste, films in catalogue.films.items()
        for i in range(_DIALOGUES_PER_TASTE)
    ]
    rng.shuffle(dialogues)
    return dialogues


def _rotated(films: Sequence[Film], start: int) -> list[Film]:
    """Return the films beginning with another one each time, so that each is offered."""
    return [*films[start:], *films[:start]]


def _dialogue(rng: Random, taste: str, films: Sequence[Film]) -> list[str]:
    """Return the turns of a whole dialogue: two films liked, one seen, one accepted."""
    return [
        f"System: {rng.choice(_GREETINGS)}",
        f"User: {_likes(rng, films[:2])}",
        f"System: {rng.choice(_TASTES).format(taste=taste)} {_offer(rng, films[2])}",
        f"User: {rng.choice(_SEEN).format(film=films[2])}",
        f"System: {_offer(rng, films[3])}",
        f"User: {rng.choice(_THANKS)}",
        f"System: {rng.choice(_FAREWELLS)}",
    ]


def _items(rng: Random, catalogue: Catalogue) -> list[Item]:
    """Ask about every taste, some twice, with one to three of its films left to be named."""
    tastes = list(catalogue.films)
    asked = [*tastes, *rng.sample(tastes, _QUESTIONS - len(tastes))]
    rng.shuffle(asked)
    return [_item(rng, catalogue, taste, golds=1 + i % 3) for i, taste in enumerate(asked)]


def _item(rng: Random, catalogue: Catalogue, taste: str, golds: int) -> Item:
    first, *others = catalogue.films[taste]
    rng.shuffle(others)
    # A title shared by two films would make a poor gold: the first film is always named.
    split = FILMS_PER_TASTE - 1 - golds
    seen, wanted = [first, *others[:split]], others[split:]
    ids = tuple(str(catalogue.entities[entity_name(film)]) for film in wanted)
    return Item(_question(rng, seen), ids)


def _question(rng: Random, seen: Sequence[Film]) -> str:
    *liked, offered = seen
    turns = [
        f"User: {_likes(rng, liked)}",
        f"System: {_offer(rng, offered)}",
        f"User: {rng.choice(_SEEN).format(film=offered)}",
        "System: ",
    ]
    return "\n" + "\n".join(turns)


def _likes(rng: Random, films: Sequence[Film]) -> str:
    return rng.choice(_LIKES).format(films=listed([str(film) for film in films]))


def _offer(rng: Random, film: Film) -> str:
    return rng.choice(_OFFERS).format(film=film)
