"""Gates for CI: whether a run may take the place of its baseline."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mabench.comparison.results import DifferenceInterval, MeanDifference, Pair
from mabench.data.inventory import without_length
from mabench.errors import UsageError
from mabench.json_text import JsonRecord
from mabench.printable import write_count, write_points


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
    histories: str  # Which histories it is for, ``these`` or ``new``.
    passes: bool  # Whether the run passes.
    # Whether a loss of more than the points is shown, or excluded.
    decided: bool
    sentence: str  # The same in words.


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
    worse, as_good = is_worse(difference, points), is_as_good(difference, points)
    histories = "new" if difference.of_new_histories else "these"
    builds = ", of these two builds" * pair.builds_may_differ
    verdict = _describe_verdict(gate, difference, points)
    if difference.interval:
        verdict += f" (95 % interval, {histories} histories{builds})"
    return GateResult(
        gate=gate,
        run=pair.a,
        baseline=pair.b,
        on=name,
        points=points,
        difference=difference.difference,
        limits=difference.interval,
        histories=histories,
        passes=as_good if gate is GateName.FAIL_UNLESS_AS_GOOD else not worse,
        decided=worse or as_good,
        sentence=f"{pair.a} against {pair.b}, {name}: {verdict}.",
    )


def _describe_verdict(gate: GateName, difference: MeanDifference, points: float) -> str:
    """Return what a gate found, with the interval that shows it."""
    if not difference.interval:
        return "NOT JUDGED: there are too few questions for an interval"
    low, high = difference.interval.low, difference.interval.high
    bounds = f"{low:+.1f} to {high:+.1f}"
    by_more = f"by more than {write_points(points)}"
    if is_worse(difference, points):
        return f"WORSE {by_more}: {bounds}"
    if is_as_good(difference, points):
        return f"as good: shown not to be worse {by_more}, {bounds}"
    if gate is GateName.FAIL_UNLESS_AS_GOOD:
        lost = f"{-low:.1f} points worse"
        return f"NOT SHOWN to be as good: these questions cannot rule out {lost}, {bounds}"
    return f"not shown to be worse {by_more}, {bounds}"


def _deciding_score(pair: Pair, on: str | None) -> tuple[str, MeanDifference]:
    if on is None:
        sources = write_count(len(pair.sources), "source")
        return "Overall" if pair.overall else f"the mean of {sources}", pair.headline
    meant = [on] if on in pair.sources else [n for n in pair.sources if without_length(n) == on]
    if len(meant) != 1:
        how = f"means {' and '.join(meant)}; name one" if meant else "was not compared"
        raise UsageError(f"{on} {how}; there are {', '.join(pair.sources)}", parameter="on")
    return meant[0], pair.sources[meant[0]]
