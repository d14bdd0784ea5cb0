"""From an answer to the sample that a run keeps, with its scores."""

from __future__ import annotations

from typing import Any

from mabench.data import Question, Source
from mabench.families import score_answer
from mabench.runs.records.sample import Sample
from mabench.scoring import Catalogue


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
    score = score_answer(
        source,
        prediction,
        question.answers,
        question.question,
        catalogue,
        question.question_type,
    )
    return Sample(
        split=question.split,
        row=question.row,
        question_index=question.question_index,
        source=question.source,
        qa_pair_id=question.qa_pair_id,
        question=question.question,
        answers=list(question.answers),
        question_type=question.question_type,
        prediction=prediction,
        error=error,
        official=score.official,
        corrected=score.corrected,
        difference=score.difference,
        verdict=score.verdict,
        rule=score.rule,
        **reported,
    )
