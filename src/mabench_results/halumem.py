"""HaluMem's evaluations: verdicts on stored memories, on updates and on answers.

A file has one mean for each of its tasks, and each is a run here: what was extracted, what was not
made up, what was updated, and what was answered. A judge's failure counts as nothing, as in the
file's means over *all*. The mean of two of them that it calls F1 is no mean of verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from mabench.formats import Claim, GivenAnswer, GivenRun, GivenVerdict, Glimpse, Item, ResultFormat
from mabench_results.documents import read_document

_FIELDS = {"overall_score", "memory_integrity_records", "question_answering_records"}
_VERDICTS = {"Correct": 1.0, "Hallucination": 0.0, "Omission": 0.0, "Other": 0.0}
_INTERFERENCE = "interference"
_BEST = 2

# What a record adds to a mean, from 0 to 1; None if it is no part of it.
_Value = Callable[[Item], float | None]


def _recognizes(glimpse: Glimpse) -> bool:
    document = glimpse.document
    return isinstance(document, dict) and document.keys() >= _FIELDS


def _extracted(record: Item) -> float | None:
    """A memory that should be there counts where all of it is."""
    if record["memory_source"].text() == _INTERFERENCE:
        return None
    return float(record["memory_integrity_score"].optional_number(_BEST) == _BEST)


def _resisted(record: Item) -> float | None:
    """One that somebody else planted counts where nothing of it is there."""
    if record["memory_source"].text() != _INTERFERENCE:
        return None
    return float(record["memory_integrity_score"].optional_number(_BEST) == 0)


def _true(record: Item) -> float:
    return (record["memory_accuracy_score"].optional_number(_BEST) or 0) / _BEST


def _true_of_targets(record: Item) -> float | None:
    is_target = record["is_included_in_golden_memories"].value in ("true", "True")
    return _true(record) if is_target else None


def _updated(record: Item) -> float:
    return _VERDICTS.get(record["memory_update_type"].optional_text() or "", 0.0)


def _answered(record: Item) -> float:
    return _VERDICTS.get(record["result_type"].optional_text() or "", 0.0)


# By task: the records, what counts, and where the file has its mean.
_TASKS: dict[str, tuple[str, _Value, str]] = {
    "extraction": ("memory_integrity_records", _extracted, "memory_integrity.recall(all)"),
    "interference": (
        "memory_integrity_records",
        _resisted,
        "memory_accuracy.interference_accuracy(all)",
    ),
    "accuracy": ("memory_accuracy_records", _true, "memory_accuracy.weighted_accuracy(all)"),
    "accuracy of targets": (
        "memory_accuracy_records",
        _true_of_targets,
        "memory_accuracy.target_accuracy(all)",
    ),
    "updates": (
        "memory_update_records",
        _updated,
        "memory_update.correct_update_memory_ratio(all)",
    ),
    "questions": (
        "question_answering_records",
        _answered,
        "question_answering.correct_qa_ratio(all)",
    ),
}


def _read(path: Path) -> Iterator[GivenRun]:
    document = read_document(path)
    for task, (records, value, mean) in _TASKS.items():
        counted = [(one, value(one)) for one in document[records].items()]
        answers = [_answer(one, task, number) for one, number in counted if number is not None]
        if not answers:
            continue
        part, _, name = mean.partition(".")
        claimed = document["overall_score"][part][name].number()
        yield GivenRun(
            name=task,
            answers=tuple(answers),
            claims=(Claim(what=name, value=claimed, questions=len(answers)),),
            has_no_answers=task != "questions",
        )


def _answer(record: Item, task: str, counted: float) -> GivenAnswer:
    history, place = record["uuid"].text(), str(record)
    if task != "questions":
        return GivenAnswer(
            place=place,
            text=None,
            history=history,
            question_type=record["memory_type"].optional_text(),
            counted=counted,
        )
    words = record["result_type"].optional_text()
    return GivenAnswer(
        place=place,
        text=record["system_response"].text(),
        history=history,
        question=record["question"].text(),
        question_type=record["question_type"].optional_text(),
        golds=record["answer"].golds(),
        verdicts=(GivenVerdict(value=None if words is None else counted, words=words),),
        counted=counted,
    )


FORMAT = ResultFormat(
    published="<frame>_eval_stat_result.json",
    harness="HaluMem",
    recognizes=_recognizes,
    read=_read,
    identity="`uuid`, `ssession_id` and the question's text",
    failed="a judge's failure is null, and counts as wrong in the means over all",
    verdicts="`result_type`; 0 to 2 for memories",
)
