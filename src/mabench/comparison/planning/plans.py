"""The result of a plan, as it is printed as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mabench.json_text import IfKnown, JsonRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Design(JsonRecord):
    """A comparison with a number of histories; what is unknown is None."""

    source: str  # The name of the source.
    variation: str  # How differences vary: ``as the runs``.
    power: int  # How many of 100 such comparisons detect the difference, on average.
    agents: int = 2  # How many are compared; p is adjusted for all of their pairs.
    # To detect the ``difference``, or to show what a ``budget`` or all ``published`` rows detect.
    purpose: str = "difference"
    difference: float | None = None  # In points; None if none can be detected.
    histories: int | None = None  # How many; None if over 10,000, or too few for a test.
    questions: int  # Questions per history.
    builds: int = 1  # Builds of each history's memory.
    # Histories at the ends of the 95 % interval of the variance.
    low: int | None = None
    high: int | None = None
    tokens: float | None = None  # Memorized by all agents and builds, like all amounts.
    model_tokens: float | None = None  # Tokens of models.
    cost: float | None = None  # In US dollars.
    # How long the memories work, one run after the other; the harness adds about 10 ms a question.
    hours: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSource(JsonRecord):
    """What the runs show of a source."""

    histories: int  # How many the runs have.
    difference: float | None  # The difference of the runs, in points; None for one run.
    # By the name of the variation: the variances of differences from -1 to 1, by ``history``,
    # ``build``, ``question`` and ``rest``; that of builds is None if there is one of each. Empty
    # if the runs have one history, which does not show how histories vary.
    variances: Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(JsonRecord):
    """What it takes to detect a difference, and what a budget and the published rows detect."""

    agents: Sequence[str]  # Their names; with one, the other is assumed to cost and vary as much.
    sources: Mapping[str, PlanSource]  # What is known of each, by name.
    designs: Sequence[Design]  # Comparisons, by source.
    # The titles of sources of made-up rows, by name.
    titles: IfKnown[Mapping[str, str] | None] = None
