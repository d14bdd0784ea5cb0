"""The texts of a memory: made encodable, with their fields, and as they are found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import NamedTuple


def encodable(text: str) -> str:
    """Return a text with question marks for lone surrogates, on which tokenizers fail."""
    return text.encode("utf-8", "replace").decode("utf-8")


def storable(text: str) -> str:
    """Return an encodable text without NULs, which end strings in some databases."""
    return encodable(text.replace("\0", " "))


class Fields(NamedTuple):
    """The fields of a text, of a query or of a list."""

    time: datetime | None = None
    speaker: str | None = None
    session: str | None = None
    user: str | None = None

    @property
    def owner(self) -> str:
        """A unique name for the user, or for no user, of letters and digits only."""
        key = (self.user or "").encode("utf-8", "surrogatepass").hex()
        return "nobody" if self.user is None else f"user{key}"

    @property
    def at(self) -> float:
        """The time as a number for filters; without a time, before all times."""
        return -1e12 if self.time is None else self.time.timestamp()


class Found(NamedTuple):
    """A text that a system found or holds, with the ids of what it comes from."""

    text: str
    score: float | None = None
    ids: Sequence[str] = ()


def interleave(rankings: Iterable[Iterable[str]]) -> Iterable[Found]:
    """Merge rankings without scores: all first texts, then all second texts, and so on."""
    for texts_of_rank in zip_longest(*rankings):
        for text in texts_of_rank:
            if text is not None:
                yield Found(text)
