"""A memory that finds texts by their words and by their meaning."""

from __future__ import annotations

from collections import defaultdict

from mabench.agents.memories.bm25 import BM25Memory
from mabench.agents.memories.dense import DEFAULT_EMBEDDINGS, DenseMemory
from mabench.contract.interfaces import Passage

_SMOOTHING = 60
_DEPTH = 100


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
