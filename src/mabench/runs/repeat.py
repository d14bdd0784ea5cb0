"""The same run several times over, for the spread of an agent that does not repeat itself."""

from __future__ import annotations

from dataclasses import replace

from mabench.errors import UsageError
from mabench.progress import Progress
from mabench.runs.execution import execute
from mabench.runs.results.run import Run
from mabench.runs.spec import RunSpec


def run_repeatedly(spec: RunSpec, times: int, progress: Progress | None = None) -> list[Run]:
    """Run ``times`` times, each in a folder of its own under ``spec.out``; what is done stays.

    A single run has ``spec.out`` itself, which may be None.

    Raises:
        UsageError: when there are several runs and no folder for them.
    """
    if times == 1:
        return [execute(spec, progress)]
    if spec.out is None:
        raise UsageError(
            "a repeated run needs `out`, the folder that holds a folder for each run",
            parameter="repeat",
        )
    folders = [spec.out / f"repeat-{number}" for number in range(1, times + 1)]
    return [execute(replace(spec, out=folder), progress) for folder in folders]
