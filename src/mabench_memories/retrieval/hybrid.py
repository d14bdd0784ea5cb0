"""``hybrid``, the memory that joins the rankings of a search by words and one by meaning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import ClassVar

from mabench.contract import Passage
from mabench_memories.retrieval.bm25 import BM25Memory
from mabench_memories.retrieval.dense import EMBEDDINGS, DenseMemory

# What is added to each rank, by the authors of reciprocal rank fusion.
_SMOOTHING = 60
# How many texts of each ranking count at least.
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
        """Make an empty memory; the arguments are those of ``dense``."""
        self._by_words = BM25Memory()
        self._by_meaning = DenseMemory(embeddings, base_url)

    def add(self, text: str) -> None:
        """Store a text in both memories."""
        self._by_words.add(text)
        self._by_meaning.add(text)

    def search(self, query: str, k: int) -> list[Passage]:
        """Return the ``k`` texts that score best, the best first.

        A text that was added several times counts once in each ranking.
        """
        scores: defaultdict[str, float] = defaultdict(float)
        for memory in (self._by_words, self._by_meaning):
            passages = memory.search(query, max(k, _DEPTH))
            distinct_texts = dict.fromkeys(passage.text for passage in passages)
            for rank, text in enumerate(distinct_texts, start=1):
                scores[text] += 1 / (_SMOOTHING + rank)
        ranked = sorted(scores, key=lambda text: scores[text], reverse=True)
        return [Passage(text, scores[text]) for text in ranked[: max(k, 0)]]

    def stats(self) -> dict[str, int]:
        """Return how many texts are kept, and the bytes of their vectors."""
        return self._by_meaning.stats()
