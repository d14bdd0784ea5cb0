"""Rows on a Ray cluster, which is joined, or started on this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

from mabench.errors import MabenchError, require
from mabench.runs.context import RunContext
from mabench.runs.engine import Executor, RowBackend
from mabench.runs.executors.remote_rows import RemoteRows, WorkerLostError
from mabench.runs.worker import RowResult, RowTask
from mabench.specs import RunSpec


@contextmanager
def open_ray_rows(spec: RunSpec) -> Iterator[RowBackend]:
    """Yield a backend that runs rows on a Ray cluster, and leave the cluster at the end.

    A cluster is joined, or started on this machine, once a run begins.
    """
    ray: Any = require("ray", "ray")
    connected = False

    def use(context: RunContext) -> Executor:
        nonlocal connected
        address = spec.limits.ray_address
        options: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
        if not address:  # One is started here, which nobody else can reach.
            options |= {"_node_ip_address": "127.0.0.1", "include_dashboard": False}
        try:
            ray.init(address=address, **options)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise MabenchError(
                f"no Ray cluster at {address or 'this machine'}: {error}", parameter="ray_address"
            ) from error
        connected = True
        inputs = ray.put(context.inputs)
        run_remotely = ray.remote(
            num_cpus=1,
            num_returns="streaming",
            max_retries=0,  # ``RemoteRows`` runs a row again, without what was answered.
            # The worker waits until its last result was taken, so that if it dies, no answer that
            # was paid for is lost with it.
            _generator_backpressure_num_objects=1,
        )(RowTask.run)

        async def run(task: RowTask) -> AsyncIterator[RowResult]:
            records = run_remotely.remote(task, inputs)
            try:
                async for reference in records:
                    yield await reference
                    if context.stop.reason:
                        return
            except ray.exceptions.RayError as error:  # A task itself raises nothing.
                raise WorkerLostError from error
            finally:
                ray.cancel(records)

        return RemoteRows(context, run).run_row

    try:
        yield RowBackend(use)
    finally:
        if connected:
            ray.shutdown()
