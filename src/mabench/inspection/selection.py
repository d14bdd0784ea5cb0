"""Selects questions of a run, and explains why when none are selected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mabench.data import match_sources
from mabench.errors import UsageError
from mabench.results import MISSED, Run, ScoredQuestion

_RIGHT = ("right", "right_unretrieved")


class Cause(NamedTuple):
    """Why an answer may be wrong."""

    parts: tuple[str, ...]  # The parts of such questions, of ``PARTS``.
    nothing: str  # How a message ends that no answer has this cause.


CAUSES = {
    "missed": Cause(MISSED, "was missed"),
    "unwritten": Cause(("unwritten",), "was never written"),
    "changed": Cause(("changed",), "was changed"),
    "lost": Cause(("lost",), "was lost later"),
    "absent": Cause(("absent",), "was absent from the store"),
    "unfound": Cause(("unfound",), "was not found"),
    "cut": Cause(("cut",), "was cut off"),
    "misread": Cause(("misread",), "was misread"),
    "form": Cause(("no_form",), "lacked the form asked for"),
    "failed": Cause(("failed",), "failed"),
}


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice of questions of a run; None means that a field excludes nothing."""

    sources: tuple[str, ...] | None = None  # Their names, with or without length.
    rows: tuple[int, ...] | None = None  # Their indices within their splits.
    question: int | None = None  # Its index within its row.
    wrong: bool = False  # Leave out right answers; those without a score stay.
    cause: str | None = None  # One of ``CAUSES``.
    other: Run | None = None  # Only questions that scored differently in this run.

    def select(self, run: Run) -> Iterator[ScoredQuestion]:
        """Yield the selected questions of a run, in the run's order.

        Raises:
            UsageError: when the run has no such source, row or question, or no answer to it yet.
        """
        sources = self._match_sources(run)
        other_scores = None
        if self.other:
            other_scores = {each.sample.key: each.official for each in self.other.questions()}
        answered = defaultdict[int, list[int]](list)  # Indices of questions, by row.
        for question in run.questions():
            sample = question.sample
            if sources is not None and sample.source not in sources:
                continue
            answered[sample.row].append(sample.question_index)
            if not self._includes(question):
                continue
            if other_scores is not None:
                scores = (question.official, other_scores.get(sample.key))
                if None in scores or scores[0] == scores[1]:
                    continue
            yield question
        self._check_place(run, sources, answered)

    def _match_sources(self, run: Run) -> tuple[str, ...] | None:
        """Return the full names of the chosen sources; None for all."""
        if self.sources is None:
            return None
        asked = run.record.questions
        own = {name: one for name, one in run.record.all_sources.items() if name in asked}
        listed = f"the run has {', '.join(asked)}"
        return tuple(match_sources(self.sources, own, listed=listed))

    def _includes(self, question: ScoredQuestion) -> bool:
        """Return whether a question is selected, apart from its source and the other run."""
        sample = question.sample
        if self.rows is not None and sample.row not in self.rows:
            return False
        if self.question is not None and sample.question_index != self.question:
            return False
        if self.cause is not None and question.part not in CAUSES[self.cause].parts:
            return False
        is_right = question.official == 1 and question.part in _RIGHT
        return not (self.wrong and is_right)

    def describe(self) -> str:
        """Return of what kind the selected questions are, as what is said of several of them."""
        if self.other is not None:
            return f"were scored otherwise in {self.other.folder}"
        return "are not right, or have no score" if self.wrong and not self.cause else "are listed"

    def describe_nothing(self) -> str:
        """Return a message that no question was selected, and of what kind."""
        if self.other is not None:
            none = "was scored differently"
        elif self.cause is not None:
            none = CAUSES[self.cause].nothing
        else:
            none = "is wrong" if self.wrong else "is there yet"
        narrows = bool(self.sources or self.rows) or self.question is not None
        some = "these answers" if narrows else "the run's answers"
        return f"Nothing to show: none of {some} {none}."

    def count_unjudged(self, run: Run) -> int:
        """Return how many answers to questions at the selected places wait for a judge."""
        if all(family.needs != "judge" for family in run.store.families().values()):
            return 0
        everything = replace(self, wrong=False, cause=None, other=None)
        return sum(not question.is_judged for question in everything.select(run))

    def _check_place(
        self, run: Run, sources: Sequence[str] | None, answered: Mapping[int, Sequence[int]]
    ) -> None:
        """Raise a ``UsageError`` that lists what was answered, if nothing at these places was.

        ``answered`` holds the indices of the answered questions of the chosen sources, by row.
        """
        rows = [row for row in answered if self.rows is None or row in self.rows]
        asked = {index for row in rows for index in answered[row]}
        if asked and self.question in (None, *asked):
            return
        if not answered:
            raise UsageError(f"{run.folder}: no answer yet to any question")
        questions = run.record.questions
        has, none = "has", "no"
        number_answered = sum(map(len, answered.values()))
        if number_answered < sum(questions[name] for name in sources or questions):
            has, none = "has so far answers of", "no answer yet to"  # The run is unfinished.
        whose = ", ".join(sources) if sources else str(run.folder)
        wanted, there = _name_numbers("row", self.rows or ()), _name_numbers("row", answered)
        if rows:
            whose += f", {_name_numbers('row', rows)},"
            wanted, there = f"question {self.question}", _name_numbers("question", asked)
        raise UsageError(f"{none} {wanted}: {whose} {has} {there}")


def _name_numbers(noun: str, numbers: Iterable[int]) -> str:
    """Return a noun with its numbers, such as ``rows 20 to 29`` or ``row 3``."""
    listed = sorted({*numbers})
    noun = noun if len(listed) < 2 else f"{noun}s"
    without_gap = bool(listed) and listed[-1] - listed[0] == len(listed) - 1
    if without_gap and len(listed) > 2:
        return f"{noun} {listed[0]} to {listed[-1]}"
    return f"{noun} {', '.join(map(str, listed))}"
