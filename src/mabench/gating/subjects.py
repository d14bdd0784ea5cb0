"""What a gate compares: runs that exist, or agents that are run for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

from mabench.errors import UsageError
from mabench.progress import Progress
from mabench.results import Run, find_folder
from mabench.runs.execution import run_repeatedly
from mabench.runs.sweeping import name_agent
from mabench.specs import AgentSpec, RunSpec

# What can be gated: a run, its folder, or what makes an agent.
Subject = Run | Path | str | AgentSpec | Callable[..., object]


def find_run_folder(subject: Subject) -> Path | None:
    """Return the folder of a run that exists; None for an agent.

    A text is a run if it is the path of a folder with one, or the number of a run in ``runs``.

    Raises:
        UsageError: when no run has the number.
    """
    if isinstance(subject, Run):
        return subject.folder
    if isinstance(subject, Path):
        return subject
    if not isinstance(subject, str):
        return None
    path = Path(subject)
    holds_runs = any(next(path.glob(pattern), None) for pattern in ("run.json", "*/run.json"))
    return find_folder(subject) if holds_runs or subject.isdecimal() else None


def run_agent(subject: Subject, role: str, spec: RunSpec, repeat: int, progress: Progress) -> Path:
    """Run an agent in a folder of its own within ``spec.out``; return the folder.

    A run of the same code is used again. Answers of other code are set aside, since they are those
    of an agent that is gone.

    Args:
        subject: what makes the agent.
        role: a word for the name of the folder.
        spec: the settings of the run; its agent's name is replaced.
        repeat: how many builds are run.
        progress: shows how the runs proceed.

    Raises:
        UsageError: as ``run``; and all else that it raises.
    """
    if isinstance(subject, Run | Path):
        raise UsageError(f"{subject} is a run, which is not run again", parameter="agent")
    agent = subject if isinstance(subject, AgentSpec) else replace(spec.agent, agent=subject)
    parent = spec.out or Path("runs") / "gate"
    for number in count(1):
        builds = f"-{repeat}-builds" if repeat > 1 else ""
        place = parent / f"{role}-{name_agent(agent)}{builds}{f'-{number}' if number > 1 else ''}"
        own = replace(spec, agent=agent, out=place)
        try:
            _run_in(own, repeat, progress)
        except UsageError as error:
            if error.parameter != "out" or number > 1000:
                raise
            continue  # The folder holds a run with other settings.
        return place
    raise AssertionError("count never ends")


def _run_in(spec: RunSpec, repeat: int, progress: Progress) -> None:
    try:
        run_repeatedly(spec, repeat, progress)
    except UsageError as error:
        if error.parameter != "fresh":
            raise
        progress.say(f"{spec.out}: the code has changed, so everything is asked again.")
        run_repeatedly(replace(spec, fresh=True), repeat, progress)
