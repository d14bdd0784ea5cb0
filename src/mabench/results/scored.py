"""The scored question: what is stored of it, and which of its scores count, everywhere.

There is no other form of a question of a run. What a table, a page, an export or a comparison says
of one is read from here. ``Background`` is what other files of the run and the history tell of it;
it is empty until ``mabench.inspection`` looks that up, since this takes the data set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mabench.json_text import JsonRecord
from mabench.results.calls import CallTotals
from mabench.results.records.lines import (
    JudgeName,
    Judgment,
    Key,
    Place,
    Sample,
    StageRecord,
    Timing,
)
from mabench.results.stages import find_stage, other_stages
from mabench.text.spans import Span

# The verdict on an answer that only a judge can score, before one has.
NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPassage(JsonRecord):
    """A retrieved passage with its text."""

    rank: int  # From 1.
    text: str | None  # Null if it is a chunk and the history cannot be read.
    chunk: int | None  # The index of the chunk that it repeats; null for one of the memory's own.
    score: float | None  # The memory's score of it; null if it gave none.
    marks: tuple[Span, ...]  # Where a gold occurs in it: start and end.
    evidence: bool  # Whether it is the first to hold a statement that the question rests on.


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldPlace(JsonRecord):
    """A chunk of the history in which a gold occurs."""

    chunk: int  # Its index, from 0.
    depth: float | None  # Where it begins, from 0 (the start) to 100; null if unknown.
    text: str | None  # The text around the gold; null if the history cannot be read.
    marks: tuple[Span, ...]  # Where the gold occurs in ``text``.


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportPlace(JsonRecord):
    """A statement that the answer to a question rests on, as the data say."""

    text: str  # What it says.
    chunk: int | None  # The index, from 0, of the chunk with which it was told; null if unknown.
    depth: float | None  # Where that chunk begins, from 0 (the start) to 100; null if unknown.
    rank: int | None  # The rank, from 1, of the passage that holds it; null if none does.


@dataclass(frozen=True, slots=True, kw_only=True)
class Background(JsonRecord):
    """What other files of the run, and the history, tell of a question."""

    chunks: int | None = None  # How many chunks the history has; null if unknown.
    # The chunks in which a gold occurs; null if golds are not to be found in the history.
    golds: tuple[GoldPlace, ...] | None = None
    # What the answer rests on; null if the data do not say it, or the history cannot be read.
    support: tuple[SupportPlace, ...] | None = None
    passages: tuple[ReadPassage, ...] = ()  # What was retrieved, the best first.
    prompt: str | None = None  # What a language model was shown; null if that was not kept.
    judgments: tuple[Judgment, ...] = ()  # The verdicts of judges, in the order they came in.
    without: str | None = None  # Why the history cannot be read; null if it can, or need not be.
    # The calls of models while the question was asked, by model; null if the run knows of none.
    calls: Mapping[str, CallTotals] | None = None
    # The calls of the row that belong to no one question, since several were under way.
    shared_calls: int = 0
    history_tokens: int | None = None  # The length of the history, estimated; null if unknown.


class QuestionScore(NamedTuple):
    """The figures of a scored question without its texts.

    Summaries and comparisons keep this of every question, so that a run of 64,000 questions needs
    little memory.
    """

    official: float | None
    corrected: float | None
    verdict: str | None
    part: str
    undecided_parts: tuple[str, ...]
    question_type: str | None
    key: Key
    hit: int | None = None  # As in its sample.
    hit_by: str | None = None

    def with_seen(self, seen: StageRecord) -> QuestionScore:
        """Return it with the part that follows from what was seen of its support in the memory.

        Only the part of a wrong answer depends on that: ``missed``, ``misread`` or, if the answer
        has a score, ``unclear``.
        """
        has_score = self.official is not None or self.corrected is not None
        is_wrong = self.part in ("missed", "misread") or (self.part == "unclear" and has_score)
        if not is_wrong:
            return self
        part = find_stage(self.hit, self.hit_by, seen)
        return self._replace(part=part, undecided_parts=other_stages(part, self.hit))

    @property
    def place(self) -> Place:
        """What names its history within the data set."""
        return self.key[:2]

    @property
    def is_judged(self) -> bool:
        """Whether it has the judge's verdict that its score takes, if it takes one."""
        return self.verdict != NOT_JUDGED


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredQuestion:
    """A question of a run with the scores that count."""

    sample: Sample  # The question with its answer.
    metric: str  # The metric that the paper reports for its source.
    # The scores from 0 to 1, by the reported metric or by the judge; None while there is none. A
    # failed answer has 0.
    official: float | None
    corrected: float | None
    # ``right``, ``wrong``, ``partial`` or ``unclear``, by the corrected score, or ``not judged``;
    # None without a corrected score.
    verdict: str | None
    rule: str | None  # The rule that decided the corrected score, ``judge`` or ``no-answer``.
    judge: JudgeName | None  # Who judged; None if no judge's verdict counts.
    # What became of the question, one of ``PARTS``. An answer is right that has the whole score,
    # the corrected one, or the official one if that is unclear or missing.
    part: str
    seen: StageRecord | None = None  # What was seen of its support in the memory; None for nothing.
    timing: Timing | None = None  # How long the answer took; None if unknown.
    # The latest verdict of each judge on the answer, whether it counts or not.
    verdicts: tuple[Judgment, ...] = ()
    background: Background = field(default=Background())

    @property
    def key(self) -> Key:
        """What names the question within its data set."""
        return self.sample.key

    @property
    def place(self) -> Place:
        """What names its history within the data set."""
        return (self.sample.split, self.sample.row)

    @property
    def seconds(self) -> float | None:
        """How long the answer took; None if unknown."""
        return None if self.timing is None else self.timing.seconds

    @property
    def search_seconds(self) -> float | None:
        """How long the search for the answer took; None if unknown."""
        return None if self.timing is None else self.timing.search_seconds

    @property
    def is_judged(self) -> bool:
        """Whether it has the judge's verdict that its score takes, if it takes one."""
        return self.verdict != NOT_JUDGED

    @property
    def undecided_parts(self) -> tuple[str, ...]:
        """The parts that it may have instead, since nobody knows what was retrieved."""
        if self.part == "right" and self.sample.hit is None:
            return ("right", "right_unretrieved")
        return other_stages(self.part, self.sample.hit)

    @property
    def figures(self) -> QuestionScore:
        """Its scores without its texts."""
        return QuestionScore(
            official=self.official,
            corrected=self.corrected,
            verdict=self.verdict,
            part=self.part,
            undecided_parts=self.undecided_parts,
            question_type=self.sample.question_type or None,
            key=self.sample.key,
            hit=self.sample.hit,
            hit_by=self.sample.hit_by,
        )

    @property
    def gold_depth(self) -> float | None:
        """Where in the history the last gold begins, from 0 to 100; None if unknown."""
        golds = self.background.golds or ()
        return max((gold.depth for gold in golds if gold.depth is not None), default=None)

    def mentions_gold(self, passage: ReadPassage) -> bool | None:
        """Return whether a gold occurs in a passage; None if unknown."""
        if self.background.golds is None:
            return None
        hit = self.sample.hit
        if hit is not None and self.sample.hit_by == "mention":
            # The hit is the first passage that mentions a gold; it is 0 if none does.
            if hit == 0 or passage.rank < hit:
                return False
            if passage.rank == hit:
                return True
        return None if passage.text is None else bool(passage.marks)


def part_of(
    sample: Sample, value: float | None, *, lacks_form: bool, seen: StageRecord | None = None
) -> str:
    """Return the part of a question with a score, if any, from 0 to 1.

    ``seen`` is what was seen of its support in the memory; None if nothing was.
    """
    if sample.prediction is None:
        return "failed"
    if value is None:
        return "unclear"
    if value >= 1:
        return "right_unretrieved" if sample.hit == 0 else "right"
    if value <= 0 and lacks_form:
        return "no_form"
    return find_stage(sample.hit, sample.hit_by, seen)
