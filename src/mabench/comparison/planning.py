"""Planning a comparison from finished runs: the entry point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mabench.comparison.designs import add_detectable, cheapest_design, detectable_with
from mabench.comparison.entries import Entry
from mabench.comparison.expenses import DOLLARS, HOURS
from mabench.comparison.pilots import Pilot, read_pilot
from mabench.comparison.plans import Design, Plan, PlanSource
from mabench.data.inventory import BY_NAME
from mabench.errors import UsageError
from mabench.results import Run
from mabench.uncertainty import MIN_HISTORIES, Components

_POWERS = (80, 95)
_VARIATION = "as the runs"


def plan(
    runs: Sequence[Run | Path | str],
    difference: float | None = None,
    *,
    max_cost: float | None = None,
    max_hours: float | None = None,
) -> Plan:
    """Return how many histories, questions and builds detect a difference, and at what cost.

    Args:
        runs: two runs on the same questions, or one: another agent is then taken to cost and vary
            as much, with nothing in common. Each is a ``Run`` or its folder.
        difference: the points to detect; by default the difference of the two runs.
        max_cost: a budget in US dollars; the plan says what it can detect.
        max_hours: a budget of time.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when there is no such run; when runs are unfinished, on different questions,
            without a score or of one history; when no difference is given or seen; or when it is
            unknown what the budget limits.
    """
    if difference is not None and not 0 < difference < 100:
        raise UsageError("must be between 0 and 100 points", parameter="difference")
    entries, names = _open_runs(runs)
    pilots = [read_pilot(name, entries) for name in names]
    if not any(pilot.kind for pilot in pilots):
        raise UsageError(
            f"{', '.join(names)}: one history does not show how histories vary; plan from runs of "
            "two histories or more"
        )
    given = {DOLLARS: max_cost, HOURS: max_hours}
    limits = {place: limit for place, limit in given.items() if limit is not None}
    designs, sources = list[Design](), dict[str, PlanSource]()
    for pilot in pilots:
        variances = {_VARIATION: pilot.kind._asdict()} if pilot.kind else {}
        sources[pilot.source] = PlanSource(
            histories=pilot.histories, difference=pilot.difference, variances=variances
        )
        if pilot.kind:
            wanted = _choose_difference(pilot, difference)
            designs += _plan_source(pilot, pilot.kind, wanted, limits)
    return Plan(
        agents=[entry.record.agent for entry in entries],
        sources=sources,
        designs=designs,
        titles=entries[0].record.data.titles,
    )


def _open_runs(runs: Sequence[Run | Path | str]) -> tuple[Sequence[Entry], Sequence[str]]:
    """Return one or two runs, and the sources that all have a score for."""
    if not 0 < len(runs) < 3:
        raise UsageError(f"a plan needs one or two runs, not {len(runs)}")
    for run in runs:
        if not isinstance(run, Run) and not Path(run).exists():
            raise UsageError(
                f"{run}: no run here; a plan is made from one or two finished runs, so run the "
                "agents first, on a few histories"
            )
    if runs[1:]:
        return Entry.open_comparable(runs, "official")
    entry = Entry.open(runs[0], "official")
    if not entry.builds[0]:
        raise UsageError("; ".join(dict.fromkeys(entry.without.values())))
    return [entry], [*entry.builds[0]]


def _choose_difference(pilot: Pilot, difference: float | None) -> float:
    """Return how many points are to be detected: those given, or else those that were seen."""
    if wanted := abs(pilot.difference or 0.0) if difference is None else difference:
        return wanted
    other = f"give two runs that differ on {pilot.source}"
    raise UsageError(f"say with `difference` how many points matter, or {other}")


def _plan_source(
    pilot: Pilot, kind: Components, difference: float, limits: Mapping[int, float]
) -> Iterator[Design]:
    """Yield the designs for a source, by power."""
    for power in _POWERS:
        base = Design(source=pilot.source, variation=_VARIATION, power=power, questions=pilot.asked)
        yield from cheapest_design(replace(base, difference=difference), pilot, kind)
        if limits:
            yield detectable_with(limits, base, pilot, kind)
        if source := BY_NAME.get(pilot.source):
            asked = round(source.questions / source.rows)
            rows = replace(base, purpose="published", histories=source.rows, questions=asked)
            yield add_detectable(rows, kind) if source.rows >= MIN_HISTORIES else rows
