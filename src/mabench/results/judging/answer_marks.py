"""Marks on the answers that a person judges by hand.

A mark says that a gold or a verdict is wrong. A mark of a gold is shown with its answer. A mark of
a verdict would give away the score of the answer, so it is only counted, once the answers are
judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mabench.errors import DataError
from mabench.results.judging.by_hand import DrawnAnswer, judged_by_hand
from mabench.results.records.lines import Key, Sample
from mabench.results.records.marks import Mark, MarkKind, latest_marks, read_marks
from mabench.results.records.store import RunFolder


class MarkedAnswers(NamedTuple):
    """How many of the answers that a person judged have marks."""

    person: str
    judged: int  # How many answers the person judged.
    golds: int  # On how many of them the gold is marked as wrong.
    verdicts: int  # On how many of them the verdict is marked as wrong.


def marks_on(drawn: Sequence[DrawnAnswer], places: Iterable[Path] = ()) -> dict[int, list[Mark]]:
    """Return the marks on drawn answers, by the numbers of the answers.

    Answers without a mark are left out.

    Args:
        drawn: the answers, whose runs may have marks.
        places: where more marks are: files that a page saved, or other runs on the same data.

    Raises:
        DataError: when marks cannot be read, or are of other questions than those of the runs.
    """
    folders = {folder.path: folder for answer in drawn for folder in answer.folders}
    marks = [mark for folder in folders.values() for mark in folder.marks()]
    samples = {answer.sample.key: answer.sample for answer in drawn}
    for place in places:
        is_run = RunFolder(place).exists()
        more_marks = RunFolder(place).marks() if is_run else list(read_marks(place))
        _check_sources(more_marks, samples, place)
        marks += more_marks
    marks_by_key = _group_by_key(marks)
    marks_by_number = {}
    for answer in drawn:
        own_marks = list(_marks_of(answer.sample, marks_by_key))
        if own_marks:
            marks_by_number[answer.number] = own_marks
    return marks_by_number


def count_marked(folder: RunFolder) -> list[MarkedAnswers]:
    """Return for each person how many of the answers judged by hand have marks in the run.

    Judgments of answers that the run has no more are left out.
    """
    marks_by_key = _group_by_key(folder.marks())
    samples = {sample.key: sample for sample in folder.samples()}
    judged_by_person: dict[str, dict[Key, Sample]] = {}
    for judgment in judged_by_hand(folder.judgments()):
        sample = samples.get(judgment.key)
        if sample is not None and judgment.answer == sample.answer_hash:
            person = judgment.model  # A judgment by hand names the person as its model.
            judged_by_person.setdefault(person, {})[sample.key] = sample
    counts = []
    for person, answers in judged_by_person.items():
        golds = verdicts = 0
        for answer in answers.values():
            kinds = {mark.mark for mark in _marks_of(answer, marks_by_key)}
            golds += int(MarkKind.GOLD_WRONG in kinds)
            verdicts += int(MarkKind.VERDICT_WRONG in kinds)
        counts.append(MarkedAnswers(person, len(answers), golds, verdicts))
    return counts


def _group_by_key(marks: Iterable[Mark]) -> dict[Key, list[Mark]]:
    """Return the marks that were not withdrawn, by the keys of their questions."""
    by_key: dict[Key, list[Mark]] = {}
    for mark in latest_marks(marks):
        by_key.setdefault(mark.key, []).append(mark)
    return by_key


def _marks_of(sample: Sample, marks_by_key: Mapping[Key, Sequence[Mark]]) -> Iterator[Mark]:
    """Yield the marks that hold for an answer.

    Those of golds hold for all answers to a question, those of verdicts for one answer only.
    """
    for mark in marks_by_key.get(sample.key, ()):
        if mark.mark == MarkKind.GOLD_WRONG or mark.answer == sample.answer_hash:
            yield mark


def _check_sources(marks: Iterable[Mark], samples: Mapping[Key, Sample], place: Path) -> None:
    """Raise ``DataError`` if a marked question is one of another source in the samples.

    The marks, from ``place``, are of other data then.
    """
    for mark in marks:
        sample = samples.get(mark.key)
        if sample is not None and sample.source != mark.source:
            raise DataError(
                f"{place}: row {mark.row}, question {mark.question_index} is marked as one of "
                f"{mark.source}, and is one of {sample.source} here; name marks of the same data"
            )
