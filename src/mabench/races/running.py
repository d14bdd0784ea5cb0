"""Running a race: each agent on the next histories, until it is decided or a limit ends it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from mabench.errors import UsageError
from mabench.printable import write_count
from mabench.progress import NoProgress, Progress
from mabench.races.folder import begin_race, run_folders
from mabench.races.plan import plan_race
from mabench.races.state import Race, open_race
from mabench.results import Run, RunFolder
from mabench.runs.execution import RunStoppedError, execute
from mabench.runs.parallel import count_parallel_rows
from mabench.settings import with_given
from mabench.specs import AgentSpec, DataSpec, RaceSpec, RunSpec

_SECONDS_PER_HOUR = 3600


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
        settings: of the race; its ``run`` has those of every run, such as the executor.
        out: the folder of the race; one under ``runs`` when None.
        max_cost: how many US dollars all runs together may cost.
        progress: an object that shows how the runs proceed.

    Returns:
        The race as it ended; ``result`` has the decision.

    Raises:
        MabenchError: when an agent is given twice or unknown, the data have too few histories or
            need a judge, the folder holds another race, or a run was stopped by more than the cost.
    """
    spec = settings or RaceSpec()
    rows = data if isinstance(data, DataSpec) else DataSpec(data=data)
    place = None if out is None else Path(out)
    run = with_given(spec.run, data=rows, out=place, max_cost=max_cost)
    specs = [agent if isinstance(agent, AgentSpec) else AgentSpec(agent=agent) for agent in agents]
    *_, last = run_race(specs, replace(spec, run=run), progress)
    return last


def run_race(
    agents: Sequence[AgentSpec], spec: RaceSpec, progress: Progress | None = None
) -> Iterator[Race]:
    """Run agents on the same histories; yield the race after each batch, until it is decided.

    A batch are the histories that run in parallel. The plan is written before the first history.
    A race that was stopped is resumed. Beaten agents drop out.

    Raises:
        UsageError: when an agent is given twice, the data have too few histories, or the folder
            holds another race.
        RunStoppedError: when a run was stopped by more than the cost; and all that ``run`` raises.
    """
    started_at, progress = time.monotonic(), progress or NoProgress()
    specs = [replace(spec.run, agent=agent, fresh=False) for agent in agents]
    plan, read_rounds = plan_race(specs, spec)
    folder = begin_race(plan, spec.run, progress)
    builds = run_folders(folder, plan)
    begun = (Run(out) for out in chain(*builds.values()) if RunFolder(out).exists())
    spent = {run.folder: run.summary.dollars or 0.0 for run in begun}
    # How many histories of each source the agents may see. Made-up data have no end.
    most = min([spec.max_histories, *map(len, (plan.order or {}).values())])
    seen_before: int | None = None  # How many they had seen a batch ago.
    # Whether the next batch is all histories once more, for the answers that failed.
    retries = spec.run.retry_errors
    limit = ""  # Which limit the race has reached, in words.
    written: set[Path] = set()  # The folders of runs that this process has written.
    while (state := open_race(folder)) is not None:
        plan.write(folder, state.conclusion)
        seen = state.histories
        if seen == seen_before and not limit:
            missing = f"no scores of history {seen + 1}; `mabench report` of a run there says why"
            raise UsageError(f"{folder} has {missing}")
        limit = limit or _find_limit(spec, seen, most, time.monotonic() - started_at)
        if not retries and (state.is_decided or limit):
            yield replace(state, limit="" if state.is_decided else limit)
            return
        yield state
        batch = range(0 if retries else seen, _end_of_batch(state, spec, most))
        data = replace(spec.run.data, data=read_rounds(batch))
        for agent, run in zip(plan.runs, specs, strict=True):
            if agent not in state.left:
                continue
            for out in builds[agent]:
                if limit and not retries:  # All has been spent within this batch.
                    continue
                # What this process has written was written by the code that runs now.
                same_code = run.agent.same_code or out in written
                build = replace(
                    run,
                    agent=replace(run.agent, same_code=same_code),
                    data=data,
                    out=out,
                    retry_errors=retries,
                )
                written.add(out)
                limit = run_build(build, spent, progress) or limit
        # What was retried need not lead to new scores.
        seen_before = None if retries else seen
        retries = False


def _end_of_batch(state: Race, spec: RaceSpec, most: int) -> int:
    """Return how many histories of each source the agents will have seen after the next batch.

    The batch has as many as run in parallel. Histories that any agent has begun remain a part of
    its runs, so that no fewer are given. ``most`` is how many the agents may see.
    """
    ahead = max(1, count_parallel_rows(spec.run) // len(state.plan.sources))
    begun = max(map(len, state.scores.values()))
    return max(min(state.histories + ahead, most), begun)


def run_build(spec: RunSpec, spent: dict[Path, float], progress: Progress) -> str:
    """Run an agent on the next histories; return why that ended early if all cost too much.

    ``spent`` has the US dollars of each run folder, and is brought up to date.
    """
    reason = f"${spec.max_cost or 0:g} are spent (`max_cost`)"
    left = None
    if spec.max_cost is not None:
        by_others = sum(dollars for out, dollars in spent.items() if out != spec.out)
        left = spec.max_cost - by_others
        if left <= 0:
            return reason
    try:
        run = execute(replace(spec, max_cost=left), progress)
    except RunStoppedError as stop:
        if not stop.by_cost:
            raise
        return reason
    spent[run.folder] = run.summary.dollars or 0.0
    return ""


def _find_limit(spec: RaceSpec, seen: int, most: int, seconds: float) -> str:
    """Return which limit the race has reached, empty if none.

    Args:
        spec: the settings of the race.
        seen: how many histories of each source the agents have seen.
        most: how many they may see.
        seconds: how long the race has taken.
    """
    if seen >= most:
        why = "`max_histories`" if spec.max_histories <= seen else "the data have no more"
        return f"the agents have seen {write_count(seen, 'history')} of each source ({why})"
    if spec.max_hours is not None and seconds >= _SECONDS_PER_HOUR * spec.max_hours:
        return f"{spec.max_hours:g} hours have passed (`max_hours`)"
    return ""
