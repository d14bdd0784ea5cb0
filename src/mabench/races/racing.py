"""Running a race: the same histories for every agent, until one is shown to be better."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mabench.errors import DataError, UsageError, reason
from mabench.progress import NoProgress, Progress
from mabench.races.histories import RaceRows, open_histories
from mabench.races.standing import Race, open_race
from mabench.results import RacePlan, Run, RunFolder, read_race, write_race
from mabench.runs.execution import RunStoppedError, execute
from mabench.runs.folder import name_folder, repeat_folders, set_aside
from mabench.runs.opening import open_agent, rows_in_parallel
from mabench.runs.sweeping import name_agent
from mabench.specs import AgentSpec, RaceSpec, RunSpec

_PARENT = Path("runs")


def race(
    agents: Sequence[AgentSpec], spec: RaceSpec, progress: Progress | None = None
) -> Iterator[Race]:
    """Tell agents the same histories, and yield how they stand after each, until that decides.

    The plan is written before the first history. A race that was stopped goes on where it was. Who
    is beaten drops out. As many histories as run in parallel are told between two looks.

    Raises:
        UsageError: when an agent is given twice, the data have too few histories, or the folder
            holds another race.
        RunStoppedError: when a run was stopped by more than the cost; and all that ``run`` raises.
    """
    began, progress = time.monotonic(), progress or NoProgress()
    runs = [replace(spec.run, agent=agent, fresh=False) for agent in agents]
    histories = open_histories(spec)
    plan = _plan(runs, spec, histories)
    folder = (spec.run.out or _PARENT / _name_race(plan)).absolute()
    _begin(folder, plan, spec.run.fresh, progress)
    builds = [repeat_folders(folder / name, plan.builds) for name in plan.runs.values()]
    spent = {out: _cost(out) for of_agent in builds for out in of_agent if spec.run.max_cost}
    ahead = max(1, rows_in_parallel(spec.run) // len(histories.sources))
    most = min(spec.max_histories, histories.most or spec.max_histories)
    again, limit, before = spec.run.retry_errors, "", -1
    while (now := open_race(folder)) is not None:
        write_race(folder, plan, now.conclusion)
        told = now.histories
        if told == before and not limit:
            missing = f"no scores of history {told + 1}; `mabench report` of a run there says why"
            raise UsageError(f"{folder} has {missing}")
        if told >= most:
            why = "`max_histories`" if spec.max_histories <= told else "the data have no more"
            limit = limit or f"{told} histories of each source were told ({why})"
        elif spec.max_hours is not None and time.monotonic() - began >= 3600 * spec.max_hours:
            limit = limit or f"{spec.max_hours:g} hours have passed (`max_hours`)"
        if not again and (now.is_decided or limit):
            yield replace(now, limit="" if now.is_decided else limit)
            return
        yield now
        # What was begun stays a part of the runs.
        end = max(min(told + ahead, most), *map(len, now.scores))
        data = histories.rounds(range(0 if again else told, end))
        for place in now.left:
            if again or not limit:
                rows = replace(spec.run.data, data=data)
                run = replace(runs[place], data=rows, retry_errors=again)
                limit = _tell(run, builds[place], spent, progress) or limit
        again, before = False, -1 if again else told


def _tell(
    spec: RunSpec, builds: Sequence[Path], spent: dict[Path, float], progress: Progress
) -> str:
    """Run an agent over the next histories, once for each build; return why that ended early."""
    for out in builds:
        cost = spec.max_cost
        over = f"${cost or 0:g} are spent (`max_cost`)"
        if cost is not None and (cost := cost - sum(spent.values()) + spent[out]) <= 0:
            return over
        try:
            execute(replace(spec, out=out, max_cost=cost), progress)
        except RunStoppedError as stop:
            if not stop.by_cost:
                raise
            return over
        if spent:
            spent[out] = _cost(out)
    return ""


def _cost(out: Path) -> float:
    """Return what a run has cost so far, in dollars."""
    if not RunFolder(out).exists():
        return 0.0
    summary = Run(out).summary
    by_memory = summary.calls.by_memory.cost if summary.calls else None
    return (summary.spent.cost or 0.0) + (by_memory or 0.0)


def _plan(runs: Sequence[RunSpec], spec: RaceSpec, histories: RaceRows) -> RacePlan:
    names = [open_agent(run)[0].name for run in runs]
    if len({*names}) < max(2, len(names)):
        raise UsageError(f"a race takes two agents or more, each once, and not {', '.join(names)}")
    data = histories.rounds(range(1))
    return RacePlan(
        runs={name: name_agent(run.agent) for name, run in zip(names, runs, strict=True)},
        data=data.name,
        fingerprint=data.fingerprint,
        sources=histories.sources,
        order=histories.order,
        seed=spec.seed,
        builds=spec.builds,
        margin=None if spec.margin is None else float(spec.margin),
    )


def _name_race(plan: RacePlan) -> str:
    sources = f"{len(plan.sources)} sources" if plan.sources[1:] else plan.sources[0]
    return name_folder(["race", sources, *plan.runs.values(), f"seed {plan.seed}"])


def _begin(folder: Path, plan: RacePlan, fresh: bool, progress: Progress) -> None:
    """Write the plan, or find it there; a UsageError where the folder holds something else."""
    if stored := read_race(folder):
        if fresh:
            for name in stored.plan.runs.values():
                set_aside(repeat_folders(folder / name, stored.plan.builds), progress)
        elif stored.hash == plan.hash:
            return
        else:
            here, there = (
                {**each.as_dict(), "agents": [*each.runs]} for each in (plan, stored.plan)
            )
            what = next(name for name in reversed(here) if here[name] != there.get(name))
            raise UsageError(
                f"{folder} holds another race: {what} {there.get(what)} there and {here[what]} "
                "here; give another `out`, or `fresh`",
                parameter="out",
            )
    elif other := next(folder.glob("**/run.json"), None):
        raise UsageError(f"{folder} holds another run: {other.parent}", parameter="out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: the race cannot be written: {reason(error)}") from error
    write_race(folder, plan, "not begun")
