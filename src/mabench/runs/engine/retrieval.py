"""What is recorded of retrieved passages: which they are, how long, and what stands in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from mabench.contract import Passage, passages_of
from mabench.data import Question, Row
from mabench.families import Family
from mabench.redact import redact_values
from mabench.runs.records.sample import RetrievedPassage
from mabench.scoring import answer_finder
from mabench.text import estimate_tokens, sentences

# Passages of a row that are read once, however many of its questions retrieve them.
_READ = 4096
_ESCAPE = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4})")
_NO_LETTER = re.compile(r"[\W_]+")
# Sentences with fewer letters could stand anywhere.
_SHORTEST = 12


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
        self._evidence = EvidenceTurns(row)
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
            "evidence_recall": self._evidence.recall(question.question_index, texts),
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


class EvidenceTurns:
    """The turns of a row that the data set marks as evidence, by question.

    Chat sessions reach an agent as a literal, whole or cut between sentences, so texts are
    compared by their letters and digits alone, and half of a turn is enough. It takes no judge.
    """

    def __init__(self, row: Row) -> None:
        haystacks = row.metadata.haystack_sessions or []
        aligned = len(haystacks) == len(row.questions)
        self._turns = [
            [turn.content for session in sessions for turn in session if turn.has_answer]
            for sessions in (haystacks if aligned else [])
        ]

    def recall(self, question_index: int, texts: Iterable[str]) -> float | None:
        """Return 1 when the texts retrieved hold a turn of evidence for the question, else 0.

        None when the data set marks no turn for it.
        """
        turns = self._turns[question_index] if self._turns else []
        if not turns:
            return None
        shown = "|".join(map(_letters, texts))
        return float(any(_holds(shown, turn) for turn in turns))


def _holds(shown: str, turn: str) -> bool:
    whole = _letters(turn)
    if whole in shown:
        return bool(whole)
    pieces = [_letters(sentence) for sentence in sentences(turn)]
    found = sum(len(piece) for piece in pieces if len(piece) >= _SHORTEST and piece in shown)
    return 2 * found >= len(whole)


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", _ESCAPE.sub(" ", text)).lower()
