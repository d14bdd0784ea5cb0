"""Which questions of a run are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from mabench.data import match_sources
from mabench.errors import UsageError
from mabench.results import Run, Sample, ScoredQuestion
from mabench.results.records.sample import Key


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


def chosen(run: Run, selection: Selection) -> Iterator[ScoredQuestion[Sample]]:
    """Yield the questions of a selection, in the order of the run.

    Raises:
        UsageError: when the run has no such source, row or question.
    """
    selection = replace(selection, sources=_sources(run, selection))
    other = selection.other
    others = {one.sample.key: one.official for one in other.questions()} if other else {}
    there = False
    for question in run.questions():
        if _stands(question.sample, selection):
            there = True
            if _is_chosen(question, selection.choice, others):
                yield question
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
    return tuple(match_sources(selection.sources, there, listed=listed))


def _stands(sample: Sample, selection: Selection) -> bool:
    return (
        (selection.sources is None or sample.source in selection.sources)
        and (selection.rows is None or sample.row in selection.rows)
        and selection.question in (None, sample.question_index)
    )


def _is_chosen(
    question: ScoredQuestion[Sample], choice: Choice, others: Mapping[Key, float | None]
) -> bool:
    if choice is Choice.ERRORS:
        return question.sample.error is not None
    if choice is Choice.WRONG:
        return question.official is not None and question.official < 1
    if choice is Choice.FLIPPED:
        before = others.get(question.sample.key)
        return None not in (before, question.official) and before != question.official
    return True
