"""Selects questions of a run, such as those with wrong answers, and explains why none are found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mabench.data import match_sources
from mabench.errors import UsageError
from mabench.results import MISSED, Key, Run, ScoredQuestion

# The parts of right answers. A question's part says how its answer came out: right, or at which
# stage of the memory the gold got lost.
_RIGHT = ("right", "right_unretrieved")


class Cause(NamedTuple):
    """Why an answer may be wrong."""

    parts: tuple[str, ...]  # The parts of the questions that have this cause.
    nothing: str  # How a message ends that no answer has this cause.


# By the value of the option --why.
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
    """A choice of questions of a run. A field that is None excludes nothing."""

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
        other_scores: dict[Key, float | None] = {}
        if self.other is not None:
            other_scores = {other.key: other.official for other in self.other.questions()}
        answered = defaultdict[int, list[int]](list)  # Indices of questions, by row.
        for question in run.questions():
            sample = question.sample
            if sources is not None and sample.source not in sources:
                continue
            answered[sample.row].append(sample.question_index)
            if not self._includes(question):
                continue
            if self.other is None or _differ(question.official, other_scores.get(question.key)):
                yield question
        self._check_place(run, sources, answered)

    def _match_sources(self, run: Run) -> tuple[str, ...] | None:
        """Return the full names of the chosen sources; None for all.

        Raises:
            UsageError: when the run has no such source.
        """
        if self.sources is None:
            return None
        asked = run.record.questions  # How many, by source.
        own_sources = {
            name: source for name, source in run.record.all_sources.items() if name in asked
        }
        listed = f"the run has {', '.join(asked)}"
        return tuple(match_sources(self.sources, own_sources, listed=listed))

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
        """Return the predicate of a sentence about the selected questions, such as "are listed"."""
        if self.other is not None:
            return f"were scored otherwise in {self.other.folder}"
        if self.wrong and self.cause is None:
            return "are not right, or have no score"
        return "are listed"

    def describe_nothing(self) -> str:
        """Return a message that no question was selected, which says what was looked for."""
        if self.other is not None:
            predicate = "was scored differently"
        elif self.cause is not None:
            predicate = CAUSES[self.cause].nothing
        elif self.wrong:
            predicate = "is wrong"
        else:
            predicate = "is there yet"
        is_part_of_run = bool(self.sources or self.rows) or self.question is not None
        answers = "these answers" if is_part_of_run else "the run's answers"
        return f"Nothing to show: none of {answers} {predicate}."

    def count_unjudged(self, run: Run) -> int:
        """Return how many answers wait for a judge, in the chosen sources, rows and question."""
        if all(family.needs != "judge" for family in run.store.families().values()):
            return 0
        any_answer = replace(self, wrong=False, cause=None, other=None)
        return sum(not question.is_judged for question in any_answer.select(run))

    def _check_place(
        self, run: Run, sources: Sequence[str] | None, answered: Mapping[int, Sequence[int]]
    ) -> None:
        """Refuse rows and a question of which the run has no answer.

        Args:
            run: the run.
            sources: the full names of the chosen sources; None for all.
            answered: the indices of the answered questions of these sources, by row.

        Raises:
            UsageError: when nothing chosen was answered; the message lists what was.
        """
        rows = [row for row in answered if self.rows is None or row in self.rows]
        indices = {index for row in rows for index in answered[row]}
        if self.question is None and indices:
            return
        if self.question in indices:
            return
        if not answered:
            raise UsageError(f"{run.folder}: no answer yet to any question")
        planned = run.record.questions  # How many, by source.
        answered_count = sum(len(of_row) for of_row in answered.values())
        is_unfinished = answered_count < sum(planned[name] for name in sources or planned)
        none = "no answer yet to" if is_unfinished else "no"
        has = "has so far answers of" if is_unfinished else "has"
        owner = ", ".join(sources) if sources else str(run.folder)
        if rows:  # The question is missing.
            there = _name_numbers("question", indices)
            owner = f"{owner}, {_name_numbers('row', rows)},"
            raise UsageError(f"{none} question {self.question}: {owner} {has} {there}")
        wanted = _name_numbers("row", self.rows or ())
        raise UsageError(f"{none} {wanted}: {owner} {has} {_name_numbers('row', answered)}")


def _differ(score: float | None, other_score: float | None) -> bool:
    """Return whether both scores are known and differ."""
    return score is not None and other_score is not None and score != other_score


def _name_numbers(noun: str, numbers: Iterable[int]) -> str:
    """Return a noun with its numbers, such as ``rows 20 to 29`` or ``row 3``."""
    listed = sorted(set(numbers))
    if len(listed) > 1:
        noun = f"{noun}s"
    if len(listed) > 2 and listed[-1] - listed[0] == len(listed) - 1:  # No number is left out.
        return f"{noun} {listed[0]} to {listed[-1]}"
    return f"{noun} {', '.join(str(number) for number in listed)}"
