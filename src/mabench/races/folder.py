"""The folder of a race: its plan, and a run folder for each build of each agent."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from mabench.errors import UsageError
from mabench.progress import Progress
from mabench.results import RaceFile, RacePlan
from mabench.runs.folders.foreign import refuse_foreign
from mabench.runs.folders.names import name_folder, name_repeats
from mabench.runs.folders.setting_aside import set_aside
from mabench.specs import RunSpec


def run_folders(folder: Path, plan: RacePlan) -> dict[str, list[Path]]:
    """Return the run folders of each agent, one for each build."""
    return {agent: name_repeats(folder / name, plan.builds) for agent, name in plan.runs.items()}


def begin_race(plan: RacePlan, run: RunSpec, progress: Progress) -> Path:
    """Write the plan of a race into its folder, and return the folder.

    Raises:
        UsageError: when the folder holds a run, another race or files that are not ours.
    """
    folder = (run.out or Path("runs") / _name_race(plan)).absolute()
    stored = RaceFile.read(folder)
    if not stored:
        refuse_foreign(folder)
        if other := next(folder.glob("**/run.json"), None):
            raise UsageError(f"{folder} holds another run: {other.parent}", parameter="out")
    elif run.fresh:
        set_aside(chain(*run_folders(folder, stored.plan).values()), progress)
    elif stored.hash != plan.hash:
        raise UsageError(
            f"{folder} holds another race: {_describe_difference(plan, stored.plan)}; give another "
            "`out`, or `fresh`",
            parameter="fresh",
        )
    plan.write(folder, stored.state if stored else "not begun")
    return folder


def _name_race(plan: RacePlan) -> str:
    """Return the name of a race's folder, from its sources, agents and seed."""
    sources = plan.sources[0] if len(plan.sources) == 1 else f"{len(plan.sources)} sources"
    return name_folder(["race", sources, *plan.runs.values(), f"seed {plan.seed}"])


def _describe_difference(plan: RacePlan, stored: RacePlan) -> str:
    """Return in words what the plan that is stored has otherwise: the agents, if they differ.

    Else it is the last field that differs, of two plans that do.
    """
    here = {**plan.as_dict(), "agents": [*plan.runs]}
    there = {**stored.as_dict(), "agents": [*stored.runs]}
    different = [name for name in here if here[name] != there.get(name)]
    field = different[-1]
    if field == "fingerprint":  # Two hashes would tell nobody anything.
        return "its histories differ, such as in length or questions"
    return f"{field} {there.get(field)} there and {here[field]} here"
