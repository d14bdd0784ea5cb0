"""LoCoMo's own result files: conversations with their questions and the predictions of models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.errors import DataError
from mabench.formats import GivenAnswer, GivenRun, Glimpse, Item, ResultFormat
from mabench_results.documents import read_document
from mabench_results.locomo_questions import SOURCE, UNANSWERABLE, category_of, golds_of

_PREDICTION = "_prediction"


def _recognizes(glimpse: Glimpse) -> bool:
    first = glimpse.first_item
    if first is None or not {"sample_id", "qa"} <= first.keys():
        return False
    # With the conversation, or without predictions, it is LoCoMo's data, perhaps damaged.
    return "conversation" not in first and _has_predictions(first["qa"])


def _has_predictions(questions: object) -> bool:
    """Return whether a value is a list in which some question has the prediction of a model."""
    if not isinstance(questions, list):
        return False
    fields = [name for question in questions if isinstance(question, dict) for name in question]
    return any(name.endswith(_PREDICTION) for name in fields)


def _read(path: Path) -> Iterator[GivenRun]:
    """Yield a run for each model; its name is in the fields ``<model>_prediction``."""
    samples = read_document(path).items()
    questions = [
        (sample, question, index)
        for sample in samples
        for index, question in enumerate(sample["qa"].items())
    ]
    models = dict.fromkeys(
        name.removesuffix(_PREDICTION)
        for _, question, _ in questions
        for name in question.fields()
        if name.endswith(_PREDICTION)
    )
    if not models:
        raise DataError(f"{path}: no field ends with {_PREDICTION}; give a file with predictions")
    for model in models:
        answers = tuple(
            _answer(sample, question, index, model) for sample, question, index in questions
        )
        yield GivenRun(name=model, answers=answers)


def _answer(sample: Item, question: Item, index: int, model: str) -> GivenAnswer:
    sample_id, category = sample["sample_id"].text(), category_of(question["category"])
    return GivenAnswer(
        place=str(question),
        text=question[f"{model}{_PREDICTION}"].optional_text(),
        source=SOURCE,
        history=sample_id,
        question_id=f"{sample_id}_q{index}",
        question=question["question"].text(),
        golds=golds_of(question["answer"], category),
        question_type=category,
        is_unanswerable=category == UNANSWERABLE,
        # The published code counts a question without a score as 0.
        counted=question[f"{model}_f1"].optional_number() or 0.0,
    )


FORMAT = ResultFormat(
    published="a list of objects with `sample_id` and `qa`, whose questions have `…_prediction`",
    harness="LoCoMo's published code",
    recognizes=_recognizes,
    read=_read,
    identity="`sample_id` and the place in `qa`",
    failed="no `…_prediction`",
    verdicts="none; `…_f1` is the file's own metric",
)
