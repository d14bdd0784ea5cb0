"""supermemory's memorybench: the report of a run, or its checkpoint, which has failed questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.formats import Claim, GivenAnswer, GivenRun, GivenVerdict, Glimpse, Item, ResultFormat
from mabench_results.documents import read_document
from mabench_results.locomo_questions import NOTHING_KNOWN, read_own_id
from mabench_results.locomo_questions import SOURCE as LOCOMO
from mabench_results.longmemeval import SOURCE as LONGMEMEVAL
from mabench_results.longmemeval import is_unanswerable

_REPORT = {"provider", "benchmark", "summary", "evaluations"}
_CHECKPOINT = {"provider", "benchmark", "questions", "dataSourceRunId"}
_LABELS = {"correct": 1.0, "incorrect": 0.0}
# What JavaScript writes for a gold that LoCoMo's file does not have.
_NO_GOLD = "undefined"


def _recognizes(glimpse: Glimpse) -> bool:
    document = glimpse.document
    return isinstance(document, dict) and (
        document.keys() >= _REPORT or document.keys() >= _CHECKPOINT
    )


def _read(path: Path) -> Iterator[GivenRun]:
    """Yield the one run; a checkpoint has ``questions`` and no mean, a report ``evaluations``."""
    document = read_document(path)
    judge = document["judge"].optional_text() or "unknown"
    benchmark = document["benchmark"].text()
    name = document["provider"].text()
    if "evaluations" in document:
        evaluations = document["evaluations"].items()
        answers = tuple(_evaluation(item, benchmark, judge) for item in evaluations)
        yield GivenRun(name=name, answers=answers, claims=(_claim(document["summary"]),))
        return
    questions = [item for _, item in document["questions"].entries()]
    yield GivenRun(
        name=name, answers=tuple(_question(item, benchmark, judge) for item in questions)
    )


def _claim(summary: Item) -> Claim:
    return Claim(
        what="accuracy",
        value=summary["accuracy"].number(),
        questions=summary["totalQuestions"].optional_whole_number(),
    )


def _evaluation(item: Item, benchmark: str, judge: str) -> GivenAnswer:
    """Return an answer of a report, which keeps those alone whose evaluation was completed."""
    score, label = item["score"].number(), _label(item["label"])
    words = item["explanation"].optional_text()
    verdict = GivenVerdict(judge=judge, value=score, words=words, second_value=label)
    text = item["hypothesis"].optional_text()
    if not text:
        return _given(item, benchmark, failure="no answer", verdict=verdict, counted=score)
    return _given(item, benchmark, text=text, verdict=verdict, counted=score)


def _question(item: Item, benchmark: str, judge: str) -> GivenAnswer:
    """Return an answer of a checkpoint; one that did not come to a verdict leaves the mean."""
    phases = item["phases"]
    failures = [
        f"{phase} {status['status'].value}"
        for phase, status in phases.entries()
        if status["status"].value != "completed"
    ]
    answer, evaluation = phases["answer"], phases["evaluate"]
    text = answer["hypothesis"].optional_text() if answer.value else None
    if failures:
        return _given(item, benchmark, failure=failures[0])
    if not text:
        return _given(item, benchmark, failure="no answer")
    score = evaluation["score"].number()
    verdict = GivenVerdict(
        judge=judge,
        value=score,
        words=evaluation["explanation"].optional_text(),
        second_value=_label(evaluation["label"]),
    )
    return _given(item, benchmark, text=text, verdict=verdict, counted=score)


def _given(
    item: Item,
    benchmark: str,
    *,
    text: str | None = None,
    failure: str | None = None,
    verdict: GivenVerdict | None = None,
    counted: float | None = None,
) -> GivenAnswer:
    """Return an answer with what a report and a checkpoint say of its question in the same way."""
    question_id = item["questionId"].text()
    own_id = read_own_id(question_id)
    source = {"locomo": LOCOMO, "longmemeval": LONGMEMEVAL}.get(benchmark.lower(), benchmark)
    golds = item["groundTruth"].golds()
    is_without_gold = source == LOCOMO and golds == (_NO_GOLD,)
    return GivenAnswer(
        place=str(item),
        text=text,
        failure=failure,
        source=source,
        question_id=own_id or question_id,
        history=own_id.rpartition("_q")[0] if own_id else None,
        question=item["question"].text(),
        golds=(NOTHING_KNOWN,) if is_without_gold else golds,
        question_type=item["questionType"].optional_text(),
        is_unanswerable=is_without_gold or (source == LONGMEMEVAL and is_unanswerable(question_id)),
        verdicts=(verdict,) if verdict else (),
        counted=counted,
    )


def _label(item: Item) -> float | None:
    """Return the verdict that a label is; None without one."""
    if item.value is None:
        return None
    if item.value not in _LABELS:
        raise item.fault(" or ".join(_LABELS))
    return _LABELS[item.value]


FORMAT = ResultFormat(
    published="report.json or checkpoint.json of a run",
    harness="supermemory's memorybench",
    recognizes=_recognizes,
    read=_read,
    identity="`questionId`: for LoCoMo `<sample_id>-q<question>`, else the benchmark's own id",
    failed="a phase that is not `completed`, or no answer; the report leaves these out",
    verdicts="`score`, with `label` beside it and `explanation`, by `judge`",
)
