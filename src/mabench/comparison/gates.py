"""Gates: whether a run may take the place of its baseline, and what the verdict rests on.

The difference of the two is that of a comparison, with its 95 % interval: for new histories where
there are enough, else for these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from mabench.comparison.results import (
    ComparedRun,
    Comparison,
    DifferenceInterval,
    MeanDifference,
    Pair,
)
from mabench.data.inventory import without_length
from mabench.errors import UsageError
from mabench.json_text import JsonRecord
from mabench.printable import write_count, write_points
from mabench.results import PARTS, Measure
from mabench.uncertainty.score_intervals import Intervals

_MOST_LISTED = 2  # Sources whose outcomes a result names.


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSide(JsonRecord):
    """A run as a gate sees it: what is judged, or its baseline."""

    run: str  # The folder, or the agent in a table of scores.
    agent: str  # The agent's name with its settings.
    score: float  # Its score on what decides, from 0 to 100.
    interval: Intervals | None  # The intervals of that score.
    builds: int  # How many runs of the same settings it stands for.
    errors: int  # How many answers failed, in all builds; they count as wrong.
    dollars: float | None  # What a build cost; null if no build says.
    seconds: float | None  # How long memorizing and answering took a build; null if unknown.

    @property
    def measure(self) -> Measure:
        """The score with its intervals."""
        return Measure.of(self.score, self.interval) or Measure(self.score)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GateResult(JsonRecord):
    """Whether a memory passes a gate, and why; ``str`` of it is the verdict and the reasons."""

    schema: int = 1  # The version of the format.
    passed: bool  # Whether it passes; false where it could not be judged.
    judged: bool  # Whether there was an interval to judge by.
    # Whether a loss of more than the margin is shown, or excluded.
    decided: bool
    margin: float  # How many points worse it may be.
    strict: bool  # Whether it passes only where a loss of more than that is excluded.
    now: GateSide  # What is judged.
    baseline: GateSide  # What it is held to.
    on: str  # The score that decides.
    difference: float  # The score less that of the baseline, in points.
    interval: DifferenceInterval | None  # The 95 % interval that decides; null if there is none.
    histories: str  # Which histories it is for, ``these`` or ``new``.
    questions: int  # How many questions both were asked.
    # Questions on which it is worse than the baseline, and better.
    lost: int
    gained: int
    # What became of questions more often than before, where that is shown, in words.
    stages: tuple[str, ...]
    one_build: bool  # Whether another build of either might score otherwise, and there is only one.

    @property
    def verdict(self) -> str:
        """The verdict in a sentence: what the interval shows, or why there is none."""
        now, than = self.now.agent, self.baseline.agent
        if now == than:
            than = "its baseline"
        by_more = f"by more than {write_points(self.margin)}" if self.margin else ""
        if self.interval is None:
            return f"NOT JUDGED: there are too few questions of {self.on} for an interval."
        head = "PASSED" if self.passed else "FAILED"
        low, high = self.interval.low, self.interval.high
        if high < -self.margin:
            claim = f"{now} is worse than {than} {by_more}"
        elif low >= -self.margin:
            claim = f"{now} is as good as {than}: shown not to be worse {by_more or 'at all'}"
        elif self.strict:
            loss = write_points(round(-low, 1))
            claim = f"{now} is not shown to be as good as {than}: it may be {loss} worse"
        else:
            claim = f"{now} is not shown to be worse than {than} {by_more}"
        return f"{head}: {claim.strip()}: {self.difference:+.1f} ({low:+.1f} to {high:+.1f})."

    @property
    def reasons(self) -> list[str]:
        """What the verdict rests on, in sentences."""
        scores = f"{self.now.measure} against {self.baseline.measure}"
        changed = f"{self.lost} of {write_count(self.questions, 'question')} lost"
        interval = ""
        if self.interval:
            interval = f", 95 % intervals for {self.histories} histories"
            if self.one_build:
                interval += ", of these two builds"
        # The mean of sources begins the sentence; the name of a source stays as it is.
        on = f"The {self.on.removeprefix('the ')}" if self.on.startswith("the ") else self.on
        sentences = [f"{on}: {scores}{interval}; {changed}, {self.gained} gained."]
        if self.stages:
            sentences.append(f"What changed: {'; '.join(self.stages)}.")
        if self.interval and not self.decided:
            sentences.append("Not decided: not shown to be worse, nor to be as good.")
        if self.one_build:
            sentences.append(
                "Another build may score otherwise: build each three times (`repeat`)."
            )
        for side, whose in ((self.now, "its"), (self.baseline, "the baseline's")):
            if side.errors:
                failed = write_count(side.errors, "answer")
                sentences.append(f"Counted as wrong: {failed} of {whose} own that failed.")
        return sentences

    def __repr__(self) -> str:  # What pytest shows of `assert result.passed, result`.
        return "\n".join([self.verdict, *self.reasons])


def is_worse(difference: MeanDifference, points: float) -> bool:
    """Return whether a run is shown to be worse than its baseline by more than ``points``.

    It is when all of the interval lies below ``-points``.
    """
    return difference.interval is not None and difference.interval.high < -points


def is_as_good(difference: MeanDifference, points: float) -> bool:
    """Return whether a run is shown to be no more than ``points`` worse than its baseline.

    It is when no value of the interval is below ``-points``. Without an interval nothing is shown.
    """
    return difference.interval is not None and difference.interval.low >= -points


def judge_pair(
    comparison: Comparison, margin: float = 0.0, *, strict: bool = False, on: str | None = None
) -> GateResult:
    """Return whether a run passes a gate, and why.

    Args:
        comparison: a run and its baseline.
        margin: how many points worse the run may be.
        strict: pass it only where a loss of more than the margin is excluded (non-inferiority);
            by default it fails only where such a loss is shown.
        on: the source that decides, with its length or without; by default all of them do: the
            overall score where it is complete, else the mean of the compared sources.

    Raises:
        UsageError: when there is not one run beside the baseline, or the source was not compared.
    """
    if len(comparison.pairs) != 1:
        raise UsageError(f"a gate judges one run, not {len(comparison.pairs)}")
    (pair,) = comparison.pairs
    name, difference = _deciding_score(pair, on)
    worse, as_good = is_worse(difference, margin), is_as_good(difference, margin)
    judged = difference.interval is not None
    runs = {run.run: run for run in comparison.runs}
    names = _deciding_sources(pair, on)
    sources = [pair.sources[source] for source in names]
    scored_on = None if on is None else name  # Without a source, the headline decides.
    return GateResult(
        passed=judged and (as_good if strict else not worse),
        judged=judged,
        decided=worse or as_good,
        margin=margin,
        strict=strict,
        now=_describe_side(runs[pair.a], difference.a, scored_on),
        baseline=_describe_side(runs[pair.b], difference.b, scored_on),
        on=name,
        difference=difference.difference,
        interval=difference.interval,
        histories="new" if difference.of_new_histories else "these",
        questions=sum(source.wins + source.losses + source.ties for source in sources),
        lost=sum(source.losses for source in sources),
        gained=sum(source.wins for source in sources),
        stages=tuple(_list_grown_parts(pair, names)),
        one_build=pair.builds_may_differ,
    )


def _describe_side(run: ComparedRun, score: float, source: str | None) -> GateSide:
    """Return a run with its score on a source, or its headline score if ``source`` is None."""
    run_score = run.headline if source is None else run.sources[source]
    return GateSide(
        run=run.run,
        agent=run.agent,
        score=score,
        interval=run_score.interval,
        builds=run.builds,
        errors=sum(summary.spent.errors for summary in run.summaries),
        dollars=run.mean_dollars(),
        seconds=run.mean_seconds(),
    )


def _list_grown_parts(pair: Pair, sources: list[str]) -> Iterator[str]:
    """Yield in words the wrong outcomes that are more frequent than in the baseline.

    The few that grew most are listed, and the largest comes first. For example: "missed +12.0 of
    100 on longmemeval".
    """
    # Growth in tenths of a point: parts that are equal as shown stay in the order of sources.
    grown: Counter[tuple[str, str]] = Counter()
    for source in sources:
        for part, difference in pair.parts.get(source, {}).items():
            is_wrong = not part.startswith("right")
            if is_wrong and difference.is_shown and difference.difference > 0:
                grown[source, part] = round(10 * difference.difference)
    for (source, part), tenths in grown.most_common(_MOST_LISTED):
        yield f"{PARTS[part].head.lower()} {tenths / 10:+.1f} of 100 on {without_length(source)}"


def _deciding_sources(pair: Pair, on: str | None) -> list[str]:
    """Return the sources that decide: all of them, or the one that ``on`` names.

    Raises:
        UsageError: when ``on`` names none of the sources, or several without their lengths.
    """
    if on is None:
        return [*pair.sources]
    if on in pair.sources:
        return [on]
    named = [source for source in pair.sources if without_length(source) == on]
    if len(named) != 1:
        how = f"means {' and '.join(named)}; name one" if named else "was not compared"
        raise UsageError(f"{on} {how}; there are {', '.join(pair.sources)}", parameter="on")
    return named


def _deciding_score(pair: Pair, on: str | None) -> tuple[str, MeanDifference]:
    """Return the name of the score that decides, and the difference in it."""
    if on is None:
        sources = write_count(len(pair.sources), "source")
        return "Overall" if pair.overall else f"the mean of {sources}", pair.headline
    (source,) = _deciding_sources(pair, on)
    return source, pair.sources[source]
