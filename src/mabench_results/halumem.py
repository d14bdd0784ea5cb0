"""HaluMem's evaluations: verdicts on stored memories, on updates and on answers.

A file has one mean for each of its tasks, and each is a run here: what was extracted, what was not
made up, what was updated, and what was answered. A judge's failure counts as nothing, as in the
file's means over *all*. The mean of two of them that it calls F1 is no mean of verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from mabench.formats import Claim, GivenAnswer, GivenRun, GivenVerdict, Glimpse, Item, ResultFormat
from mabench_results.documents import read_document

_FIELDS = {"overall_score", "memory_integrity_records", "question_answering_records"}
_VERDICTS = {"Correct": 1.0, "Hallucination": 0.0, "Omission": 0.0, "Other": 0.0}
_INTERFERENCE = "interference"
_BEST = 2  # The highest score of a memory.


class _Task(NamedTuple):
    """One of the tasks of a file: a list of records, of which some have a mean."""

    records: str  # The field that holds them.
    # Returns what a record adds to the mean, from 0 to 1; None if it is no part of it.
    value_of: Callable[[Item], float | None]
    # Where the file states the mean within ``overall_score``: two fields, one in the other.
    mean: tuple[str, str]


def _recognizes(glimpse: Glimpse) -> bool:
    document = glimpse.document
    return isinstance(document, dict) and document.keys() >= _FIELDS


def _value_of_extracted(record: Item) -> float | None:
    """Return 1 for a memory that should be there and is as a whole; None for a planted one."""
    if record["memory_source"].text() == _INTERFERENCE:
        return None
    return float(record["memory_integrity_score"].optional_number(_BEST) == _BEST)


def _value_of_resisted(record: Item) -> float | None:
    """Return 1 for a planted memory of which nothing is there; None for any other memory."""
    if record["memory_source"].text() != _INTERFERENCE:
        return None
    return float(record["memory_integrity_score"].optional_number(_BEST) == 0)


def _value_of_true(record: Item) -> float:
    """Return how much of a stored memory is true; 0 if the judge failed."""
    return (record["memory_accuracy_score"].optional_number(_BEST) or 0) / _BEST


def _value_of_true_target(record: Item) -> float | None:
    """Return how much of a memory that should be there is true; None for others."""
    is_target = record["is_included_in_golden_memories"].value in ("true", "True")
    return _value_of_true(record) if is_target else None


def _value_of_updated(record: Item) -> float:
    """Return 1 for an update that was carried out; 0 if it was not, or the judge failed."""
    return _VERDICTS.get(record["memory_update_type"].optional_text() or "", 0.0)


def _value_of_answered(record: Item) -> float:
    """Return 1 for a right answer; 0 for another, or if the judge failed."""
    return _VERDICTS.get(record["result_type"].optional_text() or "", 0.0)


_QUESTIONS = "questions"
_TASKS = {
    "extraction": _Task(
        records="memory_integrity_records",
        value_of=_value_of_extracted,
        mean=("memory_integrity", "recall(all)"),
    ),
    "interference": _Task(
        records="memory_integrity_records",
        value_of=_value_of_resisted,
        mean=("memory_accuracy", "interference_accuracy(all)"),
    ),
    "accuracy": _Task(
        records="memory_accuracy_records",
        value_of=_value_of_true,
        mean=("memory_accuracy", "weighted_accuracy(all)"),
    ),
    "accuracy of targets": _Task(
        records="memory_accuracy_records",
        value_of=_value_of_true_target,
        mean=("memory_accuracy", "target_accuracy(all)"),
    ),
    "updates": _Task(
        records="memory_update_records",
        value_of=_value_of_updated,
        mean=("memory_update", "correct_update_memory_ratio(all)"),
    ),
    _QUESTIONS: _Task(
        records="question_answering_records",
        value_of=_value_of_answered,
        mean=("question_answering", "correct_qa_ratio(all)"),
    ),
}


def _read(path: Path) -> Iterator[GivenRun]:
    """Yield a run for each task that has records in its mean."""
    document = read_document(path)
    for name, task in _TASKS.items():
        valued = [(record, task.value_of(record)) for record in document[task.records].items()]
        make_answer = _answer if name == _QUESTIONS else _memory
        answers = [make_answer(record, value) for record, value in valued if value is not None]
        if not answers:
            continue
        part, mean = task.mean
        claimed = document["overall_score"][part][mean].number()
        yield GivenRun(
            name=name,
            answers=tuple(answers),
            claims=(Claim(what=mean, value=claimed, questions=len(answers)),),
            has_no_answers=name != _QUESTIONS,
        )


def _memory(record: Item, counted: float) -> GivenAnswer:
    """Return the outcome of a memory, which has no text of an answer."""
    return GivenAnswer(
        place=str(record),
        text=None,
        history=record["uuid"].text(),
        question_type=record["memory_type"].optional_text(),
        counted=counted,
    )


def _answer(record: Item, counted: float) -> GivenAnswer:
    history, words = record["uuid"].text(), record["result_type"].optional_text()
    return GivenAnswer(
        place=str(record),
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
