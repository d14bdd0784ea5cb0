"""What a run comes to, as in ``summary.json`` and as it is printed. Scores run from 0 to 100."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from mabench.json_text import IfKnown, JsonRecord, Number
from mabench.results.answers import MISSED, AnswerUsage, RowUsage
from mabench.results.calls import CallsSummary
from mabench.results.measures import Measure
from mabench.results.memory import MemorySummary
from mabench.results.records.lines import JudgeName
from mabench.results.records.record import SCHEMA, TakesRecord
from mabench.results.retrieval import EvidenceSummary, RetrievalSummary
from mabench.results.stages import StagesSummary
from mabench.uncertainty.score_intervals import Intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSummary(JudgeName):
    """One judge of a source's answers."""

    judged: int  # How many answers have its verdict.
    failed: int  # On how many it gave none; they count as wrong.
    of: int  # How many answers there are.
    # The reason that it most often gave none for; left out where it gave all.
    commonest_error: IfKnown[str | None] = None
    # The score, with failed answers wrong; null until each answer has a verdict or a stated
    # failure.
    official: float | None
    # The score by a careful reading of the replies, if the published reading, which gives the
    # official score, differs.
    corrected: IfKnown[float | None] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LettersSummary(JsonRecord):
    """Which letters were chosen by answers that are one of lettered options, or name one."""

    answers: int  # How many there are.
    chosen: Mapping[str, int]  # How many choose each letter.
    golds: Mapping[str, int]  # For how many each letter is right.
    # How likely letters are chosen as unevenly if none is preferred; null if nothing can tell.
    p: float | None


