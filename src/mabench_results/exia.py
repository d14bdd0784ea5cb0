"""exia's LoCoMo scores: all conversations in one file, or one conversation judged three times."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.formats import Claim, GivenAnswer, GivenRun, GivenVerdict, Glimpse, Item, ResultFormat
from mabench_results.documents import read_document
from mabench_results.locomo_questions import SOURCE, UNANSWERABLE, category_of, golds_of

_ALL_CONVERSATIONS = {"total_qa", "overall_accuracy", "results"}
_ONE_CONVERSATION = {"judge_runs", "conversation_id", "results"}
# A question of category 5 that the harness passes over is in no mean.
_SKIPPED = "SKIP"
_LABELS = {"CORRECT": 1.0, "WRONG": 0.0, _SKIPPED: None}


def _recognizes(glimpse: Glimpse) -> bool:
    document = glimpse.document
    return isinstance(document, dict) and (
        document.keys() >= _ALL_CONVERSATIONS or document.keys() >= _ONE_CONVERSATION
    )


def _read(path: Path) -> Iterator[GivenRun]:
    document = read_document(path)
    if "judge_runs" in document:
        yield _read_one(document)
        return
    answers = []
    for conversation in document["results"].items():
        row = conversation["conv_idx"].whole_number()
        for index, item in enumerate(conversation["qa_results"].items()):
            history = f"conversation {row}"
            answers.append(_answer(item, "category", row=row, index=index, history=history))
    claim = Claim(
        what="overall_accuracy",
        value=document["overall_accuracy"].number(),
        questions=document["total_qa"].whole_number(),
    )
    name = document["system"].optional_text() or ""
    yield GivenRun(name=name, answers=tuple(answers), claims=(claim,))


def _read_one(document: Item) -> GivenRun:
    """Return the run of one conversation, which leaves out the questions of category 5.

    So the place of an answer in the list does not name its question; its text does.
    """
    history = document["conversation_id"].text()
    answers = tuple(
        _answer(item, "cat", row=None, index=None, history=history)
        for item in document["results"].items()
    )
    claim = Claim(
        what="score",
        value=document["score"].number(),
        questions=document["total"].whole_number(),
    )
    return GivenRun(name=history, answers=answers, claims=(claim,))


def _answer(
    item: Item, category_field: str, *, row: int | None, index: int | None, history: str
) -> GivenAnswer:
    """Return an answer; ``row`` and ``index`` name its question where both are known."""
    category = category_of(item[category_field])
    label = item["label"]
    value = None
    if label.value is not None:
        if label.value not in _LABELS:
            raise label.fault(f"one of {', '.join(_LABELS)}")
        value = _LABELS[label.value]
    text, failure = None, None
    if label.value == _SKIPPED:
        failure = "skipped"
    else:
        text = item["response"].optional_text() or None
        if text is None:
            failure = "no answer"
    return GivenAnswer(
        place=str(item),
        text=text,
        failure=failure,
        source=SOURCE,
        row=row,
        question_index=index,
        history=history,
        question=item["question"].text(),
        golds=golds_of(item["gold"], category),
        question_type=category,
        is_unanswerable=category == UNANSWERABLE,
        verdicts=() if value is None else (GivenVerdict(value=value),),
        counted=value,
    )


FORMAT = ResultFormat(
    published="a file with `overall_accuracy`, or with `judge_runs`, and `results`",
    harness="exia",
    recognizes=_recognizes,
    read=_read,
    identity="`conv_idx` and the order in `qa_results`; of one conversation the question's text",
    failed="an empty response; `SKIP` is left out of the file's mean",
    verdicts="`label` by a judge that the file does not name",
)
