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

    @property
    def size(self) -> int:
        """The bytes of the vectors, or else of the text in UTF-8."""
        if self.vectors is not None:
            return int(self.vectors.nbytes)
        return len(self.text.encode("utf-8", "surrogatepass"))


class TextMemory:
    """Texts in the order in which they were added; what ranks them is made by a subclass.

    A search is shown what was said up to its time, and by its user; the rest counts for the
    weights of words alone. An ``AgentError`` says that no text has an id.
    """

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}
        self._added = self._bytes = 0
        self._ranking: tuple[Sequence[Held], Ranking] | None = None  # Until something changes.
        self._lock = threading.RLock()

    def _vectors_of(self, text: str) -> Any:
        return None

    def _rank(self, held: Sequence[Held]) -> Ranking:
        raise NotImplementedError

    def add(self, text: str, *, time: datetime | None = None, user: str | None = None) -> str:
        """Store a text and return its id; it is ranked from the next search on."""
        held = Held(text, time, user, self._vectors_of(text))
        with self._lock:
            self._added += 1
            self._put(str(self._added), held)
            return str(self._added)

    def update(
        self, id: str, text: str, *, time: datetime | None = None, user: str | None = None
    ) -> None:
        """Store another text in place of one, with its time and user unless others are given."""
        vectors = self._vectors_of(text)
        with self._lock:
            old = self._get(id)
            self._put(id, Held(text, time or old.time, old.user if user is None else user, vectors))

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Forget a text, or all of a user."""
        with self._lock:
            ids = [id] if id is not None else [*self._held] if user is not None else []
            for name in ids:
                if user in (None, self._get(name).user):
                    self._put(name, None)

    def list(self, *, user: str | None = None) -> Sequence[Passage]:
        """Return the texts of a user, or all."""
        with self._lock:
            held = [*self._held.values()]
        return [Passage(one.text, None, one.time) for one in held if user in (None, one.user)]

    def search(
        self, query: str, k: int, *, time: datetime | None = None, user: str | None = None
    ) -> Sequence[Passage]:
        """Return the ``k`` best texts, or all of them when there are fewer, the best first."""
        with self._lock:
            if not self._held:
                return []
            if self._ranking is None:
                everything = [*self._held.values()]
                self._ranking = everything, self._rank(everything)
            held, ranking = self._ranking
        found = (
            Passage(held[i].text, score, held[i].time)
            for i, score in ranking(query)
            if user in (None, held[i].user) and (time is None or (held[i].time or time) <= time)
        )
        return [*islice(found, max(k, 0))]

    def stats(self) -> dict[str, int]:
        """Return how many texts there are, and the bytes of their vectors, or else of the texts."""
        return {"memories": len(self._held), "bytes": self._bytes}

    def _get(self, id: str) -> Held:
        if id not in self._held:
            raise AgentError(f"no text has the id {id!r}")
        return self._held[id]

    def _put(self, id: str, held: Held | None) -> None:
        self._ranking = None
        old = self._held.get(id)
        self._bytes += (held.size if held else 0) - (old.size if old else 0)
        if held:
            self._held[id] = held
        else:
            del self._held[id]
