"""Wordings with alternatives and slots, and the names that fill the slots."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random

from mabench.text.names import Names

_GROUP = re.compile(r"\(([^()]*)\)")
# Of two blanks the first, and a blank before a mark.
_BLANKS = re.compile(r" (?=[ ?.,:])")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiouAEIOU])")
# A word that two parts of a text meet in.
_TWICE = re.compile(r"\b(\w{2,}) \1\b")
_SLOT = re.compile(r"\{(\w+)\}")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SPANS = ("two days", "a week", "ten days", "three weeks", "a month", "six months", "a year")
_BODIES = ("Institute", "Museum", "Press", "Shipyard", "Society", "Theatre", "Bank", "Works")
# How often a name is one that was there before.
_AGAIN = 0.7


def varied(rng: Random, wording: str) -> str:
    """Take one of the alternatives in each pair of brackets: ``(big/large) house``.

    An alternative may be empty; blanks that it leaves behind are removed.
    """
    text = "".join(rng.choice(part) for part in _parts(wording))
    return _BLANKS.sub("", text).strip()


@lru_cache(maxsize=20_000)
def _parts(wording: str) -> tuple[tuple[str, ...], ...]:
    pieces = _GROUP.split(wording)
    return tuple(
        tuple(piece.split("/")) if place % 2 else (piece,) for place, piece in enumerate(pieces)
    )


class SlotFiller:
    """Fills slots with names of its own, of which some recur, and with days, spans and numbers."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._names = Names(rng)
        self._known: dict[str, list[str]] = {}

    def fill(self, wording: str) -> str:
        """Fill the slots of a wording from left to right; ``a`` becomes ``an`` where it should.

        A word that would stand twice in a row stands once.
        """
        text = _SLOT.sub(lambda slot: self._value(slot[1]), wording)
        return _ARTICLE.sub(r"\1n ", _TWICE.sub(r"\1", text))

    def _value(self, slot: str) -> str:
        rng = self._rng
        if slot == "day":
            return rng.choice(_DAYS)
        if slot == "span":
            return rng.choice(_SPANS)
        if slot == "number":
            return str(rng.randrange(2, 60))
        if slot == "year":
            return str(rng.randrange(1720, 1990))
        if slot == "letters":
            return "".join(rng.sample("ABCDEFGHIKLMNOPRSTUVW", rng.choice((2, 3, 3, 4))))
        return self._name(slot)

    def _name(self, kind: str) -> str:
        known = self._known.setdefault(kind, [])
        again = known and self._rng.random() < _AGAIN
        known.append(self._rng.choice(known) if again else self._invented(kind))
        return known[-1]

    def _invented(self, kind: str) -> str:
        names, rng = self._names, self._rng
        if kind == "person":
            return names.person() if rng.random() < 0.25 else names.word()
        if kind == "body":
            return f"the {names.word()} {rng.choice(_BODIES)}"
        if kind == "country":
            return names.word(rng.choice(("ia", "land", "or")))
        return names.word()
