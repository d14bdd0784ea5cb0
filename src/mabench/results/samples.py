"""A sample made of an answer: scored as it was given, and stored without secrets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mabench.data import Question
from mabench.families import Family, score_prediction
from mabench.redact import redact_values
from mabench.results.records.lines import Sample
from mabench.scoring import Catalogue

# The fields of a question that its sample has, too, beside the answers.
_QUESTION_FIELDS = (
    *("split", "row", "question_index", "source", "qa_pair_id", "question", "question_type"),
    "asked_after",
)


def score_sample(
    question: Question,
    prediction: str | None,
    error: str | None,
    family: Family,
    catalogue: Catalogue | None,
    **reported: Any,
) -> Sample:
    """Score a prediction as given, or the lack of one, and make the sample, without secrets.

    ``reported`` holds what the agent told beside its answer, by the sample's field names.
    """
    sample = Sample(
        **{name: getattr(question, name) for name in _QUESTION_FIELDS},
        answers=list(question.answers),
        prediction=prediction,
        error=error,
        **reported,
    )
    sample = score_again(sample, family, catalogue)
    stored = None if prediction is None else redact_values(prediction)
    had_secret = stored != prediction
    return replace(sample, prediction=stored, redacted=True if had_secret else None)


def score_again(sample: Sample, family: Family, catalogue: Catalogue | None) -> Sample:
    """Return a sample with the scores of its prediction by this version's rules."""
    score = score_prediction(
        family,
        sample.prediction,
        sample.answers,
        sample.question,
        catalogue,
        sample.question_type,
    )
    # The published metrics that count hits are bools; what is stored is a number, always.
    return replace(
        sample,
        official={name: float(value) for name, value in score.official.items()},
        corrected={name: float(value) for name, value in score.corrected.items()},
        difference=score.difference,
        verdict=score.verdict,
        rule=score.rule,
    )
