"""What a comparison of runs comes to, as JSON has it, and a gate for a run beside its baseline.

Scores and differences are in points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from mabench.data.inventory import without_length
from mabench.errors import UsageError
from mabench.json_text import IfKnown, JsonRecord
from mabench.printable import write_count, write_points
from mabench.results import CallsSummary, Measure, MemorySummary, RunSummary
from mabench.uncertainty.score_intervals import Intervals


@dataclass(frozen=True, slots=True)
class DifferenceInterval(JsonRecord):
    """An interval of a difference, and its p value."""

    # The limits of the 95 % confidence interval, in points.
    low: float
    high: float
    # The probability of such a difference where there is none; null if it could not be below
    # 0.05 whatever the scores are.
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanDifference(JsonRecord):
    """The difference of two runs on a mean over sources."""

    # The scores of the two runs, from 0 to 100.
    a: float
    b: float
    difference: float  # The score of ``a`` minus that of ``b``.
    # The interval for other questions about these histories; null if each has one question.
    these_histories: DifferenceInterval | None
    # The interval for new histories; null if there is none. In means over sources, those with fewer
    # than five histories are treated as fixed.
    new_histories: DifferenceInterval | None
    # The p that counts, adjusted for all pairs (Holm) or all sources (Benjamini and Hochberg).
    adjusted_p: float
    detectable: float  # The true difference, in points, detected with 80 % power.

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
        both = (self.these_histories, self.new_histories)
        these, new = (limits and (limits.low, limits.high) for limits in both)
        return Measure(self.difference, these or None, new or None)

    @property
    def of_new_histories(self) -> bool:
        """Whether ``p`` says something about new histories."""
        return self.new_histories is not None and self.new_histories.p is not None


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

    @property
    def headline(self) -> MeanDifference:
        """The difference on the overall score, or else on the mean of the sources."""
        return self.overall or self.mean

    def with_adjusted(self, p: float) -> Pair:
        """Return the pair with the headline's p value adjusted for the number of pairs."""
        headline = replace(self.headline, adjusted_p=p)
        if self.overall:
            return replace(self, overall=headline)
        sources = self.sources
        if len(sources) == 1:  # Its mean is that of the source.
            sources = {name: replace(one, adjusted_p=p) for name, one in sources.items()}
        return replace(self, mean=headline, sources=sources)


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
    interval: Intervals | None  # Its intervals; for several builds only for new histories.
    # Runs that share a letter are not shown to differ (Holm, for all pairs), and the best has
    # ``a``; empty where not every pair was compared.
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
    summaries: tuple[RunSummary, ...]  # The summary of each build, as in ``summary.json``.

    def mean_dollars(self) -> float | None:
        """Return what a build cost, answers and memory, in the mean; None if no build says."""
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
    """A comparison of runs."""

    schema: int = 1  # The version of the format.
    score: str  # ``official`` or ``corrected``.
    runs: tuple[ComparedRun, ...]  # The runs, the best first.
    pairs: tuple[Pair, ...]  # Every pair, or each run with the baseline.

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


class GateName(StrEnum):
    """What a gate stops: runs shown to be worse, or all runs not shown to be as good."""

    FAIL_IF_WORSE = "fail-if-worse"
    FAIL_UNLESS_AS_GOOD = "fail-unless-as-good"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult(JsonRecord):
    """Whether a run passes a gate."""

    gate: GateName  # Which gate.
    # The run and what it is held to.
    run: str
    baseline: str
    on: str  # The score that decides.
    points: float  # How many points worse a run may be.
    difference: float  # The score of the run less that of the baseline.
    limits: DifferenceInterval | None  # The interval that decides; null if there is none.
    histories: str  # Which histories it is for: ``these``, or ``new`` where each has one question.
    passes: bool  # Whether the run passes.
    sentence: str  # The same in words.


def is_worse(difference: MeanDifference, points: float) -> bool:
    """Return whether a run is worse than its baseline by more than ``points``, not by chance.

    It is when the difference is below ``-points`` and the interval for these histories excludes
    0; where each history has one question, that for new histories takes its place.
    """
    limits = _deciding_interval(difference)
    return difference.difference < -points and limits is not None and limits.high < 0


def is_as_good(difference: MeanDifference, points: float) -> bool:
    """Return whether a run is shown to be no more than ``points`` worse than its baseline.

    It is when no value of the interval is below ``-points``: that for these histories or, where
    each has one question, that for new ones. Without an interval nothing is shown.
    """
    limits = _deciding_interval(difference)
    return limits is not None and limits.low >= -points


def apply_gate(gate: GateName, pair: Pair, points: float, on: str | None = None) -> GateResult:
    """Return whether the first run of a pair passes a gate, and why.

    Args:
        gate: the gate.
        pair: a run and its baseline.
        points: how many points worse the run may be.
        on: the source that decides, with its length or without; by default all of them do: the
            overall score where it is complete, else the mean of the compared sources.

    Raises:
        UsageError: when the source was not compared.
    """
    name, difference = _deciding_score(pair, on)
    limits = _deciding_interval(difference)
    as_good = gate is GateName.FAIL_UNLESS_AS_GOOD
    passes = is_as_good(difference, points) if as_good else not is_worse(difference, points)
    histories = "these" if difference.these_histories else "new"
    interval = "no interval"
    if limits:
        bounds = f"{limits.low:+.1f} to {limits.high:+.1f}"
        interval = f"95 % interval {bounds}, {histories} histories"
    apart = f"{pair.a} minus {pair.b}, {name}: {difference.difference:+.1f} points ({interval})."
    worse = f"{-difference.difference:.1f} points worse"
    if as_good and passes:
        verdict = f"As good: the interval excludes a loss of more than {write_points(points)}."
    elif as_good and limits:
        lost = f"that it is {-limits.low:.1f} points worse; {points:g} are allowed."
        verdict = f"NOT SHOWN to be as good: these questions cannot rule out {lost}"
    elif as_good:
        verdict = "NOT SHOWN to be as good: there are too few questions for an interval."
    elif not passes:
        verdict = f"WORSE: more than {write_points(points)}, and the interval excludes 0."
    elif -difference.difference > points:
        verdict = f"{worse}; these questions cannot show that it is more than {points:g}."
    else:
        verdict = f"Not worse by more than {write_points(points)}."
    return GateResult(
        gate=gate,
        run=pair.a,
        baseline=pair.b,
        on=name,
        points=points,
        difference=difference.difference,
        limits=limits,
        histories=histories,
        passes=passes,
        sentence=f"{apart} {verdict}",
    )


def _deciding_score(pair: Pair, on: str | None) -> tuple[str, MeanDifference]:
    if on is None:
        sources = write_count(len(pair.sources), "source")
        return "Overall" if pair.overall else f"the mean of {sources}", pair.headline
    meant = [on] if on in pair.sources else [n for n in pair.sources if without_length(n) == on]
    if len(meant) != 1:
        how = f"means {' and '.join(meant)}; name one" if meant else "was not compared"
        raise UsageError(f"{on} {how}; there are {', '.join(pair.sources)}", parameter="on")
    return meant[0], pair.sources[meant[0]]


def _deciding_interval(difference: MeanDifference) -> DifferenceInterval | None:
    return difference.these_histories or difference.new_histories
