"""Memories that find texts by what they mean, alone or with the words that they share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mabench.agents.memories.bm25 import BM25Memory
from mabench.agents.memories.texts import HeldText, TextMemory
from mabench.contract import Passage
from mabench.errors import UsageError
from mabench.models import make_embedder
from mabench.text import estimate_tokens, sentences, truncate_tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mabench.agents.memories.texts import Scorer
    from mabench.models.embeddings import Vectors

DEFAULT_EMBEDDINGS = "sentence-transformers/all-MiniLM-L6-v2"
_FILLED = 0.8  # The share of a model's window that is filled: tokens are estimated.
_SMOOTHING, _DEPTH = 60, 100  # Of joined rankings.
_LONG_TEXTS = ("best", "mean", "cut")


class DenseMemory(TextMemory):
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
        super().__init__()
        if long_texts not in _LONG_TEXTS:
            there = f"long_texts={long_texts}: there are {', '.join(_LONG_TEXTS)}"
            raise UsageError(there, parameter="settings")
        self._embedder = make_embedder(embeddings, base_url, pooling)
        self._window = int(_FILLED * self._embedder.window)
        self._long_texts = long_texts

    def _make(self, text: str) -> tuple[int, Vectors]:
        if self._long_texts == "cut":
            vectors = self._embedder.embed([self._beginning(text)])
        else:
            windows = _windows_of(text, self._window)
            vectors = self._embedder.embed(windows)
            vectors = _mean(vectors, windows) if self._long_texts == "mean" else vectors
        return vectors.nbytes, vectors

    def _scorer(self, texts: Sequence[HeldText]) -> Scorer:
        import numpy as np

        owners = np.repeat(np.arange(len(texts)), [len(one.made) for one in texts])
        vectors = np.concatenate([one.made for one in texts])

        def scores(query: str) -> NDArray[Any]:
            [wanted] = self._embedder.embed([self._beginning(query)])
            best = np.full(len(texts), -np.inf)
            np.maximum.at(best, owners, vectors @ wanted)
            return best

        return scores

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

    def add(self, text: str) -> None:
        """Store a text in both."""
        for ranking in self._rankings:
            ranking.add(text)

    def search(self, query: str, k: int) -> list[Passage]:
        """Return the ``k`` texts that score best, the best first."""
        scores: defaultdict[str, float] = defaultdict(float)
        for ranking in self._rankings:
            passages = ranking.search(query, max(k, _DEPTH))
            for rank, text in enumerate(dict.fromkeys(passage.text for passage in passages), 1):
                scores[text] += 1 / (_SMOOTHING + rank)
        best = sorted(scores, key=lambda text: -scores[text])[: max(k, 0)]
        return [Passage(text, scores[text]) for text in best]

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
