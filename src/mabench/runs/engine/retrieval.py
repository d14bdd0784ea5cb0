"""What is recorded of retrieved passages: which they are, how long, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from mabench.contract import Passage, passages_of
from mabench.data import Question, Row
from mabench.data.evidence import Evidence
from mabench.families import Family
from mabench.redact import redact_values
from mabench.results.records.sample import RetrievedPassage
from mabench.scoring import answer_finder
from mabench.text import estimate_tokens

# Passages of a row that are read once, however many of its questions retrieve them.
_READ = 4096


class RetrievalRecorder:
    """Records passages against the chunks that the agent was told.

    Chunks can be made again from the data and the protocol, so a passage that repeats one is
    stored as its index; a run over thousands of questions stays small that way.

    Args:
        chunks: what the agent was told.
        row: the row.
        family: the family of the row.
        searches: whether the agent searches for every answer, so that no passages means that it
            found nothing.
    """

    def __init__(self, chunks: Sequence[str], row: Row, family: Family, searches: bool) -> None:
        self._evidence = Evidence(row)
        self._family = family
        self._searches = searches
        self._chunks = chunks
        self._index = {chunk: index for index, chunk in enumerate(chunks)}
        self._tokens = lru_cache(_READ)(estimate_tokens)
        self._finder = lru_cache(_READ)(answer_finder)

    def record(self, question: Question, retrieved: Sequence[str | Passage]) -> dict[str, Any]:
        """Return what a sample says of the passages retrieved for a question, by field name."""
        passages = passages_of(retrieved)
        texts = [passage.text for passage in passages]
        known = texts or self._searches
        return {
            "retrieved": [self._passage(passage) for passage in passages],
            **self._evidence.find(question.question_index, texts)._asdict(),
            "hit_rank": self._hit_rank(question, texts),
            "gold_chunks": self.gold_chunks(question),
            "shown_tokens": sum(map(self._tokens, texts)) if known else None,
        }

    def _hit_rank(self, question: Question, texts: Iterable[str]) -> int | None:
        """Return the rank of the first passage in which an answer stands."""
        if not self._family.gold_in_text(question.answers):
            return None
        ranks = enumerate(texts, start=1)
        return next((rank for rank, text in ranks if self._finder(text)(question.answers)), None)

    def gold_chunks(self, question: Question) -> tuple[int, ...] | None:
        """Return the indices of the chunks in which an answer stands.

        None where the answers of the family are not to be looked for in the history.
        """
        if not self._family.gold_in_text(question.answers):
            return None
        stands = (self._finder(chunk)(question.answers) for chunk in self._chunks)
        return tuple(index for index, found in enumerate(stands) if found)

    def _passage(self, passage: Passage) -> RetrievedPassage:
        index = self._index.get(passage.text)
        text = redact_values(passage.text) if index is None else None
        return RetrievedPassage(text, index, passage.score)
