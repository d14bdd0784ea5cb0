"""Golds that people marked as wrong, as flags of an audit."""

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
    ids: dict[Key, str | None] = {}
    sources: dict[Key, str] = {}
    for question in dataset.questions():
        key = (question.split, question.row, question.question_index)
        ids[key], sources[key] = question.qa_pair_id, question.source
    wrong = [mark for mark in latest_marks(marks) if mark.mark == MarkKind.GOLD_WRONG]
    flags = []
    for mark in wrong:
        if sources.get(mark.key) != mark.source:
            where = f"row {mark.row}, question {mark.question_index} of {mark.source}"
            raise DataError(f"{where} is marked, but not in these data; name marks of these data")
        flags.append(Flag(*mark.key, ids[mark.key], mark.source, _REASON, mark.note))
    return replace(
        audit,
        flags=_in_order([*audit.flags, *flags], [*ids]),
        reasons=[*audit.reasons, _REASON],
    )


def _marks_of(place: Path, audit: Audit) -> Sequence[Mark]:
    """Return the marks of a run, whose data must be those of the audit, or of a file."""
    folder = RunFolder(place)
    if place.is_file() or not folder.exists():
        return [*read_marks(place)]
    record = folder.record()
    if record.data.fingerprint != audit.fingerprint:
        raise UsageError(
            f"{place} is a run on other data ({record.data.name}), whose marks say nothing here",
            parameter="marked",
        )
    return folder.marks()


def _in_order(flags: Sequence[Flag], keys: Sequence[Key]) -> list[Flag]:
    places = {key: place for place, key in enumerate(keys)}
    return sorted(flags, key=lambda flag: places[flag.split, flag.row, flag.question_index])
