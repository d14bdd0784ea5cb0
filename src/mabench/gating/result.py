"""What a gate found: the verdict, in a line, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mabench.comparison import DifferenceInterval
from mabench.json_text import JsonRecord
from mabench.printable import write_count, write_points
from mabench.uncertainty.score_intervals import Intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedScore(JsonRecord):
    """A run, or the builds of one, and its score."""

    run: str  # The folder.
    agent: str  # The agent's name with its settings.
    builds: int  # How many builds it stands for.
    score: float  # From 0 to 100, on what the gate decides by.
    interval: Intervals | None  # Its intervals.
    dollars: float | None  # What a build cost; null if nobody knows.
    seconds: float | None  # How long a build took; null if nobody knows.


@dataclass(frozen=True, slots=True, kw_only=True)
class PartChange(JsonRecord):
    """An outcome of questions that has become more or less frequent, shown beyond chance."""

    source: str
    part: str  # As in ``summary.json``, such as ``unfound``.
    points: float  # The share of questions with it now, less that of the baseline.


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult(JsonRecord):
    """Whether an agent passes a gate, and why. ``str`` gives the verdict in words."""

    passed: bool  # Whether it passes.
    # Whether a loss of more than the margin is shown, or excluded.
    decided: bool
    # Whether there is an interval to judge by; what is not judged has not passed.
    judged: bool
    gated: GatedScore
    baseline: GatedScore
    on: str  # The score that decides.
    margin: float  # How many points worse the agent may be.
    strict: bool  # Whether a loss of more than the margin had to be excluded.
    difference: float  # The agent's score less that of the baseline, in points.
    interval: DifferenceInterval | None  # Its interval; null if there is none.
    histories: str  # Which histories it is for, ``these`` or ``new``.
    questions: int  # How many questions were compared.
    better: int  # On how many of them the agent is better than the baseline.
    worse: int  # On how many it is worse.
    # The outcomes of questions that are shown to have changed, the largest change first.
    changed: tuple[PartChange, ...]
    # Whether another build might score otherwise, as far as is known.
    builds_may_differ: bool

    @property
    def verdict(self) -> str:
        """The verdict in one sentence."""
        a, b = self.names
        by_more = f" by more than {write_points(self.margin)}" if self.margin else ""
        if not self.judged:
            return f"NOT JUDGED: there are too few questions to compare {a} with {b}."
        if not self.passed and self._is_worse:
            return f"FAILED: {a} is worse than {b}{by_more}."
        if not self.passed:
            return f"FAILED: {a} is not shown to be as good as {b}{self._within}."
        if self.decided:
            return f"PASSED: {a} is shown to be as good as {b}{self._within}."
        return f"PASSED: {a} is not shown to be worse than {b}{by_more}."

    @property
    def names(self) -> tuple[str, str]:
        """What to call the agent and the baseline: by their names, or folders if these are one."""
        if self.gated.agent != self.baseline.agent:
            return self.gated.agent, self.baseline.agent
        return self.gated.run, self.baseline.run

    @property
    def _is_worse(self) -> bool:
        return self.interval is not None and self.interval.high < -self.margin

    @property
    def _within(self) -> str:
        return f", within {write_points(self.margin)}" if self.margin else ""

    def reasons(self) -> Iterator[str]:
        """Yield sentences that say why: the figures first, then what limits them."""
        yield self._figures()
        if self.judged and not self.decided:
            loss = f"A loss of more than {write_points(self.margin)}" if self.margin else "A loss"
            yield f"Undecided: {loss[0].lower()}{loss[1:]} is neither shown nor excluded."
        if self.builds_may_differ:
            yield "Other builds of these memories may score otherwise: run more with `repeat`."
        for change in self.changed[:1]:
            more = "more" if change.points > 0 else "fewer"
            yield (
                f"What changed most: {abs(change.points):.0f} % {more} of the questions of "
                f"{change.source} are {change.part.replace('_', ' ')}."
            )

    def _figures(self) -> str:
        scores = f"{self.on}: {self.gated.score:.1f} against {self.baseline.score:.1f}"
        flipped = f"{self.better} better and {self.worse} worse"
        asked = f"of {write_count(self.questions, 'question')}, {flipped}"
        if self.interval is None:
            return f"{scores}; {asked}."
        low, high = self.interval.low, self.interval.high
        limits = f"{low:+.1f} to {high:+.1f}, 95 %, {self.histories} histories"
        return f"{scores}, {self.difference:+.1f} points ({limits}); {asked}."

    def __str__(self) -> str:
        """The verdict and why, a sentence a line."""
        return "\n".join([self.verdict, *self.reasons()])
