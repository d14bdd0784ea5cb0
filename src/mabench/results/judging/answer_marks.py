"""Marks on the answers that a person judges by hand.

A mark of a gold is shown with its answer. One of a verdict tells that somebody disagrees with a
score, and so tells the score: it is only counted, once the answers are judged.
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
    """How many of the answers that a person judged carry marks."""

    person: str
    judged: int
    golds: int  # Whose gold is marked as wrong.
    verdicts: int  # Whose verdict is marked as wrong.


def marks_on(drawn: Sequence[DrawnAnswer], places: Iterable[Path] = ()) -> dict[int, list[Mark]]:
    """Return the marks on drawn answers, by the numbers of the answers.

    Args:
        drawn: the answers; the marks of their runs count.
        places: files of marks that a page saved, or other runs on the same data.

    Raises:
        DataError: when marks cannot be read, or are of other questions than those of the runs.
    """
    folders = {folder.path: folder for one in drawn for folder in one.folders}
    marks = [mark for folder in folders.values() for mark in folder.marks()]
    samples = {one.sample.key: one.sample for one in drawn}
    for place in places:
        given = RunFolder(place).marks() if RunFolder(place).exists() else [*read_marks(place)]
        _check_sources(given, samples, place)
        marks += given
    by_key = _by_key(marks)
    found = {one.number: [*_marks_of(one.sample, by_key)] for one in drawn}
    return {number: own for number, own in found.items() if own}


def count_marked(folder: RunFolder) -> list[MarkedAnswers]:
    """Return for each person how many of the answers judged by hand carry marks of the run."""
    by_key = _by_key(folder.marks())
    samples = {sample.key: sample for sample in folder.samples()}
    judged: dict[str, dict[Key, Sample]] = {}
    for judgment in judged_by_hand(folder.judgments()):
        sample = samples.get(judgment.key)
        if sample is not None and judgment.answer == sample.answer_hash:
            judged.setdefault(judgment.model, {})[sample.key] = sample
    counts = []
    for person, answers in judged.items():
        kinds = [{mark.mark for mark in _marks_of(one, by_key)} for one in answers.values()]
        golds = sum(MarkKind.GOLD_WRONG in of for of in kinds)
        verdicts = sum(MarkKind.VERDICT_WRONG in of for of in kinds)
        counts.append(MarkedAnswers(person, len(answers), golds, verdicts))
    return counts


def _by_key(marks: Iterable[Mark]) -> dict[Key, list[Mark]]:
    """Return the marks that were not withdrawn by the keys of their questions."""
    by_key: dict[Key, list[Mark]] = {}
    for mark in latest_marks(marks):
        by_key.setdefault(mark.key, []).append(mark)
    return by_key


def _marks_of(sample: Sample, by_key: Mapping[Key, Sequence[Mark]]) -> Iterator[Mark]:
    """Yield the marks that hold for an answer: those of verdicts hold for one answer only."""
    for mark in by_key.get(sample.key, ()):
        if mark.mark == MarkKind.GOLD_WRONG or mark.answer == sample.answer_hash:
            yield mark


def _check_sources(marks: Iterable[Mark], samples: Mapping[Key, Sample], place: Path) -> None:
    """Raise ``DataError`` for a mark on a question that is one of another source here."""
    for mark in marks:
        sample = samples.get(mark.key)
        if sample is not None and sample.source != mark.source:
            raise DataError(
                f"{place}: row {mark.row}, question {mark.question_index} is marked as one of "
                f"{mark.source}, and is one of {sample.source} here; name marks of the same data"
            )
