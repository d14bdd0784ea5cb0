"""Adds the golds that people marked as wrong to the flags of an audit of the data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from mabench.audit import Audit, Flag
from mabench.data import Dataset
from mabench.errors import DataError, UsageError
from mabench.results.records.lines import Key
from mabench.results.records.marks import Mark, MarkKind, latest_marks, read_marks
from mabench.results.records.store import RunFolder

_REASON = "marked-wrong"


def flag_marked_golds(audit: Audit, dataset: Dataset, places: Iterable[Path]) -> Audit:
    """Return an audit that also flags the golds that people marked as wrong.

    Args:
        audit: of the data set.
        dataset: the data set.
        places: folders of runs on it, or files of marks that a page saved.

    Raises:
        DataError: when marks cannot be read, or are of questions that the data set does not have.
        UsageError: when a run is on other data.
    """
    marks: list[Mark] = []
    for place in places:
        marks += _marks_of(place, audit)
    if not marks:
        return audit
    questions = {question.key: question for question in dataset.questions()}
    flags = list(audit.flags)
    for mark in latest_marks(marks):
        if mark.mark != MarkKind.GOLD_WRONG:
            continue
        question = questions.get(mark.key)
        if question is None or question.source != mark.source:
            where = f"row {mark.row}, question {mark.question_index} of {mark.source}"
            raise DataError(f"{where} is marked, but not in these data; name marks of these data")
        flags.append(
            Flag(
                split=mark.split,
                row=mark.row,
                question_index=mark.question_index,
                qa_pair_id=question.qa_pair_id,
                source=mark.source,
                reason=_REASON,
                detail=mark.note,
            )
        )
    return replace(
        audit, flags=_in_order(flags, list(questions)), reasons=[*audit.reasons, _REASON]
    )


def _marks_of(place: Path, audit: Audit) -> Sequence[Mark]:
    """Return the marks of a run or of a file.

    Raises ``UsageError`` for a run on other data than those of the audit.
    """
    folder = RunFolder(place)
    if place.is_file() or not folder.exists():
        return list(read_marks(place))
    record = folder.record()
    if record.data.fingerprint != audit.fingerprint:
        raise UsageError(
            f"{place} is a run on other data ({record.data.name}), whose marks say nothing here",
            parameter="marked",
        )
    return folder.marks()


def _in_order(flags: Sequence[Flag], keys: Sequence[Key]) -> list[Flag]:
    """Return flags in the order of the questions whose keys these are."""
    places = {key: place for place, key in enumerate(keys)}
    return sorted(flags, key=lambda flag: places[flag.split, flag.row, flag.question_index])
