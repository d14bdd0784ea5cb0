"""mem0's memory-benchmarks: LoCoMo, LongMemEval and BEAM, each answer at several cut-offs.

Every cut-off (the number of memories that were shown) is a run of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.formats import Claim, GivenAnswer, GivenRun, GivenVerdict, Glimpse, Item, ResultFormat
from mabench_results.documents import read_document
from mabench_results.locomo_questions import SOURCE as LOCOMO
from mabench_results.locomo_questions import UNANSWERABLE, category_of, golds_of, read_numbers
from mabench_results.longmemeval import SOURCE as LONGMEMEVAL
from mabench_results.longmemeval import is_unanswerable

_RIGHT = ("CORRECT", "PASS")
_WRONG = ("WRONG", "FAIL")
_FAILED = "ERROR"
_PERCENT = 100.0


def _recognizes(glimpse: Glimpse) -> bool:
    document = glimpse.document
    return isinstance(document, dict) and document.keys() >= {"metrics_by_cutoff", "evaluations"}


def _read(path: Path) -> Iterator[GivenRun]:
    """Yield a run for each cut-off; it has no answers if the file states its figures alone."""
    document = read_document(path)
    metadata = document["metadata"]
    judge = (metadata["judge_model"].optional_text() if metadata.value else None) or "unknown"
    evaluations = document["evaluations"].items()
    for cutoff, metrics in document["metrics_by_cutoff"].entries():
        # Files exist that list the questions a second time, without their results.
        answered = [item for item in evaluations if item["cutoff_results"].value is not None]
        # Files exist that state figures for cut-offs whose results they do not hold.
        answers: tuple[GivenAnswer, ...] = ()
        if any(item["cutoff_results"][cutoff].value is not None for item in answered):
            answers = tuple(_answer(item, cutoff, judge) for item in answered)
        is_graded = any(item["chat_size"].value is not None for item in answered)
        claim = _claim_of(metrics["overall"], is_graded=is_graded)
        yield GivenRun(
            name=cutoff,
            answers=answers,
            claims=(claim,),
            has_no_answers=bool(answers) and all(answer.text is None for answer in answers),
        )


def _claim_of(overall: Item, *, is_graded: bool) -> Claim:
    """Return the figure that the file states: a share of answers, or for BEAM a mean of grades."""
    questions = overall["total"].optional_whole_number()
    if is_graded:
        return Claim(what="avg_score", value=overall["avg_score"].number(), questions=questions)
    name = "accuracy" if "accuracy" in overall else "pass_rate"
    share = overall[name].number(most=_PERCENT) / _PERCENT
    return Claim(what=name, value=share, questions=questions)


def _answer(item: Item, cutoff: str, judge: str) -> GivenAnswer:
    """Return the answer at a cut-off, of LoCoMo by its id, of BEAM if it has a size of chats."""
    question_id = item["question_id"].text()
    row, index = read_numbers(question_id)
    size = item["chat_size"].optional_text()
    question_type: str | None
    if row is not None:
        source = LOCOMO
        question_type = category_of(item["category"])
    else:
        source = f"beam_{size.lower()}" if size else LONGMEMEVAL
        question_type = item["question_type"].optional_text()
    result = item["cutoff_results"][cutoff]
    is_missing = result.value is None
    verdict = None if is_missing else _verdict(result, judge)
    text = None if is_missing else result["generated_answer"].optional_text()
    return GivenAnswer(
        place=str(item),
        text=text or None,
        failure=None if text else "no answer",
        source=source,
        row=row,
        question_index=index,
        question_id=question_id if source == LONGMEMEVAL else None,
        history=_history(item),
        question=item["question"].text(),
        golds=golds_of(item["ground_truth_answer"], question_type),
        question_type=question_type,
        is_unanswerable=_is_unanswerable(source, question_id, question_type),
        verdicts=(verdict,) if verdict else (),
        counted=_counted(verdict),
    )


def _is_unanswerable(source: str, question_id: str, question_type: str | None) -> bool:
    """Return whether the right answer is that nothing is known: LongMemEval's ids say it."""
    if source == LONGMEMEVAL:
        return is_unanswerable(question_id)
    return question_type in (UNANSWERABLE, "abstention")


def _history(item: Item) -> str | None:
    number = item["conversation_idx"].optional_whole_number()
    return None if number is None else f"conversation {number}"


def _counted(verdict: GivenVerdict | None) -> float:
    """Return what counts in the file's own mean: 0 for a missing cut-off and for an error."""
    if verdict is None or verdict.value is None:
        return 0.0
    return verdict.value


def _verdict(result: Item, judge: str) -> GivenVerdict:
    """Return the verdict by its word; BEAM's answers have a score alone."""
    word, score = result["judgment"].optional_text(), result["score"].optional_number()
    words = result["reason"].optional_text()
    if word is None:
        return GivenVerdict(judge=judge, value=score, words=words)
    if word not in (*_RIGHT, *_WRONG, _FAILED):
        raise result["judgment"].fault(f"one of {', '.join((*_RIGHT, *_WRONG, _FAILED))}")
    value = None if word == _FAILED else float(word in _RIGHT)
    return GivenVerdict(judge=judge, value=value, words=words, second_value=score)


FORMAT = ResultFormat(
    published="…_results.json, an object with `metrics_by_cutoff` and `evaluations`",
    harness="mem0's memory-benchmarks",
    recognizes=_recognizes,
    read=_read,
    identity="`conv<conversation>_q<question>`, LongMemEval's id; for BEAM the question's text",
    failed="an empty answer, or no result at a cut-off; both count as 0 there, too",
    verdicts="`cutoff_results.<cut-off>.judgment`, for BEAM `score`, by `metadata.judge_model`",
)
