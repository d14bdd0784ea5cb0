"""From an answer, or a failure, to the sample that a run keeps, with its scores."""

from __future__ import annotations

import traceback
from dataclasses import replace
from typing import Any

from mabench.contract.answers import (
    LONGEST_ERROR,
    AgentRaisedError,
    attempt,
    describe_error,
)
from mabench.data import Question, Source
from mabench.families import score_answer
from mabench.redact import redact, redact_values
from mabench.results.records.sample import Sample
from mabench.scoring import Catalogue

_LONGEST_MESSAGE = 2_000
_FRAMES = 4
_MOST_NOTES = 10  # Of an error.


def score_sample(
    question: Question,
    prediction: str | None,
    error: str | None,
    source: Source,
    catalogue: Catalogue | None,
    **reported: Any,
) -> Sample:
    """Score a prediction as given, or the lack of one, and make the sample, without secrets.

    ``reported`` holds what the agent told beside its answer, by the sample's field names.
    """
    sample = Sample(
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
        **reported,
    )
    sample = score_again(sample, source, catalogue)
    stored = None if prediction is None else redact_values(prediction)
    return replace(sample, prediction=stored, redacted=True if stored != prediction else None)


def score_again(sample: Sample, source: Source, catalogue: Catalogue | None) -> Sample:
    """Return a sample with the scores of its prediction by this version's rules."""
    answer, kind = sample.prediction, sample.question_type
    score = score_answer(source, answer, sample.answers, sample.question, catalogue, kind)
    names = ("official", "corrected", "difference", "verdict", "rule")
    return replace(sample, **{name: getattr(score, name) for name in names})


def error_fields(error: Exception) -> dict[str, str | None]:
    """Return the kind and message of an error, and the last frames of where, without secrets."""
    original = error.original if isinstance(error, AgentRaisedError) else error
    try:
        where = attempt(lambda: _locate(original))
    except Exception:  # Whatever the error itself raises.
        where = ""
    message = redact(describe_error(error))[:_LONGEST_MESSAGE]
    return {"error": message, "traceback": redact(where)[-_LONGEST_MESSAGE:] or None}


def _locate(error: BaseException) -> str:
    """Return the last frames, and the notes that an agent in another process makes of its own."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    notes = getattr(error, "__notes__", None)
    notes = list.__getitem__(notes, slice(_MOST_NOTES)) if isinstance(notes, list) else []
    texts = [str.__str__(note)[-LONGEST_ERROR:] for note in notes if isinstance(note, str)]
    return "".join([*traceback.format_list(frames), *texts])
