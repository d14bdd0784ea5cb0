"""Which questions of a run are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from mabench.data import match_sources
from mabench.errors import UsageError
from mabench.results import Key, Run, ScoredQuestion


class AnswerFilter(StrEnum):
    """Which answers are looked at."""

    ALL = "all"
    WRONG = "wrong"
    ERRORS = "errors"
    FLIPPED = "flipped"


@dataclass(frozen=True, slots=True)
class Selection:
    """The questions of a run that are looked at; None stands for all."""

    sources: tuple[str, ...] | None = None  # Each with its length or without.
    rows: tuple[int, ...] | None = None  # Their indices within their splits.
    question: int | None = None  # Its index within its row.
    choice: AnswerFilter = AnswerFilter.ALL
    other: Run | None = None  # The run from which answers are flipped.


def select_questions(run: Run, selection: Selection) -> Iterator[ScoredQuestion]:
    """Yield the questions of a selection, in the order of the run; UsageError without any."""
    sources = selection.sources
    if sources is not None:
        asked = run.record.questions
        of_run = {name: source for name, source in run.record.all_sources.items() if name in asked}
        listed = f"the run has {', '.join(asked)}"
        sources = tuple(match_sources(sources, of_run, listed=listed))
    other = selection.other
    others = {each.sample.key: each.official for each in other.questions()} if other else {}
    is_empty = True
    for question in run.questions():
        sample = question.sample
        if (
            (sources is None or sample.source in sources)
            and (selection.rows is None or sample.row in selection.rows)
            and selection.question in (None, sample.question_index)
        ):
            is_empty = False
            if _passes(question, selection.choice, others):
                yield question
    if is_empty:
        place = [f"row {', '.join(map(str, selection.rows))}"] if selection.rows else []
        if selection.question is not None:
            place.append(f"question {selection.question}")
        raise UsageError(f"{run.folder}: no answer yet to {', '.join(place) or 'any question'}")


def _passes(
    question: ScoredQuestion, choice: AnswerFilter, others: Mapping[Key, float | None]
) -> bool:
    if choice is AnswerFilter.ERRORS:
        return question.sample.error is not None
    if choice is AnswerFilter.WRONG:
        return question.official is not None and question.official < 1
    if choice is AnswerFilter.FLIPPED:
        before = others.get(question.sample.key)
        return None not in (before, question.official) and before != question.official
    return True
