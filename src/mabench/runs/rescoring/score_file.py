"""Scoring the predictions that another tool made."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from mabench.data import Question
from mabench.errors import DataError
from mabench.families import family_of
from mabench.loading import load
from mabench.runs.engine.scoring import scored_sample
from mabench.runs.execution import catalogue_for
from mabench.runs.records.sample import MISSING, Sample, key_of
from mabench.runs.rescoring.predictions import match_predictions, read_predictions
from mabench.runs.results.summaries import Mismatches, PredictionsSummary
from mabench.runs.results.summary import score_samples


def score_file(
    path: str | Path, data: object, entities: str | Path | None = None
) -> PredictionsSummary:
    """Score a file of predictions against the questions of a data set.

    The sources of which the file answers at least one question are scored. A question of theirs
    without a prediction is wrong, and lowers the coverage.

    Args:
        path: the file, in one of the forms that ``read_predictions`` takes.
        data: what ``mabench.load`` takes.
        entities: ``entity2id.json``, for recommendation; else the data set's own.

    Returns:
        The scores, and what did not fit between the file and the data set.

    Raises:
        DataError: when a file cannot be read, or no prediction fits the data set.
    """
    dataset = load(data)
    questions = list(dataset.questions())
    matches = match_predictions(read_predictions(Path(path)), questions)
    answered = {q.source for q in questions if key_of(q) in matches.by_question}
    if not answered:
        raise DataError(f"{path}: no prediction fits a question of {dataset.name}")
    wanted = [question for question in questions if question.source in answered]
    families = [family_of(name, dataset.sources) for name in answered]
    catalogue = catalogue_for(families, dataset, entities)

    def scored(question: Question) -> Sample:
        prediction = matches.by_question.get(key_of(question))
        text = prediction.text if prediction else None
        error = None if text is not None else "no answer" if prediction else MISSING
        return scored_sample(question, text, error, dataset.sources[question.source], catalogue)

    samples = map(scored, wanted)
    expected = Counter(question.source for question in wanted)
    scores = score_samples(samples, expected, sources=dataset.sources)
    return PredictionsSummary(
        agent=Path(path).name,
        data=dataset.name,
        protocol="unknown",
        **scores._asdict(),
        predictions=Mismatches(
            unknown=tuple(matches.unknown),
            missing=tuple(_named(q) for q in wanted if key_of(q) not in matches.by_question),
            duplicate=tuple(matches.duplicate),
        ),
    )


def _named(question: Question) -> str:
    return (
        f"{question.source}, row {question.row}, question {question.question_index}, "
        f"qa_pair_id {question.qa_pair_id!r}"
    )
