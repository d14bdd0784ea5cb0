"""Running a race: the same histories for every agent, until one is shown to be better."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from mabench.data import Dataset, match_sources
from mabench.data.inventory import BY_NAME
from mabench.errors import DataError, UsageError, reason
from mabench.families import family_of
from mabench.loading import load, row_generator
from mabench.progress import NoProgress, Progress
from mabench.races.standing import Race, open_race
from mabench.results import RaceFile, RacePlan, Run, RunFolder
from mabench.runs.engine import rows_in_parallel
from mabench.runs.execution import RunStoppedError, execute
from mabench.runs.folder import name_folder, refuse_foreign, repeat_folders, set_aside
from mabench.runs.opening import open_agent
from mabench.runs.sweeping import name_agent
from mabench.specs import AgentSpec, DataSpec, RaceSpec, RunSpec
from mabench.uncertainty import MIN_HISTORIES

_MADE_UP = "synthetic:"
# Returns some rounds, each with a row of each source; a run over them extends one over those
# before. Then the sources, and where they are shuffled the order of their rows.
_Histories = tuple[
    Callable[[range], Dataset], tuple[str, ...], Mapping[str, tuple[int, ...]] | None
]


def race(
    agents: Sequence[str | Callable[..., object] | AgentSpec],
    data: object | DataSpec,
    settings: RaceSpec | None = None,
    *,
    out: str | Path | None = None,
    max_cost: float | None = None,
    progress: Progress | None = None,
) -> Race:
    """Run agents on the same histories, one by one, until it is clear which is better.

    The same call resumes a race that was stopped, and extends it with higher limits.

    Args:
        agents: two or more names, classes, functions, or an ``AgentSpec`` with settings.
        data: ``synthetic:SOURCE`` for endless histories, or data with five or more of each source.
        settings: of the race; their ``run`` has those of every run, such as the executor.
        out: the folder of the race; one under ``runs`` when None.
        max_cost: how many US dollars all runs together may cost.
        progress: an object that shows how the runs proceed.

    Returns:
        The race as it ended; ``result`` has the decision.

    Raises:
        MabenchError: when an agent is given twice or unknown, the data have too few histories or
            take a judge, the folder holds another race, or a run was stopped by more than the cost.
    """
    spec = settings or RaceSpec()
    run = replace(
        spec.run,
        data=data if isinstance(data, DataSpec) else DataSpec(data=data),
        out=spec.run.out if out is None else Path(out),
        max_cost=spec.run.max_cost if max_cost is None else max_cost,
    )
    specs = [each if isinstance(each, AgentSpec) else AgentSpec(agent=each) for each in agents]
    *_, last = run_race(specs, replace(spec, run=run), progress)
    return last


def run_race(
    agents: Sequence[AgentSpec], spec: RaceSpec, progress: Progress | None = None
) -> Iterator[Race]:
    """Run agents on the same histories; yield the race after each, until it is decided.

    The plan is written before the first history. A race that was stopped is resumed. Beaten agents
    drop out. A look follows every batch of histories that run in parallel.

    Raises:
        UsageError: when an agent is given twice, the data have too few histories, or the folder
            holds another race.
        RunStoppedError: when a run was stopped by more than the cost; and all that ``run`` raises.
    """
    began, progress = time.monotonic(), progress or NoProgress()
    specs = [replace(spec.run, agent=agent, fresh=False) for agent in agents]
    rounds, sources, order = histories = _open_histories(spec)
    plan = _plan(specs, spec, histories)
    named = f"{len(sources)} sources" if sources[1:] else sources[0]
    name = name_folder(["race", named, *plan.runs.values(), f"seed {plan.seed}"])
    folder = (spec.run.out or Path("runs") / name).absolute()
    _begin(folder, plan, spec.run.fresh, progress)
    runs = dict(zip(plan.runs, specs, strict=True))
    builds = {agent: repeat_folders(folder / plan.runs[agent], plan.builds) for agent in runs}
    spent = {out: _cost(out) for of in builds.values() for out in of if spec.run.max_cost}
    ahead = max(1, rows_in_parallel(spec.run) // len(sources))
    most = min([spec.max_histories, *map(len, (order or {}).values())])
    again, limit, before = spec.run.retry_errors, "", -1
    while (now := open_race(folder)) is not None:
        plan.write(folder, now.conclusion)
        told = now.histories
        if told == before and not limit:
            missing = f"no scores of history {told + 1}; `mabench report` of a run there says why"
            raise UsageError(f"{folder} has {missing}")
        if told >= most:
            why = "`max_histories`" if spec.max_histories <= told else "the data have no more"
            limit = limit or f"the agents have seen {told} histories of each source ({why})"
        elif spec.max_hours is not None and time.monotonic() - began >= 3600 * spec.max_hours:
            limit = limit or f"{spec.max_hours:g} hours have passed (`max_hours`)"
        if not again and (now.is_decided or limit):
            yield replace(now, limit="" if now.is_decided else limit)
            return
        yield now
        # What was begun stays a part of the runs.
        end = max(min(told + ahead, most), *map(len, now.scores.values()))
        rows = replace(spec.run.data, data=rounds(range(0 if again else told, end)))
        for agent in now.left:
            if again or not limit:
                run = replace(runs[agent], data=rows, retry_errors=again)
                limit = _tell(run, builds[agent], spent, progress) or limit
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
    return (Run(out).summary.dollars if RunFolder(out).exists() else None) or 0.0


def _plan(runs: Sequence[RunSpec], spec: RaceSpec, histories: _Histories) -> RacePlan:
    names = [open_agent(run)[0].name for run in runs]
    if len({*names}) < max(2, len(names)):
        raise UsageError(f"a race takes two agents or more, each once, and not {', '.join(names)}")
    rounds, sources, order = histories
    data = rounds(range(1))
    for name in sources:
        if family_of(name, data.sources).needs == "judge":
            raise UsageError(
                f"a judge scores {name}, and a race takes scores as it goes; judge a run of each "
                "agent and compare them"
            )
    return RacePlan(
        runs={name: name_agent(run.agent) for name, run in zip(names, runs, strict=True)},
        data=data.name,
        fingerprint=data.fingerprint,
        sources=sources,
        order=order,
        seed=spec.seed,
        builds=spec.builds,
        margin=None if spec.margin is None else float(spec.margin),
    )


def _begin(folder: Path, plan: RacePlan, fresh: bool, progress: Progress) -> None:
    """Write the plan, or find it there; a UsageError where the folder holds something else."""
    if stored := RaceFile.read(folder):
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
            differ = f"{what} {there.get(what)} there and {here[what]} here"
            if what == "fingerprint":  # Two hashes would tell nobody anything.
                differ = "its histories differ, such as in length or questions"
            raise UsageError(
                f"{folder} holds another race: {differ}; give another `out`, or `fresh`",
                parameter="fresh",
            )
    else:
        refuse_foreign(folder)
        if other := next(folder.glob("**/run.json"), None):
            raise UsageError(f"{folder} holds another run: {other.parent}", parameter="out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: the race cannot be written: {reason(error)}") from error
    plan.write(folder, "not begun")


def _open_histories(spec: RaceSpec) -> _Histories:
    """Open made-up rows of sources, which are endless, or a data set with many histories."""
    name = str(spec.run.data.data)
    source = name.removeprefix(_MADE_UP) if name.startswith(_MADE_UP) else ""
    if not source or source in row_generator().names():
        return _shuffle_histories(spec)
    rounds = partial(
        row_generator().generate_rounds,
        tuple(dict.fromkeys([source, *spec.over])),
        seed=spec.seed,
        tokens=spec.tokens,
        questions=spec.questions,
        difficulty=spec.difficulty,
    )
    return rounds, tuple({row.source: row for row in rounds(range(1)).outline}), None


def _shuffle_histories(spec: RaceSpec) -> _Histories:
    for name in ("tokens", "questions"):
        if getattr(spec, name) is not None:
            raise UsageError(f"`{name}` is for made-up rows, as of {_MADE_UP}SOURCE")
    dataset = load(spec.run.data.data, offline=spec.run.data.offline)
    held, split = defaultdict[str, list[int]](list), dict[str, str]()
    for row in dataset.outline:
        held[row.source].append(row.row)
        split[row.source] = row.split
    sources = match_sources(spec.over, dataset.sources, held) if spec.over else [*held]
    for source in sources:
        if (count := len(held[source])) < MIN_HISTORIES:
            endless = f"have endless made-up ones ({_MADE_UP}{source}) or " * (source in BY_NAME)
            raise UsageError(
                f"{dataset.name} has {count} histor{'y' if count == 1 else 'ies'} of {source}, and "
                f"a race takes {MIN_HISTORIES} at least. It can {endless}take other sources "
                "(`over`); or run each agent, and compare the runs on these histories"
            )
    most = min(len(held[source]) for source in sources)
    order = {
        source: tuple(random.Random(f"{spec.seed}/{source}").sample(held[source], most))  # noqa: S311
        for source in sources
    }

    def rounds(chosen: range) -> Dataset:
        asked, until = (
            {(split[source], order[source][n]) for source in sources for n in numbers}
            for numbers in (chosen, range(chosen.stop))
        )
        outline = (row for row in dataset.outline if (row.split, row.row) in until)
        part = dataset.part(lambda row: (row.split, row.index) in asked)
        return part.stand_for(dataset.fingerprint, outline)

    return rounds, tuple(sources), order
