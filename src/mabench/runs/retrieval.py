"""What was retrieved for a question, recorded against what the agent was told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, cast

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

# How many passages of a row are kept as they were read, for other questions that retrieve them.
_PASSAGES_KEPT = 4096


class _Hit(NamedTuple):
    """Whether and where a gold was found among passages, as a sample keeps it."""

    by: str | None = None  # "mention", "evidence", or None where neither can tell.
    rank: int | None = None  # From 1; None if nothing was found.
    gold_chunks: tuple[int, ...] | None = None  # Which chunks told before mention a gold.


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
        self._rewords = lru_cache(_PASSAGES_KEPT)(self.evidence.rewords)
        self._family, self._row = family, row
        self._searches = searches
        self._points = script.points
        self._chunks = [piece.text for piece in script.pieces]
        self._index = {chunk: index for index, chunk in enumerate(self._chunks)}
        self._count_tokens = lru_cache(_PASSAGES_KEPT)(estimate_tokens)
        self._finder_in = lru_cache(_PASSAGES_KEPT)(answer_finder)

    def record(self, question: Question, answer: Answer) -> dict[str, Any]:
        """Return what a sample says of the passages retrieved for a question, by field name."""
        passages = cast("Sequence[Passage]", answer.retrieved)  # As ``answer_of`` makes them.
        texts = [passage.text for passage in passages]
        told = self._chunks[: self._points[question.question_index]]
        hit = self._find_hit(question.answers, texts, told)
        evidence = self.evidence.find(question.question_index, texts)
        if evidence.evidence_ranks is not None and not any(map(self._is_reworded, texts)):
            hit = hit._replace(by="evidence", rank=evidence.complete_at)
        is_known = bool(texts) or self._searches  # Else the agent may not tell what it read.
        return {
            "retrieved": [self._record_passage(passage) for passage in passages],
            **evidence._asdict(),
            "hit_by": hit.by,
            "hit_rank": hit.rank,
            "gold_chunks": hit.gold_chunks,
            # Chunks of one text are one: a search cannot tell them apart.
            "every_chunk": bool(told) and {*told} <= {*texts},
            "shown_tokens": sum(map(self._count_tokens, texts)) if is_known else None,
        }

    def _find_hit(self, golds: Sequence[str], texts: Sequence[str], told: Sequence[str]) -> _Hit:
        """Return the first passage that mentions a gold; of golds not in the history, nothing."""
        if not self._family.gold_in_text(golds):
            return _Hit()
        mentions = self._find_mentions(golds, texts)
        return _Hit(
            by="mention",
            rank=mentions[0] + 1 if mentions else None,
            gold_chunks=tuple(self._find_mentions(golds, told)),
        )

    def _is_reworded(self, text: str) -> bool:
        """Return whether a passage says something of the history in other words."""
        return text not in self._index and self._rewords(text)

    def _record_passage(self, passage: Passage) -> RetrievedPassage:
        """Return a passage as it is stored: a chunk by its index, else its text without secrets."""
        index = self._index.get(passage.text)
        text = redact_values(passage.text) if index is None else None
        return RetrievedPassage(text, index, passage.score)

    def older_statements(self, question_index: int) -> list[str] | None:
        """Return the statements that newer ones replaced, of those that a question is about.

        None if the data do not tell.
        """
        if self._family.older_values is None:
            return None
        return [self._row.context[start:end] for start, end in self._older[question_index]]

    @cached_property
    def _older(self) -> list[Sequence[Span]]:
        """Where the older statements are in the history, by question."""
        older_values = self._family.older_values
        return [*older_values(self._row)] if older_values else []

    def mentions(self, golds: Sequence[str], texts: Sequence[str]) -> list[int]:
        """Return which texts mention a gold; none if golds are not taken from the history."""
        return self._find_mentions(golds, texts) if self._family.gold_in_text(golds) else []

    def _find_mentions(self, golds: Sequence[str], texts: Sequence[str]) -> list[int]:
        """Return the indices of the texts that mention a gold."""
        return [index for index, text in enumerate(texts) if self._finder_in(text)(golds)]
