"""Memories that find texts by what they mean, alone or with the words that they share."""

from __future__ import annotations

import builtins
import threading
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from mabench.agents.memories.bm25 import BM25Memory
from mabench.agents.memories.shelf import Shelf
from mabench.contract.interfaces import Passage
from mabench.errors import UsageError
from mabench.models import make_embedder
from mabench.text import estimate_tokens, sentences, truncate_tokens

if TYPE_CHECKING:
    from mabench.models.embeddings import Vectors

DEFAULT_EMBEDDINGS = "sentence-transformers/all-MiniLM-L6-v2"
_FILLED = 0.8  # The share of a model's window that is filled: tokens are estimated.
_SMOOTHING, _DEPTH = 60, 100  # Of joined rankings.
_LONG_TEXTS = ("best", "mean", "cut")


class DenseMemory:
    """Finds texts by the cosine of their embeddings with the query's.

    The model is that of ``make_embedder``. A text that is longer than its window is embedded window
    by window, cut between sentences, and scores as its best one (MaxP of Dai and Callan, 2019);
    nothing is dropped. Of ``long_texts``, ``mean`` takes the mean of its windows by their lengths
    instead of the ``best``, and ``cut`` its beginning.
    """

    def __init__(
        self,
        embeddings: str = DEFAULT_EMBEDDINGS,
        base_url: str | None = None,
        pooling: str | None = None,
        long_texts: str = "best",
    ) -> None:
        if long_texts not in _LONG_TEXTS:
            there = f"long_texts={long_texts}: there are {', '.join(_LONG_TEXTS)}"
            raise UsageError(there, parameter="settings")
        self._embedder = make_embedder(embeddings, base_url, pooling)
        self._window = int(_FILLED * self._embedder.window)
        self._long_texts = long_texts
        self._shelf = Shelf()
        self._vectors: builtins.list[Vectors] = []
        self._owners: builtins.list[int] = []  # The number of the text, by vector.

    def add(self, text: str, *, time: datetime | None = None, user: str | None = None) -> str:
        """Embed a text, keep it and return its id."""
        vectors = self._embed(text)
        with self._shelf.lock:
            number = self._shelf.add(text, time, user)
            self._append(number, vectors)
        return str(number)

    def update(
        self, id: str, text: str, *, time: datetime | None = None, user: str | None = None
    ) -> None:
        """Keep another text in place of one."""
        vectors = self._embed(text)
        with self._shelf.lock:
            number = self._shelf.update(id, text, time, user)
            self._drop([number])
            self._append(number, vectors)

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Forget a text, or all of a user."""
        with self._shelf.lock:
            self._drop(self._shelf.delete(id, user))

    def list(self, *, user: str | None = None) -> Sequence[Passage]:
        """Return the texts of a user, or all."""
        with self._shelf.lock:
            return self._shelf.of_user(user)

    def search(
        self, query: str, k: int, *, time: datetime | None = None, user: str | None = None
    ) -> Sequence[Passage]:
        """Return the ``k`` nearest texts, or all when there are fewer, the nearest first."""
        import numpy as np

        if not self._shelf.held:
            return []
        [wanted] = self._embedder.embed([self._beginning(query)])
        with self._shelf.lock:
            self._vectors = [np.concatenate(self._vectors)] if self._vectors else []
            scores = np.full(self._shelf.added, -np.inf)
            if self._vectors:
                np.maximum.at(scores, self._owners, self._vectors[0] @ wanted)
            ranked = np.argsort(-scores, kind="stable")
            return self._shelf.best(((i, float(scores[i])) for i in ranked), k, time, user)

    def stats(self) -> dict[str, int]:
        """Return how many texts are stored, and the bytes of their vectors."""
        size = sum(vectors.nbytes for vectors in self._vectors)
        return {"memories": len(self._shelf.held), "bytes": size}

    def _embed(self, text: str) -> Vectors:
        if self._long_texts == "cut":
            return self._embedder.embed([self._beginning(text)])
        windows = _windows_of(text, self._window)
        vectors = self._embedder.embed(windows)
        return _mean(vectors, windows) if self._long_texts == "mean" else vectors

    def _append(self, number: int, vectors: Vectors) -> None:
        self._vectors.append(vectors)
        self._owners += [number] * len(vectors)

    def _drop(self, numbers: Sequence[int]) -> None:
        import numpy as np

        kept = ~np.isin(self._owners, numbers)
        self._vectors = [np.concatenate(self._vectors)[kept]]
        self._owners = np.array(self._owners)[kept].tolist()

    def _beginning(self, text: str) -> str:
        """Return what the model sees of a text; where it cuts by itself, it knows best where."""
        if self._long_texts == "cut" and self._embedder.truncates:
            return text
        return truncate_tokens(text, self._window)


class HybridMemory:
    """Joins the rankings of ``bm25`` and ``dense`` by reciprocal rank.

    A text scores the sum of 1 / (60 + rank) over both rankings, to a depth of 100 or ``k`` if that
    is more (Cormack, Clarke and Büttcher, 2009).
    """

    def __init__(self, embeddings: str = DEFAULT_EMBEDDINGS, base_url: str | None = None) -> None:
        self._rankings = (BM25Memory(), DenseMemory(embeddings, base_url))
        self._lock = threading.Lock()  # Both number a text alike.

    def add(self, text: str, *, time: datetime | None = None, user: str | None = None) -> str:
        """Store a text in both, and return its id."""
        with self._lock:
            first, _ = [ranking.add(text, time=time, user=user) for ranking in self._rankings]
        return first

    def update(
        self, id: str, text: str, *, time: datetime | None = None, user: str | None = None
    ) -> None:
        """Store another text in place of one, in both."""
        for ranking in self._rankings:
            ranking.update(id, text, time=time, user=user)

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Forget a text, or all of a user, in both."""
        for ranking in self._rankings:
            ranking.delete(id=id, user=user)

    def list(self, *, user: str | None = None) -> Sequence[Passage]:
        """Return the texts of a user, or all."""
        return self._rankings[0].list(user=user)

    def search(
        self, query: str, k: int, *, time: datetime | None = None, user: str | None = None
    ) -> Sequence[Passage]:
        """Return the ``k`` texts that score best, the best first."""
        scores: defaultdict[str, float] = defaultdict(float)
        times: dict[str, datetime | None] = {}
        for ranking in self._rankings:
            passages = ranking.search(query, max(k, _DEPTH), time=time, user=user)
            for passage in passages:
                times.setdefault(passage.text, passage.time)
            for rank, text in enumerate(dict.fromkeys(passage.text for passage in passages), 1):
                scores[text] += 1 / (_SMOOTHING + rank)
        best = sorted(scores, key=lambda text: -scores[text])[: max(k, 0)]
        return [Passage(text, scores[text], times[text]) for text in best]

    def stats(self) -> dict[str, int]:
        """Return how many texts are kept, and the bytes of their vectors."""
        return self._rankings[1].stats()


def _mean(vectors: Vectors, windows: Sequence[str]) -> Vectors:
    """Return the mean of the windows' vectors by their tokens, of unit length, as one row."""
    import numpy as np

    if len(windows) == 1:
        return vectors
    tokens = [max(1, estimate_tokens(window)) for window in windows]
    mean = np.average(vectors, axis=0, weights=tokens).astype(np.float32)
    unit: Vectors = (mean / max(float(np.linalg.norm(mean)), 1e-12))[np.newaxis]
    return unit


def _windows_of(text: str, limit: int) -> list[str]:
    """Cut ``text`` between sentences, and where it must be within them, into windows."""
    windows, window, taken = [], "", 0
    for sentence in sentences(text):
        while sentence:
            # What has no place to be cut is cut by letters, of which a token has at least one.
            fits = estimate_tokens(sentence) <= limit
            piece = sentence if fits else truncate_tokens(sentence, limit) or sentence[:limit]
            sentence = sentence[len(piece) :]
            tokens = estimate_tokens(piece)
            if window and taken + tokens > limit:
                windows.append(window)
                window, taken = "", 0
            window, taken = window + piece, taken + tokens
    return [*windows, window] if window or not windows else windows
