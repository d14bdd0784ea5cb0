"""What was retrieved for a question, recorded against what the agent was told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, cast

from mabench.contract import Answer, Passage
from mabench.data import Question, Row
from mabench.data.evidence import Evidence
from mabench.families import Family
from mabench.injection import Script
from mabench.redact import redact_values
from mabench.results import RetrievedPassage
from mabench.scoring import answer_finder
from mabench.text import estimate_tokens
from mabench.text.spans import Span

# Passages of a row that are read once, however many of its questions retrieve them.
_READ = 4096


class RetrievalRecorder:
    """Records retrieved passages against the pieces that the agent was told.

    Pieces can be made again from the data and the protocol, so a passage that repeats one is
    stored as its index; a run over thousands of questions stays small that way. If the agent
    ``searches`` for every answer, no passages mean that it found nothing.
    """

    def __init__(self, script: Script, row: Row, family: Family, searches: bool) -> None:
        told: defaultdict[str, set[str]] = defaultdict(set)
        for piece in script.pieces:
            if piece.turns:
                told[piece.text].update(piece.turns)
        self.evidence = Evidence(row, told)
        self._rewords = lru_cache(_READ)(self.evidence.rewords)
        self._family, self._row = family, row
        self._searches = searches
        self._points = script.points
        self._chunks = [piece.text for piece in script.pieces]
        self._index = {chunk: index for index, chunk in enumerate(self._chunks)}
        self._tokens = lru_cache(_READ)(estimate_tokens)
        self._finder = lru_cache(_READ)(answer_finder)

    def record(self, question: Question, answer: Answer) -> dict[str, Any]:
        """Return what a sample says of the passages retrieved for a question, by field name."""
        passages = cast("Sequence[Passage]", answer.retrieved)  # As ``answer_of`` makes them.
        texts, golds = [passage.text for passage in passages], question.answers
        told = self._chunks[: self._points[question.question_index]]
        evidence = self.evidence.find(question.question_index, texts)
        by = rank = chunks = None
        if self._family.gold_in_text(golds):
            by, mentions = "mention", self._find_mentions(golds, texts)
            rank = mentions[0] + 1 if mentions else None
            chunks = tuple(self._find_mentions(golds, told))
        reworded = (text not in self._index and self._rewords(text) for text in texts)
        if evidence.evidence_ranks is not None and not any(reworded):
            by, rank = "evidence", evidence.complete_at
        index = self._index
        return {
            "retrieved": [
                RetrievedPassage(None, index[one.text], one.score)
                if one.text in index
                else RetrievedPassage(redact_values(one.text), None, one.score)
                for one in passages
            ],
            **evidence._asdict(),
            "hit_by": by,
            "hit_rank": rank,
            "gold_chunks": chunks,
            # Chunks of one text are one: a search cannot tell them apart.
            "every_chunk": bool(told) and {*told} <= {*texts},
            "shown_tokens": sum(map(self._tokens, texts)) if texts or self._searches else None,
        }

    def older_statements(self, question_index: int) -> list[str] | None:
        """Return what newer statements replaced of a question's; None if the data do not tell."""
        if self._family.older_values is None:
            return None
        return [self._row.context[start:end] for start, end in self._older[question_index]]

    @cached_property
    def _older(self) -> list[Sequence[Span]]:
        older_values = self._family.older_values
        return [*older_values(self._row)] if older_values else []

    def mentions(self, golds: Sequence[str], texts: Sequence[str]) -> list[int]:
        """Return which texts mention a gold; none if golds are not taken from the history."""
        return self._find_mentions(golds, texts) if self._family.gold_in_text(golds) else []

    def _find_mentions(self, golds: Sequence[str], texts: Sequence[str]) -> list[int]:
        return [index for index, text in enumerate(texts) if self._finder(text)(golds)]
