"""What a run comes to, as in ``summary.json`` and as it is printed. Scores run from 0 to 100."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from mabench.json_text import IfKnown, JsonRecord, Number
from mabench.results.answers import AnswerUsage, CallsSummary, RowUsage
from mabench.results.memory import EvidenceSummary, MemorySummary, RetrievalSummary
from mabench.results.records.lines import JudgeName
from mabench.results.records.record import SCHEMA, TakesRecord
from mabench.results.scored import Intervals, Limits

# Marks an interval that says nothing about other histories.
THESE = "†"


class Measure(NamedTuple):
    """A figure with its 95 % intervals."""

    value: float
    these: Limits | None = None  # For other questions about the same histories.
    new: Limits | None = None  # For other histories of the same kind; counts where there is one.
    letters: str = ""  # It is not shown to differ from what has one of them.
    best: bool = False  # Not shown to differ from the best of its column.

    @classmethod
    def of(cls, score: float | None, intervals: Intervals | None) -> Measure | None:
        """Return a score of a summary with its intervals; None without a score."""
        if score is None or intervals is None:
            return None if score is None else cls(score)
        return cls(score, intervals.these_histories, intervals.new_histories)

    @property
    def limits(self) -> Limits | None:
        """The interval that counts."""
        return self.new or self.these

    @property
    def mark(self) -> str:
        """What follows an interval: the mark of one for these histories alone, or nothing."""
        return "" if self.new else THESE

    def range(self, spec: str = ".1f") -> str:
        """Return the interval that counts, its ends written as ``format`` takes it."""
        limits = self.limits
        return f"{limits[0]:{spec}} to {limits[1]:{spec}}{self.mark}" if limits else "-"

    def spread_out(self) -> tuple[float, float | None, float | None, str | None]:
        """Return the figure, the ends of its interval, and for which histories that is."""
        if not self.limits:
            return self.value, None, None, None
        return self.value, *self.limits, "new histories" if self.new else "these histories"

    def __format__(self, spec: str) -> str:
        """Return the value alone by a format, or by none with its interval.

        That is half its width, but the limits themselves where the value ± that would leave the
        range of scores.
        """
        limits, letters = self.limits, f" {self.letters}" * bool(self.letters)
        if spec or limits is None:
            return format(self.value, spec or ".1f") + letters * (not spec)
        half = (limits[1] - limits[0]) / 2
        if half <= self.value <= 100 - half:
            return f"{self.value:.1f} ±{half:.1f}{self.mark}{letters}"
        ends = [f"{limit:.1f}" for limit in limits]
        low, high = ({"0.0": "0", "100.0": "100"}.get(end, end) for end in ends)
        return f"{self.value:.1f} [{low}, {high}]{self.mark}{letters}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSummary(JsonRecord):
    """One judge of a source's answers.

    Attributes:
        model: the model that judged.
        prompts: the hash of its prompts.
        judged: how many answers have its verdict.
        failed: on how many it gave none; they count as wrong.
        of: how many answers there are.
        official: the score, failed answers counted as wrong; null until every answer has a
            verdict or a stated failure.
        corrected: the score by a careful reading of the replies; only where the published
            reading, behind the official score, is another.
    """

    model: str
    prompts: str
    judged: int
    failed: int
    of: int
    official: float | None
    corrected: IfKnown[float | None] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeScores(JsonRecord):
    """The scores of a source's questions of one type; a score is null where the source has none.

    Attributes:
        n: how many were asked.
        official, corrected: their scores.
        evidence_recall: as of the source.
    """

    n: int
    official: float | None
    corrected: float | None
    evidence_recall: float | None


class _TwoScores:
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
class SourceScores(_TwoScores, JsonRecord):
    """What the samples of a source say, wherever they come from.

    Attributes:
        n: how many questions were asked so far.
        answered: how many of them have an answer.
        errors: how many have none.
        parts: how many questions have each part of ``PARTS``, of which each has one.
        parts_intervals: how uncertain the share of each part that occurs is, from 0 to 100, where
            it can be told.
        misread_less_missed: the interval of the share that was misread less that which was missed,
            in points; null where neither is there.
        missing: to how many of the errors a file of predictions has no answer.
        metric: the metric that the paper reports for the source.
        official: its published value; null when that takes a judge or an entity file.
        corrected: its corrected value; null likewise.
        interval, interval_corrected: how uncertain the two are; null where they are.
        metrics: every official metric.
        differences: how many samples differ in the two scores, by the rule that decided.
        needs: what the official score lacks: ``judge``, ``entities`` or null.
        input_tokens, output_tokens: the model's tokens; null where no sample says.
        dropped_tokens: how much of the history could not be shown; null where no sample says.
        cost: in US dollars; null where no sample says.
        judge: the judge behind the score, the last to have judged every answer; null without.
        judges: every judge, in the order in which they last judged.
        unclear: of how many answers the corrected score cannot tell whether they are right, and no
            judge has; there the official verdict counts.
        extremes: the corrected score if all unclear answers were wrong, and if all were right;
            null without unclear answers.
        settled: how many unclear answers a judge settled.
        redacted: from how many answers a secret was taken out before they were stored; their
            scores are those of the whole answers. Null for none.
        evidence_recall: the share of the statements that a question rests on which was retrieved,
            in the mean; null where none are known.
        evidence: what was retrieved of turns that have ids; null where none have.
        types: the scores of each type of questions, by name; null where there are no types.
        retrieval: what was retrieved; null where the agent reported no passages.
        expected: how many questions there are in all.
    """

    n: int
    answered: int
    errors: int
    parts: Mapping[str, int]
    parts_intervals: Mapping[str, Intervals]
    misread_less_missed: IfKnown[Intervals | None] = None
    missing: int
    metric: str
    official: float | None
    corrected: float | None
    interval: IfKnown[Intervals | None] = None
    interval_corrected: IfKnown[Intervals | None] = None
    metrics: Mapping[str, float]
    differences: Mapping[str, int]
    needs: str | None
    input_tokens: int | None
    output_tokens: int | None
    dropped_tokens: int | None
    cost: Number | None
    judge: JudgeName | None
    judges: tuple[JudgeSummary, ...]
    unclear: IfKnown[int | None] = None
    extremes: IfKnown[tuple[float, float] | None] = None
    settled: IfKnown[int | None] = None
    redacted: IfKnown[int | None] = None
    evidence_recall: float | None
    evidence: IfKnown[EvidenceSummary | None] = None
    types: IfKnown[Mapping[str, TypeScores] | None] = None
    retrieval: RetrievalSummary | None
    expected: int

    @property
    def parts_of_100(self) -> dict[str, int]:
        """How many of 100 questions have each part; rounded so that they add up to 100."""
        whole = {part: 100 * count // (self.n or 1) for part, count in self.parts.items()}
        by_rest = sorted(whole, key=lambda part: -(100 * self.parts[part] % (self.n or 1)))
        for part in by_rest[: 100 - sum(whole.values())] if self.n else ():
            whole[part] += 1
        return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSummary(SourceScores):
    """What a run says of a source.

    Attributes:
        seconds_memorize: how long memorizing took; null unless it is known of every row.
        seconds_answer: how long answering took; null unless it is known of every question.
        memory: what was memorized; null where no row was.
    """

    seconds_memorize: float | None
    seconds_answer: float | None
    memory: MemorySummary | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScore(_TwoScores, JsonRecord):
    """The score of a column or a category of the paper's table.

    Attributes:
        official, corrected: the means over its parts; null unless all are complete.
        interval, interval_corrected: how uncertain the two are; null where they are.
        complete: whether every question of the inventory was asked.
        coverage: the share of the inventory's questions that was asked, from 0 to 1.
    """

    official: float | None
    corrected: float | None
    interval: IfKnown[Intervals | None] = None
    interval_corrected: IfKnown[Intervals | None] = None
    complete: bool
    coverage: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSummary(JsonRecord):
    """The scores of answers, wherever they come from.

    Attributes:
        schema: the version of the format.
        agent: the agent's name with its settings, or the name of a file of predictions.
        data: the name of the data set.
        protocol: the protocol's name.
        sources: the sources, by name.
        rows: what the answers of each row took.
        spent: what all answers took; its cost includes replies that were of no use.
        columns: the columns that a source of the run feeds, by name.
        categories: all categories, by name.
        overall: the mean official score of the categories; null unless all are complete.
        overall_corrected: the mean corrected score, likewise.
        overall_interval, overall_corrected_interval: how uncertain the two are; null likewise.
        titles: what the sources of made-up rows are called, by name; left out for none.
    """

    schema: int = SCHEMA
    agent: str
    data: str
    protocol: str
    sources: Mapping[str, SourceScores]
    rows: tuple[RowUsage, ...]
    spent: AnswerUsage
    columns: Mapping[str, MeanScore]
    categories: Mapping[str, MeanScore]
    overall: float | None
    overall_corrected: float | None
    overall_interval: IfKnown[Intervals | None] = None
    overall_corrected_interval: IfKnown[Intervals | None] = None
    titles: IfKnown[Mapping[str, str] | None] = None

    @property
    def headline(self) -> float | None:
        """The overall official score; the mean over the sources that have one where it has none."""
        scores = [one.official for one in self.sources.values() if one.official is not None]
        mean = fmean(scores) if scores else None
        return mean if self.overall is None else self.overall

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
    """The summary of a run: the content of ``summary.json``.

    Attributes:
        memory: what all rows memorized; left out where none did.
        calls: the calls of models; left out where none are known.
        damaged: what of the folder could not be read, by file and line; left out where all could.
        leaks: by source, what its histories told the agent about the golds; left out for none.
        takes: what the agent took beside texts, as in ``run.json``.
    """

    sources: Mapping[str, SourceSummary]
    memory: IfKnown[MemorySummary | None] = None
    calls: IfKnown[CallsSummary | None] = None
    damaged: IfKnown[tuple[str, ...] | None] = None
    leaks: IfKnown[Mapping[str, str] | None] = None
    takes: IfKnown[TakesRecord | None] = None

    @property
    def dollars(self) -> float | None:
        """What answers and the memory cost together; None where neither is known."""
        costs = (self.spent.cost, self.calls.by_memory.cost if self.calls else None)
        known = [cost for cost in costs if cost is not None]
        return sum(known) if known else None
