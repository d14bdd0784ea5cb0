"""The last resort: passages found by BM25, read by the extractive reader, as ``bm25`` does."""

from __future__ import annotations

from mabench.agents.extractive import ExtractiveReader
from mabench.agents.floor.skill import History
from mabench.agents.memories.bm25 import BM25Memory
from mabench.contract.interfaces import Answer, Query

_DEPTH = 10


class Retrieval:
    """Answers any question from the chunks that share most words with it."""

    def __init__(self, history: History) -> None:
        self._memory = BM25Memory()
        for chunk in history.chunks:
            self._memory.add(chunk)
        self._reader = ExtractiveReader()

    def answer(self, query: Query) -> Answer:
        """Answer from the ten best chunks, and report them."""
        passages = self._memory.search(query.search_query, _DEPTH)
        return Answer(self._reader.read(query, passages), retrieved=passages)


def learn(history: History) -> Retrieval:
    """Index the chunks of ``history``, of whatever kind they are."""
    return Retrieval(history)
