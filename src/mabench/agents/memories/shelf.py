"""Texts by their ids, with the time and the user of each: what the built-in memories share."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from mabench.contract.answers import AgentError
from mabench.contract.interfaces import Passage


class Held(NamedTuple):
    """A text that is held; time and user are None where nobody said them."""

    text: str
    time: datetime | None
    user: str | None


class Shelf:
    """Texts by number, in the order in which they were added.

    The ids of ``add``, ``update`` and ``delete`` are the numbers as text, and an ``AgentError``
    says that there is no such text. A search is shown what was said up to its time, and by its
    user; statistics of words are over everything.
    """

    def __init__(self) -> None:
        self.held: dict[int, Held] = {}
        self.added = 0  # How many ever were.
        self.bytes = 0  # Of the texts, in UTF-8.
        self.lock = threading.RLock()

    def add(self, text: str, time: datetime | None, user: str | None) -> int:
        """Hold a text, and return its number."""
        number, self.added = self.added, self.added + 1
        self._put(number, Held(text, time, user))
        return number

    def update(self, id: str, text: str, time: datetime | None, user: str | None) -> int:
        """Hold another text in place of one; what is None stays as it was. Return its number."""
        number = self._number(id)
        old = self.held[number]
        self._put(number, Held(text, time or old.time, old.user if user is None else user))
        return number

    def delete(self, id: str | None, user: str | None) -> list[int]:
        """Forget a text, all of a user, or both at once: a text if it is of that user."""
        if id is None and user is None:
            raise AgentError("delete needs an id or a user")
        numbers = [*self.held] if id is None else [self._number(id)]
        gone = [n for n in numbers if user is None or self.held[n].user == user]
        for number in gone:
            self._put(number, None)
        return gone

    def of_user(self, user: str | None) -> list[Passage]:
        """Return what is held, of one user or of all."""
        return [Passage(h.text, None, h.time) for h in self.held.values() if user in (None, h.user)]

    def best(
        self,
        ranked: Iterable[tuple[int, float]],
        k: int,
        time: datetime | None,
        user: str | None,
    ) -> list[Passage]:
        """Return the first ``k`` of ``ranked`` numbers and scores that a search may see."""
        found: list[Passage] = []
        for number, score in ranked:
            if len(found) >= k:
                break
            held = self.held.get(number)
            if held is None or (user is not None and held.user != user):
                continue
            if time is None or held.time is None or held.time <= time:
                found.append(Passage(held.text, score, held.time))
        return found

    def _put(self, number: int, held: Held | None) -> None:
        for one, sign in ((self.held.get(number), -1), (held, 1)):
            self.bytes += sign * len(one.text.encode("utf-8", "surrogatepass")) if one else 0
        if held:
            self.held[number] = held
        else:
            del self.held[number]

    def _number(self, id: str) -> int:
        number = int(id) if id.isdecimal() else -1
        if number not in self.held:
            raise AgentError(f"no text has the id {id!r}")
        return number
