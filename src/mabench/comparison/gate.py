"""The gate: may a run pass, beside its baseline?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mabench.comparison.results import DifferenceInterval, MeanDifference, Pair
from mabench.data.inventory import without_length
from mabench.errors import UsageError
from mabench.json_text import JsonRecord


class GateName(StrEnum):
    """What a gate stops: a run that is seen to be worse, or all that is not shown to be as good."""

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
    limits: DifferenceInterval | None  # The interval that decides; null where there is none.
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
    worse = -difference.difference
    if as_good and passes:
        verdict = f"As good: the interval excludes a loss of more than {points:g} points."
    elif as_good and limits:
        verdict = (
            "NOT SHOWN to be as good: these questions cannot rule out that it is "
            f"{-limits.low:.1f} points worse; {points:g} are allowed."
        )
    elif as_good:
        verdict = "NOT SHOWN to be as good: there are too few questions for an interval."
    elif not passes:
        verdict = f"WORSE: more than {points:g} points, and the interval excludes 0."
    elif worse > points:
        verdict = (
            f"{worse:.1f} points worse; these questions cannot show that it is more than "
            f"{points:g}."
        )
    else:
        verdict = f"Not worse by more than {points:g} points."
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
        sentence=(
            f"{pair.a} minus {pair.b}, {name}: {difference.difference:+.1f} points ({interval}). "
            f"{verdict}"
        ),
    )


def _deciding_score(pair: Pair, on: str | None) -> tuple[str, MeanDifference]:
    if on is None:
        sources = "1 source" if len(pair.sources) == 1 else f"{len(pair.sources)} sources"
        return "Overall" if pair.overall else f"the mean of {sources}", pair.headline
    meant = [on] if on in pair.sources else [n for n in pair.sources if without_length(n) == on]
    if len(meant) != 1:
        how = f"means {' and '.join(meant)}; name one" if meant else "was not compared"
        raise UsageError(f"{on} {how}; there are {', '.join(pair.sources)}", parameter="on")
    return meant[0], pair.sources[meant[0]]


def _deciding_interval(difference: MeanDifference) -> DifferenceInterval | None:
    return difference.these_histories or difference.new_histories
