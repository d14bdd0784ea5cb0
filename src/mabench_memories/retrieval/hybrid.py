"""``hybrid``, the memory that joins the rankings of a search by words and one by meaning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import ClassVar

from mabench.contract import Passage
from mabench_memories.retrieval.bm25 import BM25Memory
from mabench_memories.retrieval.dense import EMBEDDINGS, DenseMemory

# The constant of reciprocal ranks.
_SMOOTHING = 60
# How many texts of each ranking count.
_DEPTH = 100


class HybridMemory:
    """Combines the rankings of ``bm25`` and ``dense`` by reciprocal rank.

    A text scores the sum of 1 / (60 + rank) over both rankings, to a depth of 100 or ``k`` if that
    is more (Cormack, Clarke and Büttcher, 2009).
    """

    mabench_capabilities: ClassVar[Mapping[str, object]] = {
        "deterministic": True,
        "embeds": True,
        "packages": lambda settings: ("bm25s",),
    }

    def __init__(self, embeddings: str = EMBEDDINGS, base_url: str | None = None) -> None:
        self._rankings = (BM25Memory(), DenseMemory(embeddings, base_url))

    def add(self, text: str) -> None:
        """Store a text in both memories."""
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
        _, dense = self._rankings
        return dense.stats()
