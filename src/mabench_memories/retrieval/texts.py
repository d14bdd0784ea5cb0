"""The base class of memories that hold texts and score each of them for a query."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from mabench.contract import Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # Returns the score of each text for a query.
    Scorer = Callable[[str], NDArray[Any]]


class Features(NamedTuple):
    """What a text is found by."""

    bytes: int  # The size in memory.
    vectors: Any = None  # A row for each vector; None where words are compared.


class StoredText(NamedTuple):
    """A text with its features, and its time and user if they are known."""

    text: str
    time: datetime | None
    user: str | None
    features: Features


class _Index(NamedTuple):
    """The texts at one time, and what scores them."""

    texts: Sequence[StoredText]
    score: Scorer


class TextMemory:
    """A memory that holds texts, which several threads may use at the same time.

    A subclass defines ``_features_of`` and ``_make_scorer``.
    """

    # Returns what a text is found by.
    _features_of: Callable[[str], Features]
    # Returns a function that scores these texts for a query.
    _make_scorer: Callable[[Sequence[StoredText]], Scorer]

    def __init__(self) -> None:
        """Make an empty memory."""
        self._texts: dict[str, StoredText] = {}  # By id.
        self._numbers = count(1)  # The ids of texts, of which none is used again.
        self._index: _Index | None = None  # None after a change, until the next search.
        self._lock = threading.Lock()

    def add(self, text: str, *, time: datetime | None = None, user: str | None = None) -> str:
        """Store a text and return its id; the index is built again at the next search."""
        stored = StoredText(text, time, user, self._features_of(text))
        with self._lock:
            id = str(next(self._numbers))
            self._texts[id] = stored
            self._index = None
        return id

    def update(self, id: str, text: str, *, time: datetime | None = None) -> None:
        """Replace a text; without a ``time``, the new text has the time of the old one.

        Raises:
            LookupError: when there is no text of that id.
        """
        features = self._features_of(text)
        with self._lock:
            old = self._get(id)
            self._texts[id] = StoredText(text, time or old.time, old.user, features)
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
                self._texts = {
                    text_id: stored
                    for text_id, stored in self._texts.items()
                    if stored.user != user
                }
            self._index = None

    def list(self, *, user: str | None = None) -> Sequence[Passage]:
        """Return all texts, or those of a user, in the order in which they were added."""
        return [
            Passage(stored.text, None, stored.time)
            for stored in self._all()
            if user in (None, stored.user)
        ]

    def stats(self) -> dict[str, int]:
        """Return how many texts are stored, and the bytes of their features."""
        texts = self._all()
        return {"memories": len(texts), "bytes": sum(stored.features.bytes for stored in texts)}

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
                texts = list(self._texts.values())
                self._index = _Index(texts, self._make_scorer(texts))
            index = self._index
        scores = index.score(query)
        passages: list[Passage] = []
        for place in self._rank(scores):
            if len(passages) >= k:
                break
            stored = index.texts[place]
            if user in (None, stored.user) and not _is_later(stored, time):
                passages.append(Passage(stored.text, float(scores[place]), stored.time))
        return passages

    def _rank(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the places of the texts, the best first; equal ones in the order of addition."""
        import numpy as np

        return np.argsort(-scores, kind="stable")

    def _get(self, id: str) -> StoredText:
        """Return the text with an id; raises ``LookupError`` if there is none."""
        if id not in self._texts:
            raise LookupError(f"no text has the id {id!r}")
        return self._texts[id]

    def _all(self) -> Sequence[StoredText]:
        """Return the texts at this time, in the order in which they were added."""
        with self._lock:
            return [*self._texts.values()]


def _is_later(text: StoredText, time: datetime | None) -> bool:
    """Return whether a text is known to be later than a time."""
    return time is not None and text.time is not None and text.time > time
