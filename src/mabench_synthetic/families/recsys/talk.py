"""What two people say to each other about films: greetings, wishes, offers and replies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from mabench_synthetic.families.recsys.catalogue import Film
from mabench_synthetic.language.english import listed
from mabench_synthetic.language.wordings import table

_SYSTEM_FIRST = 0.6  # How often the one who recommends opens a dialogue.
_CHATS = 0.5  # How often they ask after each other first,
_SAYS_TASTE = 0.85  # the user names a taste,
_TWO = 0.25  # two films are offered at once,
_NAMES_ANOTHER = 0.3  # a reply names a film itself,
_LAST_WORD = 0.5  # and the user has the last word.
_LIKED = ((0, 1, 2), (30, 45, 25))  # Films that the user names at first, by how often.
_LINES = table("films", "lines")


def talk(rng: Random, taste: str, films: Sequence[Film]) -> Iterator[str]:
    """Yield the turns of a whole dialogue that names ``films`` in their order."""
    if rng.random() < _SYSTEM_FIRST:
        yield f"System: {_line(rng, 'greeting')}"
    *turns, last = _turns(rng, taste, films)
    yield from turns
    yield f"{last} {_line(rng, 'thanks')}"
    yield f"System: {_line(rng, 'farewell')}"
    if rng.random() < _LAST_WORD:
        yield f"User: {_line(rng, 'bye')}"


def opened(rng: Random, taste: str, films: Sequence[Film]) -> str:
    """Return a dialogue that names ``films`` in their order and waits for a recommendation."""
    return "\n" + "\n".join([*_turns(rng, taste, films), "System: "])


def _turns(rng: Random, taste: str, films: Sequence[Film]) -> Iterator[str]:
    """Yield turns by turns, the user's first and last."""
    yield f"User: {_line(rng, 'reply')}"
    if rng.random() < _CHATS:
        yield f"System: {_line(rng, 'how')}"
        yield f"User: {_line(rng, 'fine')}"
    yield f"System: {_line(rng, 'question')}"
    [liked] = rng.choices(*_LIKED)
    yield f"User: {_wish(rng, taste, films[:liked])}"
    left = list(films[liked:])
    while left:
        count = 2 if rng.random() < _TWO else 1
        offered, left = left[:count], left[count:]
        yield f"System: {_line(rng, 'offer', films=_titles(offered))}"
        reply = _line(rng, rng.choice(("seen", "seen", "unseen", "refusal")))
        if left and rng.random() < _NAMES_ANOTHER:
            reply += f" {_line(rng, 'another', film=left.pop(0))}"
        yield f"User: {reply}"


def _wish(rng: Random, taste: str, liked: Sequence[Film]) -> str:
    """Return what the user asks for: a taste, films that were liked, or anything."""
    said = [_line(rng, "taste", taste=taste)] if rng.random() < _SAYS_TASTE else []
    if liked:
        said.append(_line(rng, "likes", films=_titles(liked)))
    return " ".join(said) or _line(rng, "anything")


def _titles(films: Sequence[Film]) -> str:
    return listed([str(film) for film in films])


def _line(rng: Random, kind: str, **slots: object) -> str:
    return rng.choice(_LINES[kind]).format(**slots)
