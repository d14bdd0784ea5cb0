"""What a row of MemoryAgentBench is, and the questions that it holds.

The schema is that of the public data set: a context, its questions, the acceptable answers of
each, and metadata of which most fields are empty for most sources.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict


class Turn(BaseModel):
    """One message of a chat session (LongMemEval rows only)."""

    model_config = ConfigDict(strict=True, frozen=True)

    content: str
    role: str
    has_answer: bool | None = None


class _HistoryTurn(BaseModel):
    """One turn of a history whose data set gives turns ids, and where it stands in the context.

    ``start`` and ``end`` count characters of the context; what lies between them is what was said.
    """

    model_config = ConfigDict(strict=True, frozen=True)

    id: str
    session: str
    start: int
    end: int


class Metadata(BaseModel):
    """What accompanies a row; every field but ``source`` may be missing.

    The per-question fields (``ALIGNED_FIELDS``) have one item per question when present:
    ``evidence`` what a question rests on, by the ids of ``turns`` or, in a row without these, as
    texts that stand in the context; ``rubrics`` what a good answer holds, a line each.
    """

    model_config = ConfigDict(strict=True, frozen=True)

    source: str
    qa_pair_ids: list[str] | None = None
    question_dates: list[str] | None = None
    question_ids: list[str] | None = None
    question_types: list[str] | None = None
    previous_events: list[str] | None = None
    keypoints: list[str] | None = None
    demo: str | None = None
    haystack_sessions: list[list[list[Turn]]] | None = None
    turns: list[_HistoryTurn] | None = None
    evidence: list[list[str]] | None = None
    rubrics: list[list[str]] | None = None


# In the order in which ``Question`` has them.
ALIGNED_FIELDS = (
    "qa_pair_ids",
    "question_dates",
    "question_ids",
    "question_types",
    "previous_events",
    "evidence",
    "rubrics",
)


class RowContent(BaseModel):
    """A row as a file holds it: ``answers[i]`` are the golds of ``questions[i]``."""

    model_config = ConfigDict(strict=True, frozen=True)

    context: str
    questions: list[str]
    answers: list[list[str]]
    metadata: Metadata

    def canonical(self) -> bytes:
        """Return the content as JSON in one form: keys sorted, null and missing alike, UTF-8."""
        fields = self.model_dump(include=set(RowContent.model_fields), exclude_none=True)
        text = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return text.encode()


class Question(NamedTuple):
    """One question of a row with everything that belongs to it alone.

    ``row`` counts from 0 within the split, ``question_index`` from 0 within the row; the two
    and the split name a question uniquely (``qa_pair_id`` alone does not: some sources restart
    it in every row).
    """

    split: str
    row: int
    question_index: int
    source: str
    question: str
    answers: tuple[str, ...]
    qa_pair_id: str | None = None
    question_date: str | None = None
    question_id: str | None = None
    question_type: str | None = None
    previous_events: str | None = None
    evidence: list[str] | None = None
    rubric: list[str] | None = None


class Row(RowContent):
    """A row and its place.

    Attributes:
        context: the history.
        questions: the questions about it.
        answers: the golds of each question.
        metadata: the source, and what else the data set says of the row.
        split: the split that it belongs to.
        index: its number within the split, from 0.
    """

    split: str
    index: int

    @property
    def source(self) -> str:
        """The name of the source, as in ``metadata.source``."""
        return self.metadata.source

    def flatten(self) -> Iterator[Question]:
        """Yield the questions in order, each with its own share of the metadata.

        Raises ``ValueError`` when lists that must align with the questions do not.
        """
        empty = [None] * len(self.questions)
        aligned = [getattr(self.metadata, name) or empty for name in ALIGNED_FIELDS]
        columns = zip(self.questions, self.answers, *aligned, strict=True)
        for index, (question, answers, *own) in enumerate(columns):
            place = (self.split, self.index, index, self.source)
            yield Question(*place, question, tuple(answers), *own)
