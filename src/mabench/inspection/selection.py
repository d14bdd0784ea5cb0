"""Which questions of a run are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from mabench.data import sources_meant
from mabench.errors import UsageError
from mabench.families import family_of
from mabench.runs import Run, Sample


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
        sources: the sources, each with its length or without.
        rows: the indices of the rows within their splits.
        question: the index of the question within its row.
        choice: which answers.
        other: the run from which answers are flipped.
    """

    sources: tuple[str, ...] | None = None
    rows: tuple[int, ...] | None = None
    question: int | None = None
    choice: Choice = Choice.ALL
    other: Run | None = None


def chosen(run: Run, selection: Selection) -> Iterator[Sample]:
    """Yield the samples of a selection, in the order of the run.

    Raises:
        UsageError: when the run has no such source, row or question.
    """
    selection = replace(selection, sources=_sources(run, selection))
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
            for what, value in (
                ("row", ", ".join(map(str, selection.rows or ()))),
                ("question", selection.question),
            )
            if value not in (None, "")
        )
        raise UsageError(f"{run.folder}: no answer yet to {', '.join(place) or 'any question'}")


def _sources(run: Run, selection: Selection) -> tuple[str, ...] | None:
    """Return the sources of the run that a selection names; None for all."""
    asked = run.record.questions
    if selection.sources is None:
        return None
    there = {name: one for name, one in run.record.all_sources.items() if name in asked}
    listed = f"the run has {', '.join(asked)}"
    return tuple(sources_meant(selection.sources, there, listed=listed))


def _stands(sample: Sample, selection: Selection) -> bool:
    return (
        (selection.sources is None or sample.source in selection.sources)
        and (selection.rows is None or sample.row in selection.rows)
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
