"""Planning a comparison from finished runs: the entry point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mabench.comparison.entries import RunEntry
from mabench.comparison.planning.designs import add_detectable, cheapest_design, detectable_with
from mabench.comparison.planning.expenses import DOLLARS, HOURS
from mabench.comparison.planning.pilots import Pilot, read_pilot
from mabench.comparison.planning.plans import Design, Plan, PlanSource
from mabench.data.inventory import BY_NAME
from mabench.errors import UsageError
from mabench.results import Run
from mabench.uncertainty import MIN_HISTORIES
from mabench.uncertainty.power import Variation

_POWERS = (80, 95)  # In percent.
_VARIATION = "as the runs"
# In points: what matters if nobody says otherwise.
DEFAULT_DIFFERENCE = 5.0


def plan(
    runs: Sequence[Run | Path | str],
    difference: float = DEFAULT_DIFFERENCE,
    *,
    agents: int = 2,
    max_cost: float | None = None,
    max_hours: float | None = None,
) -> Plan:
    """Return how many histories, questions and builds detect a difference, and at what cost.

    The power is that of the test of ``compare`` for new histories, on average over the variances
    that the runs leave open.

    Args:
        runs: two runs on the same questions, or one: another agent is then taken to cost and vary
            as much, with nothing in common. Each is a ``Run`` or its folder.
        difference: the points to detect. That of the runs is no guide: it is what chance made it.
        agents: how many agents are to be compared; p is adjusted for all of their pairs.
        max_cost: a budget in US dollars; the plan says what it can detect.
        max_hours: a budget of time.

    Raises:
        DataError: when a run cannot be read.
        UsageError: when there is no such run; when runs are unfinished, on different questions,
            without a score or of one history; when fewer than two agents are to be compared; or
            when it is unknown what the budget limits.
    """
    if not 0 < difference < 100:
        raise UsageError("must be between 0 and 100 points", parameter="difference")
    if agents < 2:
        raise UsageError("must be at least 2: a comparison needs two", parameter="agents")
    entries, names = _open_runs(runs)
    pilots = [read_pilot(name, entries) for name in names]
    if not any(pilot.kind for pilot in pilots):
        raise UsageError(
            f"{', '.join(names)}: one history does not show how histories vary; plan from runs of "
            "two histories or more"
        )
    limits: dict[int, float] = {}
    if max_cost is not None:
        limits[DOLLARS] = max_cost
    if max_hours is not None:
        limits[HOURS] = max_hours
    designs: list[Design] = []
    sources: dict[str, PlanSource] = {}
    for pilot in pilots:
        variances = {_VARIATION: pilot.kind._asdict()} if pilot.kind else {}
        sources[pilot.source] = PlanSource(
            histories=pilot.histories, difference=pilot.difference, variances=variances
        )
        if variation := pilot.variation:
            for percent in _POWERS:
                base = Design(
                    source=pilot.source,
                    variation=_VARIATION,
                    power=percent,
                    agents=agents,
                    questions=pilot.asked,
                )
                designs += _design_source(pilot, variation, base, difference, limits)
    return Plan(
        agents=[entry.record.agent for entry in entries],
        sources=sources,
        designs=designs,
        titles=entries[0].record.data.titles,
    )


def _open_runs(runs: Sequence[Run | Path | str]) -> tuple[Sequence[RunEntry], Sequence[str]]:
    """Return one or two runs, and the sources that all have a score for."""
    if len(runs) not in (1, 2):
        raise UsageError(f"a plan needs one or two runs, not {len(runs)}")
    for run in runs:
        if not isinstance(run, Run) and not Path(run).exists():
            raise UsageError(
                f"{run}: no run here; a plan is made from one or two finished runs, so run the "
                "agents first, on a few histories"
            )
    if len(runs) == 2:
        return RunEntry.open_comparable(runs, "official")
    entry = RunEntry.open(runs[0], "official")
    if not entry.builds[0]:
        raise UsageError("; ".join(dict.fromkeys(entry.without.values())))
    return [entry], [*entry.builds[0]]


def _design_source(
    pilot: Pilot,
    variation: Variation,
    base: Design,
    difference: float,
    limits: Mapping[int, float],
) -> Iterator[Design]:
    """Yield the designs for a source with the power of ``base``.

    First what detects the difference, then what a budget detects if there are limits, then what all
    published rows detect if the source is a published one.
    """
    yield from cheapest_design(replace(base, difference=difference), pilot, variation)
    if limits:
        yield detectable_with(limits, base, pilot, variation)
    if source := BY_NAME.get(pilot.source):
        asked = round(source.questions / source.rows)
        published = replace(base, purpose="published", histories=source.rows, questions=asked)
        if source.rows >= MIN_HISTORIES:
            published = add_detectable(published, variation)
        yield published
