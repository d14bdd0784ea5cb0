"""What a comparison of runs comes to, as JSON has it. Scores and differences are in points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mabench.json_text import IfKnown, JsonRecord
from mabench.results import CallsSummary, Intervals, Measure, MemorySummary, RunSummary


@dataclass(frozen=True, slots=True)
class DifferenceInterval(JsonRecord):
    """An interval of a difference, and its p value.

    Attributes:
        low, high: the limits of the 95 % confidence interval, in points.
        p: the probability of such a difference where there is none; null where it could not be
            below 0.05 whatever the scores are.
    """

    low: float
    high: float
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanDifference(JsonRecord):
    """The difference of two runs on a mean over sources.

    Attributes:
        a, b: the scores of the two runs, from 0 to 100.
        difference: that of ``a`` less that of ``b``.
        these_histories: what it says of other questions about the same histories; null where
            each history has one question.
        new_histories: what it says of other histories; null where nothing can be said. In means
            over sources, those with fewer than five histories are taken as given.
        adjusted_p: the p that counts, adjusted for the number of pairs (Holm) or of sources
            (Benjamini and Hochberg).
        detectable: the true difference that would be found in 4 of 5 cases, in points.
    """

    a: float
    b: float
    difference: float
    these_histories: DifferenceInterval | None
    new_histories: DifferenceInterval | None
    adjusted_p: float
    detectable: float

    @property
    def p(self) -> float:
        """The p value for new histories where there is one, else that for these histories."""
        for limits in (self.new_histories, self.these_histories):
            if limits and limits.p is not None:
                return limits.p
        return 1.0

    @property
    def measure(self) -> Measure:
        """The difference with its intervals."""
        these, new = (
            limits and (limits.low, limits.high)
            for limits in (self.these_histories, self.new_histories)
        )
        return Measure(self.difference, these or None, new or None)

    @property
    def of_new_histories(self) -> bool:
        """Whether ``p`` says something about new histories."""
        return self.new_histories is not None and self.new_histories.p is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDifference(MeanDifference):
    """The difference of two runs on a source.

    Attributes:
        wins, losses, ties: the questions on which ``a`` is better, worse and as good.
        histories: how many histories the source has.
        history_wins, history_losses, history_ties: on how many of them ``a`` is better, worse
            and as good.
    """

    wins: int
    losses: int
    ties: int
    histories: int
    history_wins: int
    history_losses: int
    history_ties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair(JsonRecord):
    """Two runs on the same questions.

    Attributes:
        a, b: the runs, as ``ComparedRun.run`` has them.
        sources: the differences on the sources that both have a score for, by name.
        columns, categories: those on the columns and categories that are complete in both.
        overall: that on the mean of the categories; null unless all are complete.
        mean: that on the mean of the compared sources.
        types: those on the types of questions, of each source that has types.
        parts: those of what becomes of the questions, of each source by part, as in its
            ``summary.json``; parts that neither run has are left out.
    """

    a: str
    b: str
    sources: Mapping[str, SourceDifference]
    columns: Mapping[str, MeanDifference]
    categories: Mapping[str, MeanDifference]
    overall: MeanDifference | None
    mean: MeanDifference
    types: Mapping[str, Mapping[str, SourceDifference]]
    parts: Mapping[str, Mapping[str, MeanDifference]]

    @property
    def headline(self) -> MeanDifference:
        """The difference on the overall score, or else on the mean of the sources."""
        return self.overall or self.mean

    def with_adjusted(self, p: float) -> Pair:
        """Return the pair with the headline's p value adjusted for the number of pairs."""
        headline = replace(self.headline, adjusted_p=p)
        return replace(self, overall=headline) if self.overall else replace(self, mean=headline)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip(JsonRecord):
    """A question on which two runs differ.

    Attributes:
        source, split, row, question_index: the place of the question.
        question: its text.
        a, b: the scores of the two runs, from 0 to 1; of several builds their mean.
    """

    source: str
    split: str
    row: int
    question_index: int
    question: str
    a: float
    b: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScore(JsonRecord):
    """The score of a run on a source or a mean, on the questions that are compared.

    Attributes:
        n: how many questions there are.
        score: from 0 to 100; of several builds the mean.
        interval: how uncertain it is; of several builds only over new histories.
        letters: runs that share a letter are not shown to differ (Holm, for all pairs), and the
            best has ``a``; empty where not every pair was compared.
    """

    n: int
    score: float
    interval: Intervals | None
    letters: str = ""

    @property
    def measure(self) -> Measure:
        """The score with its intervals and letters."""
        measure = Measure.of(self.score, self.interval) or Measure(self.score)
        return measure._replace(letters=self.letters)

    def is_like(self, best: RunScore) -> bool:
        """Return whether the score is not shown to differ from the best."""
        return not {*best.letters}.isdisjoint(self.letters) or self.letters == best.letters


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun(JsonRecord):
    """A run that was compared, or several builds of one.

    Attributes:
        run: the folder, as it was given.
        agent: the agent's name with its settings.
        builds: how many runs of the same settings it stands for.
        mean: the mean score of the compared sources.
        headline: the overall score where it is complete, else that mean.
        sources: the score of each compared source, by name.
        columns: those of the complete columns of the paper's table and of its categories.
        build_deviation: the standard deviation of that mean over the builds; null for one.
        not_compared: sources without a score to compare, with the reason.
        among_best: whether it is not worse than the best, as far as can be told.
        calls: the calls of models of all its builds together; left out where none are known.
        memory: what the compared sources memorized, of all its builds together; left out where none
            did.
        summaries: the summary of each build, as in ``summary.json``.
    """

    run: str
    agent: str
    builds: int
    mean: float
    headline: RunScore
    sources: Mapping[str, RunScore]
    columns: Mapping[str, RunScore]
    build_deviation: float | None
    not_compared: Mapping[str, str]
    among_best: bool
    calls: IfKnown[CallsSummary | None] = None
    memory: IfKnown[MemorySummary | None] = None
    summaries: tuple[RunSummary, ...]

    def mean_dollars(self) -> float | None:
        """Return what a build cost, answers and memory, in the mean; None where no build says."""
        costs = [summary.dollars for summary in self.summaries if summary.dollars is not None]
        return sum(costs) / self.builds if costs else None

    def mean_seconds(self) -> float | None:
        """Return how long memorizing and answering took, in the mean of the builds, if known."""
        sources = [source for summary in self.summaries for source in summary.sources.values()]
        seconds = [time for one in sources for time in (one.seconds_memorize, one.seconds_answer)]
        known = [time for time in seconds if time is not None]
        return sum(known) / self.builds if len(known) == len(seconds) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(JsonRecord):
    """A comparison of runs.

    Attributes:
        schema: the version of the format.
        score: ``official`` or ``corrected``.
        runs: the runs, in the order in which they were given.
        pairs: every pair, or each run with the baseline.
    """

    schema: int = 1
    score: str
    runs: tuple[ComparedRun, ...]
    pairs: tuple[Pair, ...]

    @property
    def headline(self) -> str:
        """What ``ComparedRun.headline`` is of: ``Overall``, or the ``Mean`` of the sources."""
        return "Overall" if self.pairs[0].overall else "Mean"

    @property
    def ranked(self) -> list[ComparedRun]:
        """The runs, the best first."""
        return sorted(self.runs, key=lambda run: -run.headline.score)

    @property
    def names(self) -> dict[str, str]:
        """The agent of each run by its folder, which stands behind those of one name."""
        agents = [run.agent for run in self.runs]
        return {
            run.run: run.agent if agents.count(run.agent) == 1 else f"{run.agent} ({run.run})"
            for run in self.runs
        }
