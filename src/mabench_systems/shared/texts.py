"""The texts of a memory: what a system can encode of them, how they are told and how found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import NamedTuple


def encodable(text: str) -> str:
    """Return the text with lone surrogates, which no tokenizer takes, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def storable(text: str) -> str:
    """Return an encodable text without NULs, at which the strings of some databases end."""
    return encodable(text.replace("\0", " "))


class Fields(NamedTuple):
    """What a text was told with."""

    time: datetime | None = None
    speaker: str | None = None
    session: str | None = None
    user: str | None = None

    @property
    def owner(self) -> str:
        """Letters and digits for the user, or for no user; no other user has them."""
        key = (self.user or "").encode("utf-8", "surrogatepass").hex()
        return "nobody" if self.user is None else f"user{key}"

    @property
    def at(self) -> float:
        """The time as a number that systems filter by; what has none is before all times."""
        return -1e12 if self.time is None else self.time.timestamp()


class Found(NamedTuple):
    """A text that a system holds or found, with the ids of the system that it comes from."""

    text: str
    score: float | None = None
    ids: Sequence[str] = ()


def interleave(rankings: Iterable[Iterable[str]]) -> Iterable[Found]:
    """Return rankings without scores as one: all firsts, then all seconds."""
    return (Found(one) for rank in zip_longest(*rankings) for one in rank if one is not None)
