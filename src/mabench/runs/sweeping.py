"""Sweeps: agents over made-up rows that differ in one setting, a run for each value and agent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mabench.data.inventory import without_length
from mabench.errors import UsageError
from mabench.loading import row_generator
from mabench.models import CostEstimate
from mabench.progress import NoProgress, Progress
from mabench.redact import redact_setting
from mabench.results import Run, RunFolder, SourceSummary
from mabench.runs.estimates import estimate_run
from mabench.runs.execution import execute
from mabench.runs.folders.foreign import refuse_foreign
from mabench.runs.folders.names import name_folder
from mabench.runs.folders.setting_aside import set_aside
from mabench.runs.opening import open_agent
from mabench.settings import as_whole
from mabench.specs import AgentSpec, RunSpec, SweepSpec

# The folder of a value, such as ``tokens-8000``: the knob, and the value.
_VALUE_FOLDER = re.compile(r"([a-z_]+)-(\d+(?:\.\d+)?(?:e-\d+)?)")


class SweepPoint(NamedTuple):
    """One value of the setting that varies, the knob, and the run of one agent over its row."""

    knob: str
    value: int | float
    run: Run

    @property
    def agent(self) -> str:
        """The agent's name, with its settings."""
        return self.run.record.agent

    @property
    def source_name(self) -> str:
        """The name of the source, without the length that its rows on the hub have."""
        (name,) = self.run.record.questions
        return without_length(name)

    @property
    def source(self) -> SourceSummary:
        """The summary of the one source of the run."""
        (summary,) = self.run.summary.sources.values()
        return summary

    @classmethod
    def read_all(cls, folder: Path) -> list[SweepPoint]:
        """Return what a sweep left in its folder, by agent and value; nothing of another folder.

        Raises:
            DataError: when a run cannot be read; UsageError: when more than one setting varies.
        """
        if not folder.is_dir():
            return []
        points = []
        for value_folder in folder.iterdir():
            match = _VALUE_FOLDER.fullmatch(value_folder.name)
            if match is None or RunFolder(value_folder).exists():
                continue
            knob, value = match[1], as_whole(float(match[2]))
            records = sorted(value_folder.glob("*/run.json"))
            points += [cls(knob=knob, value=value, run=Run(file.parent)) for file in records]
        knobs = sorted({point.knob for point in points})
        if len(knobs) > 1:
            raise UsageError(
                f"{folder} holds sweeps of {' and '.join(knobs)}; give each its own `out`"
            )
        return sorted(points, key=lambda point: (point.agent, point.value))


def sweep(
    specs: Sequence[RunSpec], rows: SweepSpec, progress: Progress | None = None
) -> Iterator[SweepPoint]:
    """Run agents over one row for each value of a setting, and yield each run, by agent.

    The data of each of ``specs`` are replaced by the rows of the sweep; its ``out`` is the folder
    that holds, for each value, a folder with a run folder for each agent. A sweep that was stopped
    is resumed.

    Raises:
        UsageError: when the source or a setting is unknown, a value out of range, an agent is
            given twice, or the folder holds something else.
    """
    runs = _runs(specs, rows)
    for spec in specs:
        if spec.out:
            refuse_foreign(spec.out)
        if spec.fresh or len(specs) > 1:
            open_agent(spec)  # Nothing is run or set aside if one is missing.
    if specs[0].fresh:
        set_aside((run.out for _, run in runs if run.out), progress or NoProgress())
    for value, run in runs:
        yield SweepPoint(rows.knob, value, execute(replace(run, fresh=False), progress))


def estimate_sweep(specs: Sequence[RunSpec], rows: SweepSpec) -> list[CostEstimate]:
    """Return what each run would take, named after its value, and its agent if there are more."""
    estimates = []
    for value, run in _runs(specs, rows):
        name = f"{rows.knob}={value}"
        if len(specs) > 1:
            name = f"{name_agent(run.agent)}, {name}"
        estimates += [estimate._replace(source=name) for estimate in estimate_run(run)]
    return estimates


def _runs(specs: Sequence[RunSpec], rows: SweepSpec) -> list[tuple[int | float, RunSpec]]:
    """Return each agent's run over the row of each value, with the value, by agent.

    Raises:
        UsageError: when the source or a setting is unknown, a value out of range, or an agent is
            given twice.
    """
    if rows.knob in rows.knobs:
        raise UsageError(f"{rows.knob} is what the sweep varies; do not set it", parameter="knobs")
    names = [name_agent(spec.agent) for spec in specs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"the agent {name} is given twice")
    datasets = []  # All are made first, so that a wrong value is found before anything runs.
    for value in rows.values:
        settings = {**rows.knobs, rows.knob: value}
        dataset = row_generator().generate_row(
            rows.source, seed=rows.seed, settings=settings, difficulty=rows.difficulty
        )
        name = f"{rows.knob}-{value}"
        datasets.append((value, name, replace(dataset, name=f"{rows.source} {name}")))
    runs: list[tuple[int | float, RunSpec]] = []
    for agent, spec in zip(names, specs, strict=True):
        for value, name, dataset in datasets:
            out = None
            if spec.out is not None:  # Absolute: an agent may change the working directory.
                out = spec.out.absolute() / name / agent
            data = replace(spec.data, data=dataset)
            runs.append((value, replace(spec, data=data, out=out)))
    return runs


def name_agent(agent: AgentSpec) -> str:
    """Return the name of an agent's folder: the agent and its settings."""
    name = agent.agent if isinstance(agent.agent, str) else agent.agent.__name__
    settings = (redact_setting(key, str(value)) for key, value in agent.settings.items())
    return name_folder([name, *settings])
