"""EverMemOS's evaluation results: ``eval_results.json``, with several judgments of each answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from mabench.formats import Claim, GivenAnswer, GivenRun, GivenVerdict, Glimpse, Item, ResultFormat
from mabench_results.documents import read_document
from mabench_results.locomo_questions import (
    SOURCE,
    UNANSWERABLE,
    category_of,
    golds_of,
    read_numbers,
)

_FIELDS = {"total_questions", "correct", "accuracy", "detailed_results"}
# What the harness writes as the answer where there is none; its judge is asked all the same.
_FAILURES = (
    "Error: Failed to generate answer",
    "Error: Answer generation timeout after retries",
)


def _recognizes(glimpse: Glimpse) -> bool:
    document = glimpse.document
    return isinstance(document, dict) and document.keys() >= _FIELDS


def _read(path: Path) -> Iterator[GivenRun]:
    document = read_document(path)
    metadata = document["metadata"]
    judge = (metadata["judge_model"].optional_text() if metadata.value else None) or "unknown"
    answers = tuple(_answer(item, judge) for item in _results(document))
    questions = document["total_questions"].whole_number()
    claim = Claim(what="accuracy", value=document["accuracy"].number(), questions=questions)
    yield GivenRun(name="", answers=answers, claims=(claim,))


def _results(document: Item) -> Iterator[Item]:
    """Yield the results of all questions, which may be in a list for each conversation."""
    details = document["detailed_results"]
    if isinstance(details.value, list):
        yield from details.items()
        return
    for _, conversation in details.entries():
        yield from conversation.items()


def _answer(item: Item, judge: str) -> GivenAnswer:
    """Return an answer; only LoCoMo's questions have ids whose numbers are known."""
    question_id = item["question_id"].text()
    row, index = read_numbers(question_id)
    is_locomo = row is not None
    category = category_of(item["category"]) if is_locomo else item["category"].optional_text()
    verdicts = _verdicts(item, judge)
    text, failure = item["generated_answer"].optional_text(), None
    if text in _FAILURES:
        text, failure = None, text
    return GivenAnswer(
        place=str(item),
        text=text,
        failure=failure,
        source=SOURCE if is_locomo else None,
        row=row,
        question_index=index,
        question_id=None if is_locomo else question_id,
        history=f"conversation {row}" if is_locomo else None,
        question=item["question"].text(),
        golds=golds_of(item["golden_answer"], category),
        question_type=category,
        is_unanswerable=is_locomo and category == UNANSWERABLE,
        verdicts=verdicts,
        counted=_mean(verdicts),
    )


def _verdicts(item: Item, judge: str) -> tuple[GivenVerdict, ...]:
    """Return the verdicts of the judge, by their prompts; else that of the file's own metric."""
    if item["llm_judgments"].value is None:
        return (GivenVerdict(judge="exact match", value=float(item["is_correct"].flag())),)
    return tuple(
        GivenVerdict(judge=judge, prompts=name, value=float(verdict.flag()))
        for name, verdict in item["llm_judgments"].entries()
    )


def _mean(verdicts: tuple[GivenVerdict, ...]) -> float | None:
    """Return the mean of the verdicts; None of an answer that was not judged yet."""
    return fmean(verdict.value or 0.0 for verdict in verdicts) if verdicts else None


FORMAT = ResultFormat(
    published="eval_results.json, an object with `detailed_results`",
    harness="EverMemOS",
    recognizes=_recognizes,
    read=_read,
    identity="`locomo_<conversation>_qa<question>`, both numbers from 0",
    failed="the answer is one of the harness's two error texts, which its judge judges",
    verdicts="`llm_judgments`, several by `metadata.judge_model`; `accuracy` is their mean",
)