class TwoScores:
    """What has an official and a corrected score, each with its intervals."""

    __slots__ = ()
    official: float | None
    corrected: float | None
    interval: Intervals | None
    interval_corrected: Intervals | None

    @property
    def measures(self) -> dict[str, Measure | None]:
        """Both scores with their intervals, by name; None for one that is not there."""
        return {
            "official": Measure.of(self.official, self.interval),
            "corrected": Measure.of(self.corrected, self.interval_corrected),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeScores(JsonRecord, TwoScores):
    """The scores of a source's questions of one type; a score is null if the source has none."""

    n: int  # How many were asked.
    # Their scores.
    official: float | None
    corrected: float | None
    # Their intervals.
    interval: Intervals | None
    interval_corrected: Intervals | None
    evidence_recall: float | None  # As of the source.


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceScores(TwoScores, JsonRecord):
    """What the samples of a source say, wherever they come from."""

    n: int  # How many questions were asked so far.
    answered: int  # How many of them have an answer.
    errors: int  # How many have none.
    parts: Mapping[str, int]  # How many questions have each outcome; each has one.
    # The intervals of the shares of these outcomes, from 0 to 100, where they can be computed.
    parts_intervals: Mapping[str, Intervals]
    # The interval of the share misread minus the share missed in any way, in points; null if both
    # are 0.
    misread_less_missed: IfKnown[Intervals | None] = None
    missing: int  # How many of the errors have no answer in a file of predictions.
    metric: str  # The metric that the paper reports for the source.
    official: float | None  # Its published value; null if it needs a judge or an entity file.
    corrected: float | None  # Its corrected value; null likewise.
    # How uncertain the two are; null if they are.
    interval: IfKnown[Intervals | None] = None
    interval_corrected: IfKnown[Intervals | None] = None
    metrics: Mapping[str, float]  # Every official metric.
    differences: Mapping[str, int]  # How many samples differ in the two scores, by rule.
    needs: str | None  # What the official score lacks: ``judge``, ``entities``, ``golds`` or null.
    # The model's tokens; null if no sample says.
    input_tokens: int | None
    output_tokens: int | None
    dropped_tokens: int | None  # How much of the history was not shown; null if no sample says.
    # How many answers broke off at their budget of tokens; null if no sample says.
    cut_off: int | None
    cost: Number | None  # In US dollars; null if no sample says.
    judge: JudgeName | None  # The judge behind the score, the last to judge every answer; or null.
    judges: tuple[JudgeSummary, ...]  # Every judge, in the order in which they last judged.
    # How many answers the corrected score cannot decide and no judge has; their official verdict
    # counts.
    unclear: IfKnown[int | None] = None
    # The corrected score if all unclear answers are wrong, and if all are right; or null.
    extremes: IfKnown[tuple[float, float] | None] = None
    settled: IfKnown[int | None] = None  # How many unclear answers a judge settled.
    # How many answers had a secret removed before they were stored; they are scored as given. Null
    # for none.
    redacted: IfKnown[int | None] = None
    # The mean share of a question's supporting statements that was retrieved; null if unknown.
    evidence_recall: float | None
    # How many of the supporting turns were retrieved; null if turns have no ids.
    evidence: IfKnown[EvidenceSummary | None] = None
    # The scores of each type of questions, by name; null if there are no types.
    types: IfKnown[Mapping[str, TypeScores] | None] = None
    retrieval: RetrievalSummary | None  # What was retrieved; null if no passages were reported.
    # Which letters of options were chosen; left out if no question has any.
    letters: IfKnown[LettersSummary | None] = None
    # What was looked at in the memory to tell the parts; left out if nothing was.
    stages: IfKnown[StagesSummary | None] = None
    expected: int  # How many questions there are in all.

    @property
    def missed(self) -> int:
        """How many questions were missed in any way: their support was not retrieved."""
        return sum(self.parts[part] for part in MISSED)

    @property
    def parts_of_100(self) -> dict[str, int]:
        """How many of 100 questions have each part; rounded so that they add up to 100."""
        if not self.n:
            return dict.fromkeys(self.parts, 0)
        rounded = {part: 100 * count // self.n for part, count in self.parts.items()}
        # What is left of 100 goes to the parts that lost most by rounding down.
        by_loss = sorted(rounded, key=lambda part: -(100 * self.parts[part] % self.n))
        for part in by_loss[: 100 - sum(rounded.values())]:
            rounded[part] += 1
        return rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSummary(SourceScores):
    """What a run says of a source."""

    seconds_memorize: float | None  # How long memorizing took; null unless known of every row.
    seconds_answer: float | None  # How long answering took; null unless known of every question.
    memory: MemorySummary | None  # What was memorized; null if no row was.


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScore(TwoScores, JsonRecord):
    """The score of a column or a category of the paper's table."""

    # The means over its parts; null unless all are complete.
    official: float | None
    corrected: float | None
    # How uncertain the two are; null if they are.
    interval: IfKnown[Intervals | None] = None
    interval_corrected: IfKnown[Intervals | None] = None
    complete: bool  # Whether every question of the inventory was asked.
    coverage: float  # The share of the inventory's questions that was asked, from 0 to 1.


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSummary(JsonRecord):
    """The scores of answers, wherever they come from."""

    schema: int = SCHEMA  # The version of the format.
    agent: str  # The agent's name with its settings, or the name of a file of predictions.
    data: str  # The name of the data set.
    protocol: str  # The protocol's name.
    sources: Mapping[str, SourceScores]  # The sources, by name.
    rows: tuple[RowUsage, ...]  # What the answers of each row took.
    spent: AnswerUsage  # What all answers took; its cost includes replies that were of no use.
    columns: Mapping[str, MeanScore]  # The columns that a source of the run feeds, by name.
    categories: Mapping[str, MeanScore]  # All categories, by name.
    # The mean official score of the categories; null unless all are complete.
    overall: float | None
    overall_corrected: float | None  # The mean corrected score, likewise.
    # The intervals of the two; null likewise.
    overall_interval: IfKnown[Intervals | None] = None
    overall_corrected_interval: IfKnown[Intervals | None] = None
    # The interval of the mean official score over the sources that have one.
    mean_interval: IfKnown[Intervals | None] = None
    # The error that most failed answers have, numbers in it aside; left out where none failed.
    commonest_error: IfKnown[str | None] = None
    # The titles of sources of made-up rows, by name.
    titles: IfKnown[Mapping[str, str] | None] = None

    @property
    def headline(self) -> float | None:
        """The overall official score; the mean over the sources that have one where it has none."""
        if self.overall is not None:
            return self.overall
        scores = [one.official for one in self.sources.values() if one.official is not None]
        return fmean(scores) if scores else None

    @property
    def means(self) -> dict[str, MeanScore]:
        """The columns, the categories, and the mean over these as ``Overall``."""
        categories = self.categories.values()
        overall = MeanScore(
            official=self.overall,
            corrected=self.overall_corrected,
            interval=self.overall_interval,
            interval_corrected=self.overall_corrected_interval,
            complete=all(category.complete for category in categories),
            coverage=sum(category.coverage for category in categories) / (len(categories) or 1),
        )
        return {**self.columns, **self.categories, "Overall": overall}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary(ScoreSummary):
    """The summary of a run: the content of ``summary.json``."""

    sources: Mapping[str, SourceSummary]
    memory: IfKnown[MemorySummary | None] = None  # What all rows memorized.
    calls: IfKnown[CallsSummary | None] = None  # The calls of models.
    # What could not be read of the folder, by file and line.
    damaged: IfKnown[tuple[str, ...] | None] = None
    # By source, what its histories reveal to the agent about the golds.
    leaks: IfKnown[Mapping[str, str] | None] = None
    takes: IfKnown[TakesRecord | None] = None  # The fields the agent received, as in ``run.json``.

    @property
    def dollars(self) -> float | None:
        """What answers and the memory cost together; None if neither is known."""
        costs = (self.spent.cost, self.calls.by_memory.cost if self.calls else None)
        known = [cost for cost in costs if cost is not None]
        return sum(known) if known else None
