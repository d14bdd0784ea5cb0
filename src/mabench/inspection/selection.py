"""Which questions of a run are looked at, and what to say when there are none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mabench.data import match_sources
from mabench.errors import UsageError
from mabench.results import Run, ScoredQuestion

_RIGHT = ("right", "right_unretrieved")


class Cause(NamedTuple):
    """Why an answer may be wrong."""

    part: str  # The part that such questions have, one of ``PARTS``.
    nothing: str  # What is said if no answer has it.


CAUSES = {
    "missed": Cause("missed", "was missed"),
    "misread": Cause("misread", "was misread"),
    "form": Cause("no_form", "lacked the form asked for"),
    "failed": Cause("failed", "failed"),
}


@dataclass(frozen=True, slots=True)
class Selection:
    """The questions of a run that are looked at; None means all."""

    sources: tuple[str, ...] | None = None  # Each with its length or without.
    rows: tuple[int, ...] | None = None  # Their indices within their splits.
    question: int | None = None  # Its index within its row.
    wrong: bool = False  # Those that are, by the official score or by their part, or have no score.
    part: str | None = None  # One of ``PARTS``.
    other: Run | None = None  # The run that scored their answers otherwise.

    def select(self, run: Run) -> Iterator[ScoredQuestion]:
        """Yield the questions of a run that are selected, in order; UsageError without any."""
        sources, asked = self.sources, run.record.questions
        if sources is not None:
            own = {name: one for name, one in run.record.all_sources.items() if name in asked}
            listed = f"the run has {', '.join(asked)}"
            sources = tuple(match_sources(sources, own, listed=listed))
        before = None
        if self.other:
            before = {each.sample.key: each.official for each in self.other.questions()}
        places = defaultdict[int, list[int]](list)  # Of questions, by row.
        for question in run.questions():
            sample, official = question.sample, question.official
            if sources is not None and sample.source not in sources:
                continue
            places[sample.row].append(sample.question_index)
            scores = {official, official if before is None else before.get(sample.key)}
            if (
                (self.rows is None or sample.row in self.rows)
                and self.question in (None, sample.question_index)
                and not (self.wrong and official == 1 and question.part in _RIGHT)
                and (before is None or (len(scores) == 2 and None not in scores))
                and self.part in (None, question.part)
            ):
                yield question
        self._check_place(run, sources, places)

    @property
    def _narrows(self) -> bool:
        """Whether it is about a part of the run only."""
        return bool(self.sources or self.rows) or self.question is not None

    def describe_nothing(self) -> str:
        """Say that no question was selected, and of what kind."""
        if self.other is not None:
            none = "was scored differently"
        elif self.part is not None:
            none = next(cause.nothing for cause in CAUSES.values() if cause.part == self.part)
        else:
            none = "is wrong" if self.wrong else "is there yet"
        some = "these answers" if self._narrows else "the run's answers"
        return f"Nothing to show: none of {some} {none}."

    def count_unjudged(self, run: Run) -> int:
        """Return how many answers at the selected places wait for a judge, right or wrong."""
        if all(family.needs != "judge" for family in run.store.families().values()):
            return 0
        everything = replace(self, wrong=False, part=None, other=None)
        return sum(not question.is_judged for question in everything.select(run))

    def _check_place(
        self, run: Run, sources: Sequence[str] | None, places: Mapping[int, Sequence[int]]
    ) -> None:
        """Raise ``UsageError`` where no question of the selection was asked, and say what was."""
        rows = [row for row in places if self.rows is None or row in self.rows]
        asked = {index for row in rows for index in places[row]}
        if asked and self.question in (None, *asked):
            return
        if not places:
            raise UsageError(f"{run.folder}: no answer yet to any question")
        questions = run.record.questions
        has, none = "has", "no"
        if sum(map(len, places.values())) < sum(questions[name] for name in sources or questions):
            has, none = "has so far answers of", "no answer yet to"  # The rest may be there.
        whose = ", ".join(sources) if sources else str(run.folder)
        wanted, there = _span("row", self.rows or ()), _span("row", places)
        if rows:
            whose += f", {_span('row', rows)},"
            wanted, there = f"question {self.question}", _span("question", asked)
        raise UsageError(f"{none} {wanted}: {whose} {has} {there}")


def _span(noun: str, numbers: Iterable[int]) -> str:
    """Return numbers in words, such as ``rows 20 to 29`` or ``row 3``."""
    listed = sorted({*numbers})
    plural = f"{noun}{'s' * (len(listed) > 1)}"
    if len(listed) > 2 and listed[-1] - listed[0] == len(listed) - 1:
        return f"{plural} {listed[0]} to {listed[-1]}"
    return f"{plural} {', '.join(map(str, listed))}"
