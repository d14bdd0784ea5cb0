"""Which questions of a run are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from mabench.errors import UsageError
from mabench.families import family_of
from mabench.runs import Run, Sample
from mabench.suggestions import unknown


class Choice(StrEnum):
    """Which answers are looked at."""

    ALL = "all"
    WRONG = "wrong"
    ERRORS = "errors"
    FLIPPED = "flipped"


@dataclass(frozen=True, slots=True)
class Selection:
    """The questions of a run that are looked at; None stands for all.

    Attributes:
        source: the source.
        row: the index of the row within its split.
        question: the index of the question within its row.
        choice: which answers.
        other: the run from which answers are flipped.
    """

    source: str | None = None
    row: int | None = None
    question: int | None = None
    choice: Choice = Choice.ALL
    other: Run | None = None


def chosen(run: Run, selection: Selection) -> Iterator[Sample]:
    """Yield the samples of a selection, in the order of the run.

    Raises:
        UsageError: when the run has no such source, row or question.
    """
    known = run.record.questions
    if selection.source is not None and selection.source not in known:
        raise UsageError(
            unknown("the run has no source", selection.source, known), parameter="sources"
        )
    others = _official(selection.other) if selection.other else {}
    there = False
    for sample in run.samples():
        if _stands(sample, selection):
            there = True
            if _is_chosen(run, sample, selection.choice, others):
                yield sample
    if not there:
        place = (
            f"{what} {value}"
            for what, value in (("row", selection.row), ("question", selection.question))
            if value is not None
        )
        raise UsageError(f"{run.folder}: no answer yet to {', '.join(place) or 'any question'}")


def _stands(sample: Sample, selection: Selection) -> bool:
    return (
        selection.source in (None, sample.source)
        and selection.row in (None, sample.row)
        and selection.question in (None, sample.question_index)
    )


def _is_chosen(
    run: Run, sample: Sample, choice: Choice, others: dict[tuple[str, int, int], float | None]
) -> bool:
    if choice is Choice.ERRORS:
        return sample.error is not None
    score = official_score(run, sample)
    if choice is Choice.WRONG:
        return score is not None and score < 1
    if choice is Choice.FLIPPED:
        return sample.key in others and others[sample.key] != score
    return True


def official_score(run: Run, sample: Sample) -> float | None:
    """Return the official score of a sample, from 0 to 1; None where that takes a judge."""
    metric = family_of(sample.source, run.record.all_sources).metric
    value = sample.official.get(metric)
    if value is None:
        return 0.0 if sample.error is not None else None
    return float(value)


def _official(run: Run) -> dict[tuple[str, int, int], float | None]:
    return {sample.key: official_score(run, sample) for sample in run.samples()}
