"""Several runs of one description: while one setting of the rows varies, or the same again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from mabench.data.schemes import row_generator
from mabench.errors import UsageError
from mabench.models import Estimate
from mabench.progress import NoProgress, Progress
from mabench.results.run import Run
from mabench.results.summaries import SourceSummary
from mabench.runs.estimate import estimate_run
from mabench.runs.execution import execute
from mabench.runs.folder import repeat_folders, set_aside
from mabench.runs.opening import open_reader, resolve_agent_of_run
from mabench.specs import RunSpec, SweepSpec


class SweepPoint(NamedTuple):
    """One value of the setting that varies, and the run over its row."""

    value: int | float
    run: Run

    @property
    def source(self) -> SourceSummary:
        """The summary of the one source of the run."""
        (summary,) = self.run.summary.sources.values()
        return summary


def sweep(spec: RunSpec, rows: SweepSpec, progress: Progress | None = None) -> Iterator[SweepPoint]:
    """Run an agent over one row for each value of a setting, and yield each run.

    The data of ``spec`` are replaced by the rows of the sweep, and its ``out`` is the folder that
    holds a run folder for each value. A sweep that was stopped is resumed.

    Raises:
        UsageError: when the source or a setting is unknown, or a value out of range.
    """
    runs = _runs(spec, rows)
    if spec.fresh:
        # Nothing is set aside where there is no such agent.
        resolve_agent_of_run(spec, open_reader(spec.agent))
        set_aside((run.out for _, run in runs if run.out), progress or NoProgress())
    for value, run in runs:
        yield SweepPoint(value, execute(replace(run, fresh=False), progress))


def estimate_sweep(spec: RunSpec, rows: SweepSpec) -> list[Estimate]:
    """Return what the run of each value would take, named after it; arguments as for ``sweep``.

    Raises:
        UsageError: as ``sweep``, and as ``estimate_run``.
    """
    return [
        estimate._replace(source=f"{rows.knob}={value}")
        for value, run in _runs(spec, rows)
        for estimate in estimate_run(run)
    ]


def _runs(spec: RunSpec, rows: SweepSpec) -> list[tuple[int | float, RunSpec]]:
    """Return the run over the row of each value, once all values are found to be right."""
    if rows.knob in rows.knobs:
        raise UsageError(f"{rows.knob} is what varies; do not set it, too", parameter="knobs")
    out = spec.out and spec.out.absolute()  # An agent may change the working directory.
    runs: list[tuple[int | float, RunSpec]] = []
    for value in rows.values:
        name = f"{rows.knob}-{value}"
        dataset = row_generator().generate_row(
            rows.source,
            seed=rows.seed,
            settings={**rows.knobs, rows.knob: value},
            difficulty=rows.difficulty,
        )
        dataset = replace(dataset, name=f"{rows.source} {name}")
        data = replace(spec.data, data=dataset)
        runs.append((value, replace(spec, data=data, out=out and out / name)))
    return runs


def run_repeatedly(spec: RunSpec, times: int, progress: Progress | None = None) -> list[Run]:
    """Run ``times`` times, each in a folder of its own under ``spec.out``; what is done stays.

    A single run has ``spec.out`` itself. Without that, the folder is one under ``runs``, for
    several runs as for one: that of unfinished runs with these settings, else a new one.
    """
    first = execute(spec, progress, repeats=times)
    others = (
        replace(spec, out=folder, fresh=False) for folder in repeat_folders(first.folder, times)
    )
    return [first, *(execute(other, progress) for other in others)]
