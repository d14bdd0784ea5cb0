"""The base class of memories that hold texts and score each of them for a query."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import count, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from mabench.contract import Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # Returns the score of each text for a query.
    Scorer = Callable[[str], NDArray[Any]]


class HeldText(NamedTuple):
    """A text, with its time and user if they are known."""

    text: str
    time: datetime | None
    user: str | None
    bytes: int  # The size in memory of what it is found by.
    made: Any  # What it is found by, such as its vectors.


class TextMemory:
    """A memory that holds texts, which several threads may use at the same time.

    A subclass defines ``_make`` and ``_scorer``.
    """

    # Returns what a text is found by, after its size in bytes.
    _make: Callable[[str], tuple[int, Any]]
    # Returns the index of some texts, as a function that scores them.
    _scorer: Callable[[Sequence[HeldText]], Scorer]

    def __init__(self) -> None:
        self._texts: dict[str, HeldText] = {}
        self._ids = map(str, count(1))
        # The texts with their index; None after a change, until the next search.
        self._index: tuple[Sequence[HeldText], Scorer] | None = None
        self._lock = threading.Lock()

    def add(self, text: str, *, time: datetime | None = None, user: str | None = None) -> str:
        """Store a text and return its id; the index is built again at the next search."""
        new = HeldText(text, time, user, *self._make(text))
        with self._lock:
            id = next(self._ids)
            self._texts[id] = new
            self._index = None
        return id

    def update(self, id: str, text: str, *, time: datetime | None = None) -> None:
        """Replace a text; without a ``time``, the new text has the time of the old one.

        Raises:
            LookupError: when there is no text of that id.
        """
        made = self._make(text)
        with self._lock:
            old = self._get(id)
            self._texts[id] = HeldText(text, time or old.time, old.user, *made)
            self._index = None

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Delete one text by its id, or all texts of a user.

        Raises:
            LookupError: when there is no text of that id.
        """
        with self._lock:
            if id is not None:
                self._get(id)
                del self._texts[id]
            elif user is not None:
                self._texts = {key: one for key, one in self._texts.items() if one.user != user}
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
        """Return the ``k`` best texts, the best first; all texts if there are fewer.

        Texts later than ``time``, and those of other users than ``user``, are left out.
        """
        with self._lock:
            if not self._texts:
                return []
            if self._index is None:
                held = list(self._texts.values())
                self._index = held, self._scorer(held)
            texts, scorer = self._index
        scores = scorer(query)
        ranked = ((texts[place], float(scores[place])) for place in self._rank(scores))
        visible = (
            Passage(one.text, score, one.time)
            for one, score in ranked
            if user in (None, one.user) and not _is_later(one, time)
        )
        return list(islice(visible, max(k, 0)))

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


def _is_later(text: HeldText, time: datetime | None) -> bool:
    """Return whether a text is known to be later than a time."""
    return time is not None and text.time is not None and text.time > time
