"""What a comparison of runs comes to, as JSON has it.

Scores and differences are in points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mabench.json_text import IfKnown, JsonRecord
from mabench.results import CallsSummary, Measure, MemorySummary, RunSummary
from mabench.uncertainty import ALPHA
from mabench.uncertainty.score_intervals import Intervals


@dataclass(frozen=True, slots=True)
class DifferenceInterval(JsonRecord):
    """An interval of a difference, and its p value."""

    # The limits of the 95 % confidence interval, in points.
    low: float
    high: float
    # The probability of such a difference where there is none: below 0.05 where 0 is outside.
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanDifference(JsonRecord):
    """The difference of two runs on a mean over sources."""

    # The scores of the two runs, from 0 to 100.
    a: float
    b: float
    difference: float  # The score of ``a`` minus that of ``b``.
    # The interval for other questions about these histories; null if each has one question.
    these_histories: DifferenceInterval | None
    # The interval for new histories; null unless each source has five effective ones.
    new_histories: DifferenceInterval | None
    # The p that counts, adjusted (Holm): that of a mean for all pairs, those of sources and parts
    # for all of the pair together.
    adjusted_p: float
    # The true difference, in points, that such a comparison shows with 80 % power, with p adjusted
    # for as many; null without an interval.
    detectable: float | None
    # The p of runs that are not equal within the points that were asked for, adjusted for all pairs
    # (Holm); left out where it was not asked.
    equal_p: IfKnown[float | None] = None

    @property
    def interval(self) -> DifferenceInterval | None:
        """The interval that counts: for new histories where there is one, else for these."""
        return self.new_histories or self.these_histories

    @property
    def p(self) -> float:
        """The p value of the interval that counts; 1 without one."""
        return self.interval.p if self.interval else 1.0

    @property
    def is_shown(self) -> bool:
        """Whether the runs are shown to differ."""
        return self.adjusted_p < ALPHA and self.interval is not None

    @property
    def is_equal(self) -> bool:
        """Whether the runs are shown to be equal within the points that were asked for."""
        return self.equal_p is not None and self.equal_p < ALPHA

    @property
    def measure(self) -> Measure:
        """The difference with its intervals."""
        these, new = self.these_histories, self.new_histories
        return Measure(
            self.difference,
            these=(these.low, these.high) if these else None,
            new=(new.low, new.high) if new else None,
        )

    @property
    def of_new_histories(self) -> bool:
        """Whether ``p`` says something about new histories."""
        return self.new_histories is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDifference(MeanDifference):
    """The difference of two runs on a source."""

    # The questions on which ``a`` is better, worse and as good.
    wins: int
    losses: int
    ties: int
    histories: int  # How many histories the source has.
    # On how many of them ``a`` is better, worse and as good.
    history_wins: int
    history_losses: int
    history_ties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair(JsonRecord):
    """Two runs on the same questions."""

    # The runs, as ``ComparedRun.run`` has them: the better first, or the baseline second.
    a: str
    b: str
    # The differences on the sources that both have a score for, by name.
    sources: Mapping[str, SourceDifference]
    # The differences on the columns and categories that are complete in both.
    columns: Mapping[str, MeanDifference]
    categories: Mapping[str, MeanDifference]
    overall: MeanDifference | None  # On the mean of the categories; null unless complete.
    mean: MeanDifference  # On the mean of the compared sources.
    # The differences on each type of questions, by source.
    types: Mapping[str, Mapping[str, SourceDifference]]
    # The differences in the outcomes of questions, by source and part as in ``summary.json``,
    # without ``unclear``, parts that neither run has, and parts that one of them cannot tell.
    parts: Mapping[str, Mapping[str, MeanDifference]]
    # By source the parts that one run has and the other cannot tell: of some of its questions
    # nobody knows what was retrieved.
    unknown_parts: Mapping[str, tuple[str, ...]]
    # The sources without which the headline's difference would not be shown.
    decided_by: tuple[str, ...]
    # Whether another build of a run that has one might score otherwise, as far as is known.
    builds_may_differ: bool

    @property
    def headline(self) -> MeanDifference:
        """The difference on the overall score, or else on the mean of the sources."""
        return self.overall or self.mean

    def with_equal_p(self, p: float) -> Pair:
        """Return the pair with another p of its headline's equality."""
        headline = replace(self.headline, equal_p=p)
        if self.overall:
            return replace(self, overall=headline)
        return replace(self, mean=headline)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip(JsonRecord):
    """A question on which two runs differ."""

    # The place of the question.
    source: str
    split: str
    row: int
    question_index: int
    question: str  # Its text.
    # The scores of the two runs, from 0 to 1; of several builds their mean.
    a: float
    b: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScore(JsonRecord):
    """The score of a run on a source or a mean, on the questions that are compared."""

    n: int  # How many questions there are.
    score: float  # From 0 to 100; of several builds the mean.
    interval: Intervals | None  # Its intervals.
    # Runs that share a letter are not shown to differ (Holm, for all pairs), and the best has
    # ``a``; empty where not every pair was compared.
    letters: str = ""

    @property
    def measure(self) -> Measure:
        """The score with its intervals and letters."""
        measure = Measure.of(self.score, self.interval) or Measure(self.score)
        return measure._replace(letters=self.letters)

    def is_like(self, best: RunScore) -> bool:
        """Return whether the score is not shown to differ from the best.

        Where not every pair was compared, no score has letters, and none is shown to differ.
        """
        shares_a_letter = not {*best.letters}.isdisjoint(self.letters)
        return shares_a_letter or self.letters == best.letters


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun(JsonRecord):
    """A run that was compared, or several builds of one."""

    run: str  # The folder, as it was given.
    agent: str  # The agent's name with its settings.
    builds: int  # How many runs of the same settings it stands for.
    mean: float  # The mean score of the compared sources.
    headline: RunScore  # The overall score where it is complete, else that mean.
    sources: Mapping[str, RunScore]  # The score of each compared source, by name.
    # Those of the complete columns of the paper's table and of its categories.
    columns: Mapping[str, RunScore]
    build_deviation: float | None  # Its standard deviation over the builds; null for one.
    not_compared: Mapping[str, str]  # Sources without a score to compare, with the reason.
    among_best: bool  # Whether it is not worse than the best, as far as can be told.
    # The calls of models of all its builds together; left out where none are known.
    calls: IfKnown[CallsSummary | None] = None
    # What the compared sources memorized, of all its builds together; left out where none did.
    memory: IfKnown[MemorySummary | None] = None
    # The summary of each build, as in ``summary.json``; none of a table of scores.
    summaries: tuple[RunSummary, ...]

    def mean_dollars(self) -> float | None:
        """Return what a build cost, answers and memory, in the mean; None if no build says."""
        costs = [summary.dollars for summary in self.summaries if summary.dollars is not None]
        return sum(costs) / self.builds if costs else None

    def mean_seconds(self) -> float | None:
        """Return how long memorizing and answering took, in the mean of the builds, if known."""
        seconds: list[float | None] = []
        for summary in self.summaries:
            for source in summary.sources.values():
                seconds += [source.seconds_memorize, source.seconds_answer]
        known = [time for time in seconds if time is not None]
        if not known or len(known) < len(seconds):
            return None
        return sum(known) / self.builds


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(JsonRecord):
    """A comparison of runs."""

    schema: int = 1  # The version of the format.
    score: str  # ``official`` or ``corrected``; ``given`` of a table of scores.
    runs: tuple[ComparedRun, ...]  # The runs, the best first.
    pairs: tuple[Pair, ...]  # Every pair, or each run with the baseline.
    # How many points apart equal runs may be; left out where it was not asked.
    equal_within: IfKnown[float | None] = None

    def __repr__(self) -> str:
        ranked = [f"{self.names[run.run]} {run.headline.measure}" for run in self.runs]
        return f"<Comparison by the {self.score} score: {', '.join(ranked)}>"

    @property
    def headline(self) -> str:
        """The name of ``ComparedRun.headline``, ``Overall`` or the ``Mean`` of the sources."""
        return "Overall" if self.pairs[0].overall else "Mean"

    @property
    def names(self) -> dict[str, str]:
        """The agent of each run by its folder, which is added where names are alike."""
        agents = [run.agent for run in self.runs]
        return {
            run.run: run.agent if agents.count(run.agent) == 1 else f"{run.agent} ({run.run})"
            for run in self.runs
        }
