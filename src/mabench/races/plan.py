"""What a race is about: its agents, its histories and their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.results import RacePlan
from mabench.rounds import open_rounds
from mabench.runs.opening import open_agent
from mabench.runs.sweeping import name_agent
from mabench.specs import RaceSpec, RunSpec


def plan_race(
    runs: Sequence[RunSpec], spec: RaceSpec
) -> tuple[RacePlan, Callable[[range], Dataset]]:
    """Return the plan of a race, and a function that returns the data of some rounds.

    A round is one history of each source. ``runs`` has the settings of each agent's runs.

    Raises:
        UsageError: when there are not two different agents, or the data have too few histories.
    """
    read_rounds, order = open_rounds(spec)
    names = [open_agent(run)[0].name for run in runs]
    are_different = len({*names}) == len(names)
    if len(names) < 2 or not are_different:
        raise UsageError(f"a race needs two or more different agents, not {', '.join(names)}")
    first = read_rounds(range(1))
    plan = RacePlan(
        runs={name: name_agent(run.agent) for name, run in zip(names, runs, strict=True)},
        data=first.name,
        fingerprint=first.fingerprint,
        sources=tuple(order or (row.source for row in first.outline)),
        order=order or None,
        seed=spec.seed,
        builds=spec.builds,
        equal_within=None if spec.equal_within is None else float(spec.equal_within),
        assume_symmetric=spec.assume_symmetric,
    )
    return plan, read_rounds
