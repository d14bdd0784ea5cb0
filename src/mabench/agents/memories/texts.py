"""Texts by their ids, with the time and the user of each: what the built-in memories share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from mabench.contract.answers import AgentError
from mabench.contract.interfaces import Passage

Ranking = Callable[[str], Iterable[tuple[int, float]]]  # Places and scores for a query.


class Held(NamedTuple):
    """A text that is held; time and user are None where nobody said them."""

    text: str
    time: datetime | None
    user: str | None
    vectors: Any  # An array of a row for each; None in a memory without.
    bytes: int  # Of the vectors, or else of the text in UTF-8.


class TextMemory:
    """Texts in the order in which they were added; a subclass makes what ranks them.

    A search is shown what was said up to its time, and by its user; the rest counts for the
    weights of words alone. An ``AgentError`` says that no text has an id.
    """

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}
        self._added = 0
        self._ranking: tuple[Sequence[Held], Ranking] | None = None  # Until something changes.
        self._lock = threading.Lock()

    def _vectors_of(self, text: str) -> Any:
        return None

    def _rank(self, held: Sequence[Held]) -> Ranking:
        raise NotImplementedError

    def add(self, text: str, *, time: datetime | None = None, user: str | None = None) -> str:
        """Store a text and return its id; it is ranked from the next search on."""
        held = self._hold(text, time, user)
        with self._lock:
            self._added += 1
            self._held[id := str(self._added)], self._ranking = held, None
        return id

    def update(
        self, id: str, text: str, *, time: datetime | None = None, user: str | None = None
    ) -> None:
        """Store another text in place of one, with its time and user unless others are given."""
        new = self._hold(text, time, user)
        with self._lock:
            old = self._get(id)
            new = new._replace(time=time or old.time, user=old.user if user is None else user)
            self._held[id], self._ranking = new, None

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Forget a text, or all of a user."""
        with self._lock:
            gone = {id: self._get(id)} if id is not None else self._held if user is not None else {}
            for key in [key for key, one in gone.items() if user in (None, one.user)]:
                del self._held[key]
            self._ranking = None

    def list(self, *, user: str | None = None) -> Sequence[Passage]:
        """Return the texts of a user, or all."""
        held = [*self._held.values()]
        return [Passage(one.text, None, one.time) for one in held if user in (None, one.user)]

    def stats(self) -> dict[str, int]:
        """Return how many texts there are, and the bytes of their vectors, or else of the texts."""
        held = [*self._held.values()]
        return {"memories": len(held), "bytes": sum(one.bytes for one in held)}

    def search(
        self, query: str, k: int, *, time: datetime | None = None, user: str | None = None
    ) -> Sequence[Passage]:
        """Return the ``k`` best texts, or all of them when there are fewer, the best first."""
        with self._lock:
            if self._ranking is None:
                everything = [*self._held.values()]
                self._ranking = everything, self._rank(everything) if everything else lambda _: []
            held, ranking = self._ranking
        found = (
            Passage(held[i].text, score, held[i].time)
            for i, score in ranking(query)
            if user in (None, held[i].user) and (time is None or (held[i].time or time) <= time)
        )
        return [*islice(found, max(k, 0))]

    def _hold(self, text: str, time: datetime | None, user: str | None) -> Held:
        vectors = self._vectors_of(text)
        size = len(text.encode("utf-8", "surrogatepass")) if vectors is None else vectors.nbytes
        return Held(text, time, user, vectors, size)

    def _get(self, id: str) -> Held:
        if id not in self._held:
            raise AgentError(f"no text has the id {id!r}")
        return self._held[id]
