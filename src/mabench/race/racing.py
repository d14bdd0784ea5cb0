"""Running a race: the same histories for every agent, until one is shown to be better."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from mabench.errors import UsageError
from mabench.progress import NoProgress, Progress
from mabench.race.histories import Histories, open_histories
from mabench.race.standing import Race, open_race
from mabench.results import RaceFile, RacePlan, Run, RunFolder, read_race, write_race
from mabench.runs.execution import RunStoppedError, execute
from mabench.runs.folder import name_folder, repeat_folders, set_aside
from mabench.runs.opening import open_agent, rows_in_parallel
from mabench.runs.sweeping import name_agent
from mabench.specs import RaceSpec, RunSpec

_PARENT = Path("runs")


class Look(NamedTuple):
    """A race as it stands after a history; ``reason`` says why it ends there undecided."""

    race: Race
    reason: str = ""


class _Quiet:
    """Shows all but what each history would say again: how long it is, and what is done."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self.advance, self.say = progress, progress.advance, progress.say

    def start(
        self, work: str, total: int | None, done: int = 0, title: str = "", note: str = ""
    ) -> None:
        self._progress.start(work, total, done, title)

    def note(self, work: str, note: str) -> None:
        pass


def race(
    specs: Sequence[RunSpec], plan: RaceSpec, progress: Progress | None = None
) -> Iterator[Look]:
    """Run agents over the same histories, and yield how they stand after each.

    Each of ``specs`` has another agent and all else in common: its ``data`` are where histories
    come from, its ``out`` is the folder of the race, and its ``max_cost`` is for all runs together.
    The plan is written before the first history. A race that was stopped goes on where it was. Who
    is beaten drops out; as many histories as run in parallel are told before the next look.

    Raises:
        UsageError: when an agent is given twice, the data have too few histories, or the folder
            holds another race.
        RunStoppedError: when a run was stopped by more than the cost; and all that ``run`` raises.
    """
    began, first = time.monotonic(), specs[0]
    progress = _Quiet(progress or NoProgress())
    histories = open_histories(first.data, plan)
    planned = _plan(specs, plan, histories)
    folder = (first.out or _PARENT / _name_race(planned)).absolute()
    _begin(folder, planned, first.fresh, progress)
    again, ahead = first.retry_errors, max(1, rows_in_parallel(first) // len(histories.sources))
    spent = {} if first.max_cost is None else _costs(folder, planned)
    stop = ""
    while True:
        standing = _look(folder)
        stop = "" if standing.is_decided else stop or _limit(standing, plan, histories, began)
        done = not again and (standing.is_decided or bool(stop))
        yield Look(standing, stop if done else "")
        if done:
            return
        most = min(plan.max_histories, histories.most or plan.max_histories)
        # What was begun stays a part of the runs.
        end = max(min(standing.histories + ahead, most), *standing.told)
        data = histories.rounds(range(0 if again else standing.histories, end))
        for place in standing.left:
            if not stop and (again or standing.told[place] < end):
                name = [*planned.runs.values()][place]
                spec = replace(specs[place], data=replace(first.data, data=data), fresh=False)
                stop = _tell(spec, repeat_folders(folder / name, plan.builds), spent, progress)
        again = False


def _tell(
    spec: RunSpec, builds: Sequence[Path], spent: dict[Path, float], progress: Progress
) -> str:
    """Run an agent over the next histories, once for each build; return why that ended early."""
    for out in builds:
        cost = spec.max_cost
        over = "" if cost is None else f"${cost:g} are spent (`max_cost`)"
        if cost is not None and (cost := cost - sum(spent.values()) + spent[out]) <= 0:
            return over
        try:
            run = execute(replace(spec, out=out, max_cost=cost), progress)
        except RunStoppedError as stop:
            if not stop.by_cost:
                raise
            return over
        if spent:
            spent[out] = _cost(run)
    return ""


def _plan(specs: Sequence[RunSpec], plan: RaceSpec, histories: Histories) -> RacePlan:
    agents = [open_agent(spec)[0].name for spec in specs]
    if twice := next((name for name in agents if agents.count(name) > 1), ""):
        raise UsageError(f"the agent {twice} is given twice")
    if len(agents) < 2:
        raise UsageError(f"a race takes two agents at least, and {agents[0]} is alone")
    data = histories.rounds(range(1))
    return RacePlan(
        runs={agent: name_agent(spec.agent) for agent, spec in zip(agents, specs, strict=True)},
        data=data.name,
        fingerprint=data.fingerprint,
        sources=histories.sources,
        order=histories.order,
        seed=plan.seed,
        builds=plan.builds,
        margin=None if plan.margin is None else float(plan.margin),
    )


def _name_race(plan: RacePlan) -> str:
    sources = f"{len(plan.sources)} sources" if plan.sources[1:] else plan.sources[0]
    return name_folder(
        ["race", sources, *plan.runs.values(), f"seed {plan.seed}" * (plan.seed > 0)]
    )


def _begin(folder: Path, plan: RacePlan, fresh: bool, progress: Progress) -> None:
    """Write the plan, or find it in the folder; a UsageError where that holds another race."""
    stored = read_race(folder)
    if fresh and stored:
        runs = [folder / name for name in stored.plan.runs.values()]
        builds = (each for run in runs for each in repeat_folders(run, stored.plan.builds))
        set_aside(builds, progress)
    elif stored:
        here, there = plan.as_dict(), stored.plan.as_dict()
        for name in here:
            if here[name] != there.get(name):
                raise UsageError(
                    f"{folder} holds another race: {_differ(name, here[name], there.get(name))}; "
                    "give another `out`, or `fresh`",
                    parameter="out",
                )
        return
    elif found := next(folder.glob("**/run.json"), None):
        raise UsageError(
            f"{folder} holds other runs, such as {found.parent}; give another `out`",
            parameter="out",
        )
    write_race(folder, RaceFile(plan=plan, hash=plan.hash))


def _differ(name: str, here: Any, there: Any) -> str:
    if name == "runs":
        here, there = (", ".join(agents) for agents in (here, there))
    return f"its {name} is {there} there and {here} here"


def _look(folder: Path) -> Race:
    """Return how a race stands, and note it in its file."""
    standing = open_race(folder)
    if standing is None:
        raise UsageError(f"{folder}: the file of the race is gone")
    plan, told = standing.plan, standing.histories
    file = RaceFile(plan=plan, hash=plan.hash, histories=told, state=standing.conclusion)
    write_race(folder, file)
    return standing


def _limit(standing: Race, plan: RaceSpec, histories: Histories, began: float) -> str:
    """Return which limit a race has reached; empty for none."""
    told = standing.histories
    if told >= plan.max_histories:
        return f"all {told} histories were told (`max_histories`)"
    if histories.most is not None and told >= histories.most:
        return f"all {told} histories that the data have of each source were told"
    if plan.max_hours is not None and time.monotonic() - began >= 3600 * plan.max_hours:
        return f"{plan.max_hours:g} hours have passed (`max_hours`)"
    return ""


def _costs(folder: Path, plan: RacePlan) -> dict[Path, float]:
    """Return what each build has cost in dollars so far."""
    builds = (
        out for run in plan.runs.values() for out in repeat_folders(folder / run, plan.builds)
    )
    return {out: _cost(Run(out)) if RunFolder(out).exists() else 0.0 for out in builds}


def _cost(run: Run) -> float:
    calls = run.summary.calls
    return (run.summary.spent.cost or 0.0) + ((calls and calls.by_memory.cost) or 0.0)
