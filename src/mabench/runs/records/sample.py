"""One question of a run, as stored."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from mabench.data import Question, Source
from mabench.families import score_answer
from mabench.scoring import Catalogue

Key = tuple[str, int, int]

# The error of a question to which a file of predictions holds no answer.
MISSING = "missing: no prediction was given"


@dataclass(frozen=True, slots=True)
class Sample:
    """A question, what the agent made of it, and its scores.

    Attributes:
        split, row, question_index: the place of the question; together they name it.
        prediction: the agent's answer, None when it failed.
        error: why there is no prediction: kind and message.
        traceback: where the agent raised it: the last frames.
        retrieved: the passages that the agent reported: ``chunk`` is the index of the chunk that
            a passage repeats word for word, else ``text`` holds it; ``score`` when given.
        evidence_recall: 1 when the passages hold a turn that the data set marks as evidence, else
            0; None where it marks none.
        hit_rank: the rank, from 1, of the first passage in which an answer stands by the rule of
            the corrected score; None where none does, nothing was retrieved, or the answers of
            the family are not to be looked for in passages.
        shown_tokens: about how many tokens the passages have; None when none were reported.
        input_tokens, output_tokens: what the answer took; ``tokens_estimated`` when no server
            counted.
        dropped_tokens: how much of the history could not be shown.
        cost: of the answer, in US dollars.
        official, corrected: metric name to value, from 0 to 1.
        difference: the rule by which the corrected score differs from the official one.
    """

    split: str
    row: int
    question_index: int
    source: str
    qa_pair_id: str | None
    question: str
    answers: list[str]
    prediction: str | None
    error: str | None = None
    traceback: str | None = None
    retrieved: list[dict[str, Any]] = field(default_factory=list)
    evidence_recall: float | None = None
    hit_rank: int | None = None
    shown_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    tokens_estimated: bool | None = None
    dropped_tokens: int | None = None
    cost: float | None = None
    official: dict[str, float] = field(default_factory=dict)
    corrected: dict[str, float] = field(default_factory=dict)
    difference: str | None = None

    @property
    def key(self) -> Key:
        """What names the question within its data set."""
        return (self.split, self.row, self.question_index)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the sample as one line of JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False)


def key_of(question: Question) -> Key:
    """Return the key that the sample of a question will have."""
    return (question.split, question.row, question.question_index)


def scored_sample(
    question: Question,
    prediction: str | None,
    error: str | None,
    source: Source,
    catalogue: Catalogue | None,
    **reported: Any,
) -> Sample:
    """Score a prediction, or the lack of one, and make the sample of its question.

    ``reported`` holds what the agent told beside its answer, by the sample's field names.
    """
    score = score_answer(source, prediction, question.answers, question.question, catalogue)
    return Sample(
        split=question.split,
        row=question.row,
        question_index=question.question_index,
        source=question.source,
        qa_pair_id=question.qa_pair_id,
        question=question.question,
        answers=list(question.answers),
        prediction=prediction,
        error=error,
        official=score.official,
        corrected=score.corrected,
        difference=score.difference,
        **reported,
    )
