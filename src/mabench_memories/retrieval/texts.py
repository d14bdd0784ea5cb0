"""Texts that are held, and searched by how well each of them fits a query."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import count, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from mabench.contract import Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # From a query to a score of each text, in their order.
    Scorer = Callable[[str], NDArray[Any]]


class HeldText(NamedTuple):
    """A text with when and by whom it was said, as far as that is known."""

    text: str
    time: datetime | None
    user: str | None
    bytes: int  # That it takes.
    made: Any  # What it is found by.


class TextMemory:
    """Texts that any number of threads may add, search, replace and forget at a time.

    What finds them says what it makes of a text, and how it scores all of them for a query.
    """

    _make: Callable[[str], tuple[int, Any]]  # Bytes, and what it is found by.
    _scorer: Callable[[Sequence[HeldText]], Scorer]

    def __init__(self) -> None:
        self._texts: dict[str, HeldText] = {}
        self._ids = map(str, count(1))
        self._index: tuple[Sequence[HeldText], Scorer] | None = None  # Until one of them changes.
        self._lock = threading.Lock()

    def add(self, text: str, *, time: datetime | None = None, user: str | None = None) -> str:
        """Store a text and return its id; the index is built again at the next search."""
        new = HeldText(text, time, user, *self._make(text))
        with self._lock:
            id, self._index = next(self._ids), None
            self._texts[id] = new
        return id

    def update(self, id: str, text: str, *, time: datetime | None = None) -> None:
        """Put another text in the place of one, with its time unless another is given.

        Raises:
            LookupError: when there is no text of that id.
        """
        made = self._make(text)
        with self._lock:
            old = self._get(id)
            self._texts[id] = HeldText(text, time or old.time, old.user, *made)
            self._index = None

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Forget a text, or all of a user; a ``LookupError`` if there is no text of that id."""
        with self._lock:
            if id is not None:
                self._get(id)
            own = (key for key, one in self._texts.items() if user is not None and one.user == user)
            for key in [*own] if id is None else [id]:
                del self._texts[key]
            self._index = None

    def list(self, *, user: str | None = None) -> Sequence[Passage]:
        """Return all texts, or those of a user, in the order in which they were added."""
        own = (one for one in self._all() if user in (None, one.user))
        return [Passage(one.text, None, one.time) for one in own]

    def stats(self) -> dict[str, int]:
        """Return how many texts are stored, and their bytes."""
        texts = self._all()
        return {"memories": len(texts), "bytes": sum(one.bytes for one in texts)}

    def search(
        self, query: str, k: int, *, time: datetime | None = None, user: str | None = None
    ) -> Sequence[Passage]:
        """Return the ``k`` best texts, or all of them when there are fewer, the best first.

        Only those that were said by then, by this user; of equal ones the order is ``_rank``'s.
        """
        with self._lock:
            if not self._texts:
                return []
            if self._index is None:
                held = [*self._texts.values()]
                self._index = held, self._scorer(held)
            texts, scorer = self._index
        scores = scorer(query)
        ranked = ((texts[place], float(scores[place])) for place in self._rank(scores))
        seen = (
            Passage(one.text, score, one.time)
            for one, score in ranked
            if user in (None, one.user) and not (time and one.time and one.time > time)
        )
        return [*islice(seen, max(k, 0))]

    def _rank(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the places of the texts, the best first; equal ones in the order of addition."""
        import numpy as np

        return np.argsort(-scores, kind="stable")

    def _get(self, id: str) -> HeldText:
        if id not in self._texts:
            raise LookupError(f"no text has the id {id!r}")
        return self._texts[id]

    def _all(self) -> Sequence[HeldText]:
        with self._lock:
            return [*self._texts.values()]
