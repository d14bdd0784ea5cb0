"""The texts of a memory: how they are cleaned, what belongs to them, and how they are found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import NamedTuple

_BEFORE_ALL_TIMES = -1e12  # Seconds: some 30,000 years before 1970.


def encodable(text: str) -> str:
    """Return a text with question marks for lone surrogates, on which tokenizers fail."""
    return text.encode("utf-8", "replace").decode("utf-8")


def storable(text: str) -> str:
    """Return an encodable text without NULs, which end strings in some databases."""
    return encodable(text.replace("\0", " "))


class Fields(NamedTuple):
    """What is known of a text beside its words; or what a search or a list is limited to."""

    time: datetime | None = None
    speaker: str | None = None
    session: str | None = None
    user: str | None = None

    @property
    def owner(self) -> str:
        """A name for the user of letters and digits only, which no other user has.

        A text without a user has an owner, too: ``nobody``.
        """
        if self.user is None:
            return "nobody"
        return "user" + self.user.encode("utf-8", "surrogatepass").hex()

    @property
    def at(self) -> float:
        """The time in seconds since 1970, by which systems filter; without one, before all."""
        return _BEFORE_ALL_TIMES if self.time is None else self.time.timestamp()


class Found(NamedTuple):
    """A text that a system found or holds, with the system's ids of what it comes from."""

    text: str
    score: float | None = None
    ids: Sequence[str] = ()


def interleave(rankings: Iterable[Iterable[str]]) -> Iterable[Found]:
    """Merge rankings without scores: yield all first texts, then all second texts, and so on."""
    for texts_of_rank in zip_longest(*rankings):
        for text in texts_of_rank:
            if text is not None:
                yield Found(text)
