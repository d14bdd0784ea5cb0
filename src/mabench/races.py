"""Races: agents over the same histories, one after the other, until it is plain who is better.

How a race stands its run folders alone decide: nothing else is remembered. So a race that was
stopped decides as one that was not, after the same history.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from pathlib import Path
from statistics import fmean

import numpy as np

from mabench.comparison.entries import Entry
from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.printable import write_count, write_points
from mabench.progress import NoProgress, Progress
from mabench.results import RaceFile, RacePair, RacePlan, RaceResult, Run, RunFolder
from mabench.rounds import open_rounds
from mabench.runs.engine import rows_in_parallel
from mabench.runs.execution import RunStoppedError, execute
from mabench.runs.folder import name_folder, refuse_foreign, repeat_folders, set_aside
from mabench.runs.opening import open_agent
from mabench.runs.sweeping import name_agent
from mabench.settings import with_given
from mabench.specs import AgentSpec, DataSpec, RaceSpec, RunSpec
from mabench.uncertainty import Floats
from mabench.uncertainty.paired import confidence_sequence

_Scores = Mapping[tuple[str, int], Sequence[float]]  # Of answers, by source and row.


@dataclass(frozen=True, slots=True)
class Race:
    """A race as its folder has it."""

    folder: Path
    plan: RacePlan
    scores: Mapping[str, Floats]  # By agent, of the histories that it has seen, from 0 to 1.
    left: Sequence[str]  # The agents that were not beaten, or that beat each other in a circle.
    pairs: Sequence[RacePair]
    seen: Sequence[Sequence[RacePair]]  # How each pair stood at first, and after each history.
    limit: str = ""  # Which limit ended the race.

    @property
    def histories(self) -> int:
        """How many histories of each source all of those who are left were told."""
        return min(len(self.scores[name]) for name in self.left)

    @property
    def pairs_left(self) -> list[RacePair]:
        """The pairs of those who are left."""
        return [pair for pair in self.pairs if {pair.a, pair.b} <= {*self.left}]

    @property
    def is_decided(self) -> bool:
        """Whether nothing is open between those who are left."""
        return all(pair.decision != "undecided" for pair in self.pairs_left)

    @property
    def runs(self) -> list[Run]:
        """The first build of each agent that was begun."""
        firsts = (builds[0] for builds in _run_folders(self.folder, self.plan).values())
        return [Run(first) for first in firsts if RunFolder(first).exists()]

    @property
    def conclusion(self) -> str:
        """What was shown, in a sentence."""
        *others, last = self.left
        after = f"after {write_count(self.histories, 'history')}."
        if not others:
            return f"{last} is better{' than all others' * (len(self.scores) > 2)} {after}"
        shown = "cannot be told apart"
        if any(pair.beaten for pair in self.pairs_left):
            shown = "beat each other in a circle, so that none is best,"
        elif self.is_decided:
            shown = f"are equal within {write_points(self.plan.margin or 0)}"
        return f"{', '.join(others)} and {last} {shown} {after}"

    @property
    def standing(self) -> str:
        """The difference so far of the closest pair, in words."""
        if not self.pairs_left:
            return self.conclusion
        pair = min(self.pairs_left, key=lambda pair: abs(pair.difference or 0.0))
        apart = f"{pair.a} - {pair.b} {pair.difference:+.1f} ({pair.interval})"
        return f"History {self.histories}: {apart}"

    @property
    def result(self) -> RaceResult:
        """What the command prints as JSON."""
        plan, pairs = self.plan, self.pairs
        alone = pairs[0] if len(pairs) == 1 else None
        names = ("decision", "difference", "low", "high")
        own = {name: alone[name] if alone else None for name in names}
        n = alone.histories if alone else self.histories
        return RaceResult(
            **own, histories=n, seed=plan.seed, plan=plan.hash, left=self.left, pairs=pairs
        )


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
            need a judge, the folder holds another race, or a run was stopped by more than the cost.
    """
    spec = settings or RaceSpec()
    rows = data if isinstance(data, DataSpec) else DataSpec(data=data)
    place = None if out is None else Path(out)
    run = with_given(spec.run, data=rows, out=place, max_cost=max_cost)
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
    plan, part = _plan(specs, spec)
    folder = _begin(plan, spec.run, progress)
    builds = _run_folders(folder, plan)
    begun = (Run(out) for out in chain(*builds.values()) if RunFolder(out).exists())
    spent = {run.folder: run.summary.dollars or 0.0 for run in begun}
    own: set[Path] = set()  # The folders of runs that this process has written.
    told, most = -1, min([spec.max_histories, *map(len, (plan.order or {}).values())])
    again, limit = spec.run.retry_errors, ""
    while (now := open_race(folder)) is not None:
        plan.write(folder, now.conclusion)
        before, told = told, now.histories
        if told == before and not limit:
            missing = f"no scores of history {told + 1}; `mabench report` of a run there says why"
            raise UsageError(f"{folder} has {missing}")
        if told >= most:
            why = "`max_histories`" if spec.max_histories <= told else "the data have no more"
            limit = (
                limit
                or f"the agents have seen {write_count(told, 'history')} of each source ({why})"
            )
        elif spec.max_hours is not None and time.monotonic() - began >= 3600 * spec.max_hours:
            limit = limit or f"{spec.max_hours:g} hours have passed (`max_hours`)"
        if not again and (now.is_decided or limit):
            yield replace(now, limit="" if now.is_decided else limit)
            return
        yield now
        # What was begun stays a part of the runs.
        ahead = max(1, rows_in_parallel(spec.run) // len(plan.sources))
        end = max(min(told + ahead, most), *map(len, now.scores.values()))
        chosen = replace(spec.run.data, data=part(range(0 if again else told, end)))
        for agent, run in zip(plan.runs, specs, strict=True):
            for out in builds[agent]:
                if agent in now.left and (again or not limit):
                    same = replace(run.agent, same_code=run.agent.same_code or out in own)
                    run = replace(run, agent=same, data=chosen, out=out, retry_errors=again)
                    own.add(out)
                    limit = _tell(run, spent, progress) or limit
        again, told = False, -1 if again else told


def _tell(spec: RunSpec, spent: dict[Path, float], progress: Progress) -> str:
    """Run an agent over the next histories; return why that ended early, if all cost too much."""
    over = f"${spec.max_cost or 0:g} are spent (`max_cost`)"
    left = spec.max_cost and spec.max_cost - sum(spent[out] for out in spent if out != spec.out)
    if left is not None and left <= 0:
        return over
    try:
        run = execute(replace(spec, max_cost=left), progress)
    except RunStoppedError as stop:
        if not stop.by_cost:
            raise
        return over
    spent[run.folder] = run.summary.dollars or 0.0
    return ""


def _run_folders(folder: Path, plan: RacePlan) -> dict[str, list[Path]]:
    """Return the run folders of each agent, one for each build."""
    return {agent: repeat_folders(folder / name, plan.builds) for agent, name in plan.runs.items()}


def _plan(runs: Sequence[RunSpec], spec: RaceSpec) -> tuple[RacePlan, Callable[[range], Dataset]]:
    """Return what a race asks, and what returns the data of some rounds."""
    part, order = open_rounds(spec)
    names = [open_agent(run)[0].name for run in runs]
    if len({*names}) < max(2, len(names)):
        raise UsageError(f"a race needs two or more different agents, not {', '.join(names)}")
    first = part(range(1))
    plan = RacePlan(
        runs={name: name_agent(run.agent) for name, run in zip(names, runs, strict=True)},
        data=first.name,
        fingerprint=first.fingerprint,
        sources=tuple(order or (row.source for row in first.outline)),
        order=order or None,
        seed=spec.seed,
        builds=spec.builds,
        margin=None if spec.margin is None else float(spec.margin),
    )
    return plan, part


def _begin(plan: RacePlan, run: RunSpec, progress: Progress) -> Path:
    """Return the folder of a race; a UsageError where it holds something else."""
    named = f"{len(plan.sources)} sources" if plan.sources[1:] else plan.sources[0]
    name = name_folder(["race", named, *plan.runs.values(), f"seed {plan.seed}"])
    folder = (run.out or Path("runs") / name).absolute()
    if not (stored := RaceFile.read(folder)):
        refuse_foreign(folder)
        if other := next(folder.glob("**/run.json"), None):
            raise UsageError(f"{folder} holds another run: {other.parent}", parameter="out")
    elif run.fresh:
        set_aside(chain(*_run_folders(folder, stored.plan).values()), progress)
    elif stored.hash != plan.hash:
        here, there = ({**each.as_dict(), "agents": [*each.runs]} for each in (plan, stored.plan))
        what = next(name for name in reversed(here) if here[name] != there.get(name))
        differ = f"{what} {there.get(what)} there and {here[what]} here"
        if what == "fingerprint":  # Two hashes would tell nobody anything.
            differ = "its histories differ, such as in length or questions"
        raise UsageError(
            f"{folder} holds another race: {differ}; give another `out`, or `fresh`",
            parameter="fresh",
        )
    plan.write(folder, stored.state if stored else "not begun")
    return folder


def open_race(folder: Path) -> Race | None:
    """Return the race in a folder, or None if it holds none; raises ``DataError``."""
    if (file := RaceFile.read(folder)) is None:
        return None
    plan, scores = file.plan, _score_histories(folder, file.plan)
    left, seen = _settle(scores, plan.margin, plan.alpha)
    return Race(folder, plan, scores, left, [own[-1] for own in seen], seen)


def _settle(
    scores: Mapping[str, Floats], margin: float | None, alpha: float
) -> tuple[list[str], list[list[RacePair]]]:
    """Return who is left, and how each pair stood up to the history that decided.

    Each pair has its share of ``alpha`` (Bonferroni): all intervals of all pairs hold together at
    all moments, so that it does not matter who drops out when. ``scores`` are those of histories,
    from 0 to 1, by agent; ``margin`` is in points, and without one nobody is equal.
    """
    couples, left = [*combinations(scores, 2)], [*scores]
    looks = [[*_look(scores, RacePair(a=a, b=b), margin, alpha / len(couples))] for a, b in couples]
    seen = [every[:1] for every in looks]
    for n in range(1, max(map(len, looks))):
        for own, every in zip(seen, looks, strict=True):
            if {own[-1].a, own[-1].b} <= {*left} and own[-1].decision == "undecided":
                own += every[n : n + 1]
        beaten = {own[-1].beaten for own in seen}
        # Nobody drops out of a circle, in which each of those who are left is beaten by another.
        left = [name for name in left if name not in beaten] or left
    return left, seen


def _look(
    scores: Mapping[str, Floats], pair: RacePair, margin: float | None, alpha: float
) -> Iterator[RacePair]:
    """Yield how a pair stood at first, and after each history."""
    yield pair
    both = min(len(scores[pair.a]), len(scores[pair.b]))
    apart = scores[pair.a][:both] - scores[pair.b][:both]
    for n, interval in enumerate(confidence_sequence(apart, alpha), 1):
        low, high = interval.percent
        equal = margin is not None and -margin <= low and high <= margin
        yield replace(
            pair,
            decision="a" if low >= 0 else "b" if high <= 0 else "equal" if equal else "undecided",
            difference=100 * float(apart[:n].mean()),
            low=low,
            high=high,
            histories=n,
        )


def _score_histories(folder: Path, plan: RacePlan) -> dict[str, Floats]:
    """Return by agent the mean score of each round, over builds and sources, in order.

    Agents are told of a row one after the other, so that it is whole where all builds of an agent
    have as many answers as any build has.
    """
    told = {agent: [*map(_scores_by_row, of)] for agent, of in _run_folders(folder, plan).items()}
    every = [*chain(*told.values())]
    asked = {row: max(len(each.get(row, ())) for each in every) for row in chain(*every)}
    seen = {name: sorted(row for source, row in asked if source == name) for name in plan.sources}
    order = plan.order or seen
    rounds = [*zip(*([(name, row) for row in order[name]] for name in plan.sources), strict=False)]

    def means(builds: Sequence[_Scores]) -> Iterator[float]:
        for rows in rounds:
            if any(len(own.get(row, ())) != asked.get(row) for own in builds for row in rows):
                return
            yield fmean(fmean(own[row]) for own in builds for row in rows)

    return {agent: np.array([*means(builds)]) for agent, builds in told.items()}


def _scores_by_row(build: Path) -> _Scores:
    scores = defaultdict[tuple[str, int], list[float]](list)
    if RunFolder(build).exists():
        for source, answers in Entry.open(build, "official", unfinished=True).builds[0].items():
            for (_, row, _), answer in answers.items():
                scores[source, row].append(answer.score)
    return scores
