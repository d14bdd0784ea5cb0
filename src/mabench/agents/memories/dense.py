"""A memory that finds texts by what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mabench.contract.interfaces import Passage
from mabench.models import make_embedder
from mabench.text import estimate_tokens, sentences, truncate_tokens

if TYPE_CHECKING:
    from mabench.models.embeddings import Vectors

DEFAULT_EMBEDDINGS = "sentence-transformers/all-MiniLM-L6-v2"
_FILLED = 0.8  # The share of a model's window that is filled: tokens are estimated.


class DenseMemory:
    """Finds texts by the cosine of their embeddings with the query's.

    A text that is longer than the model's window is embedded window by window, cut between
    sentences, and scores as its best one (MaxP of Dai and Callan, 2019); nothing is dropped.

    Args:
        embeddings: a sentence-transformers model by folder or name, or ``openai/NAME`` for a
            server that speaks as OpenAI does.
        base_url: that server; else ``OPENAI_BASE_URL``.
    """

    def __init__(self, embeddings: str = DEFAULT_EMBEDDINGS, base_url: str | None = None) -> None:
        self._embedder = make_embedder(embeddings, base_url)
        self._window = int(_FILLED * self._embedder.window)
        self._texts: list[str] = []
        self._vectors: list[Vectors] = []
        self._owners: list[int] = []

    def add(self, text: str) -> None:
        """Embed a text and keep it."""
        windows = windows_of(text, self._window)
        self._vectors.append(self._embedder.embed(windows))
        self._owners += [len(self._texts)] * len(windows)
        self._texts.append(text)

    def search(self, query: str, k: int) -> list[Passage]:
        """Return the ``k`` nearest texts, or all when there are fewer, the nearest first."""
        import numpy as np

        if not self._texts:
            return []
        self._vectors = [np.concatenate(self._vectors)]
        [asked] = self._embedder.embed([truncate_tokens(query, self._window)])
        scores = np.full(len(self._texts), -np.inf)
        np.maximum.at(scores, self._owners, self._vectors[0] @ asked)
        best = np.argsort(-scores, kind="stable")[: max(k, 0)]
        return [Passage(self._texts[i], float(scores[i])) for i in best]

    def stats(self) -> dict[str, int]:
        """Return how many texts are kept, and the bytes of their vectors."""
        return {
            "memories": len(self._texts),
            "bytes": sum(vectors.nbytes for vectors in self._vectors),
        }


def windows_of(text: str, limit: int) -> list[str]:
    """Cut ``text`` between sentences into windows of about ``limit`` tokens, at least one.

    A sentence that is longer is cut where the window ends.
    """
    windows, window, taken = [], "", 0
    for sentence in sentences(text):
        for piece in _pieces(sentence, limit):
            tokens = estimate_tokens(piece)
            if window and taken + tokens > limit:
                windows.append(window)
                window, taken = "", 0
            window, taken = window + piece, taken + tokens
    return [*windows, window] if window or not windows else windows


def _pieces(sentence: str, limit: int) -> list[str]:
    """Cut a sentence into pieces of at most ``limit`` tokens."""
    pieces = []
    while estimate_tokens(sentence) > limit:
        # What has no place to be cut is cut by letters, of which a token has at least one.
        piece = truncate_tokens(sentence, limit) or sentence[:limit]
        pieces.append(piece)
        sentence = sentence[len(piece) :]
    return [*pieces, sentence]
