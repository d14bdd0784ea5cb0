"""Where the rows of a run are run: here, in processes of this machine, or on a Ray cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from mabench.runs.engine import RowBackend
from mabench.runs.executors.processes import open_process_rows
from mabench.runs.executors.ray_cluster import open_ray_rows
from mabench.specs import RunSpec


def row_backend(spec: RunSpec) -> AbstractContextManager[RowBackend]:
    """Open the place where the rows of a run are run, which is left at the end.

    Raises:
        MissingPackageError: when Ray is not installed.
        UsageError: when the agent cannot be sent to another process.
        MabenchError: once the run begins, when there is no Ray cluster at the address.
    """
    elsewhere = {"ray": open_ray_rows, "processes": open_process_rows}.get(spec.executor)
    return elsewhere(spec) if elsewhere else nullcontext(RowBackend())
