"""What is recorded of retrieved passages: which they are, how long, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from mabench.contract import Passage
from mabench.data import Question
from mabench.families import Family
from mabench.runs.engine.evidence import EvidenceTurns
from mabench.runs.records.sample import RetrievedPassage
from mabench.scoring import answer_finder
from mabench.text import estimate_tokens

Passages = Sequence[str | Passage]

# Passages of a row that are read once, however many of its questions retrieve them.
_READ = 4096


class RetrievalRecorder:
    """Records passages against the chunks that the agent was told.

    Chunks can be made again from the data and the protocol, so a passage that repeats one is
    stored as its index; a run over thousands of questions stays small that way.

    Args:
        chunks: what the agent was told.
        evidence: the turns of the row that hold answers.
        family: the family of the row.
        searches: whether the agent searches for every answer, so that no passages means that it
            found nothing.
    """

    def __init__(
        self, chunks: Sequence[str], evidence: EvidenceTurns, family: Family, searches: bool
    ) -> None:
        self._evidence = evidence
        self._family = family
        self._searches = searches
        self._index = {chunk: index for index, chunk in enumerate(chunks)}
        self._tokens = lru_cache(_READ)(estimate_tokens)
        self._finder = lru_cache(_READ)(answer_finder)

    def record(self, question: Question, passages: Passages) -> dict[str, Any]:
        """Return what a sample says of the passages retrieved for a question, by field name."""
        texts = [_text(passage) for passage in passages]
        known = texts or self._searches
        return {
            "retrieved": [self._passage(passage) for passage in passages],
            "evidence_recall": self._evidence.recall(question.question_index, texts),
            "hit_rank": self._hit_rank(question, texts),
            "shown_tokens": sum(map(self._tokens, texts)) if known else None,
        }

    def _hit_rank(self, question: Question, texts: Iterable[str]) -> int | None:
        """Return the rank of the first passage in which an answer stands."""
        if not self._family.gold_in_text(question.answers):
            return None
        ranks = enumerate(texts, start=1)
        return next((rank for rank, text in ranks if self._finder(text)(question.answers)), None)

    def _passage(self, passage: str | Passage) -> RetrievedPassage:
        text, score = (passage, None) if isinstance(passage, str) else (passage.text, passage.score)
        index = self._index.get(text)
        return RetrievedPassage(text if index is None else None, index, score)


def _text(passage: str | Passage) -> str:
    return passage if isinstance(passage, str) else passage.text
