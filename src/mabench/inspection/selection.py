"""Which questions of a run are looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mabench.data import match_sources
from mabench.errors import UsageError
from mabench.results import Run, ScoredQuestion

_RIGHT = ("right", "right_unretrieved")


class AnswerFilter(StrEnum):
    """Which answers are looked at."""

    ALL = "all"
    WRONG = "wrong"  # By the official score or by its part, or without a score.
    FLIPPED = "flipped"


@dataclass(frozen=True, slots=True)
class Selection:
    """The questions of a run that are looked at; None stands for all."""

    sources: tuple[str, ...] | None = None  # Each with its length or without.
    rows: tuple[int, ...] | None = None  # Their indices within their splits.
    question: int | None = None  # Its index within its row.
    choice: AnswerFilter = AnswerFilter.ALL
    part: str | None = None  # One of ``PARTS``.
    other: Run | None = None  # The run from which answers are flipped.

    def select(self, run: Run) -> Iterator[ScoredQuestion]:
        """Yield the questions of a run that are selected, in order; UsageError without any."""
        sources = self.sources
        if sources is not None:
            asked = run.record.questions
            of_run = {
                name: source for name, source in run.record.all_sources.items() if name in asked
            }
            listed = f"the run has {', '.join(asked)}"
            sources = tuple(match_sources(sources, of_run, listed=listed))
        other = self.other
        others = {each.sample.key: each.official for each in other.questions()} if other else {}
        places: defaultdict[int, list[int]] = defaultdict(list)  # Of questions, by row.
        for question in run.questions():
            sample, official = question.sample, question.official
            if sources is None or sample.source in sources:
                places[sample.row].append(sample.question_index)
                if (self.rows is not None and sample.row not in self.rows) or (
                    self.question not in (None, sample.question_index)
                ):
                    continue
                before = others.get(sample.key)
                passes = {
                    AnswerFilter.ALL: True,
                    AnswerFilter.WRONG: official != 1 or question.part not in _RIGHT,
                    AnswerFilter.FLIPPED: None not in (before, official) and before != official,
                }
                if passes[self.choice] and self.part in (None, question.part):
                    yield question
        _check_place(run, self, sources, places)


def _check_place(
    run: Run,
    selection: Selection,
    sources: Sequence[str] | None,
    places: Mapping[int, Sequence[int]],
) -> None:
    """Raise ``UsageError`` where no question of the selection was asked, and say what was."""
    rows = [row for row in places if selection.rows is None or row in selection.rows]
    asked = {index for row in rows for index in places[row]}
    if asked and selection.question in (None, *asked):
        return
    questions = run.record.questions
    expected = sum(questions[name] for name in sources or questions)
    has, none = "has", "no"
    if sum(map(len, places.values())) < expected:  # What was not asked may be there.
        has, none = "has so far answers of", "no answer yet to"
    if not places:
        raise UsageError(f"{run.folder}: no answer yet to any question")
    whose = ", ".join(sources) if sources else str(run.folder)
    if not rows:
        wanted, there = _span("row", selection.rows or ()), _span("row", places)
    else:
        whose += f", {_span('row', rows)},"
        wanted, there = f"question {selection.question}", _span("question", asked)
    raise UsageError(f"{none} {wanted}: {whose} {has} {there}")


def _span(noun: str, numbers: Iterable[int]) -> str:
    """Return numbers in words, such as ``rows 20 to 29`` or ``row 3``."""
    listed = sorted({*numbers})
    plural = f"{noun}{'s' * (len(listed) > 1)}"
    if len(listed) > 2 and listed[-1] - listed[0] == len(listed) - 1:
        return f"{plural} {listed[0]} to {listed[-1]}"
    return f"{plural} {', '.join(map(str, listed))}"
