"""Rows on many machines: each row is a Ray task."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

from mabench.errors import MabenchError, require
from mabench.runs.context import RunContext
from mabench.runs.elsewhere import RemoteRows, RowResult, RowTask, WorkerLostError, run_task
from mabench.runs.engine import Executor, Workplace
from mabench.specs import RunSpec


@contextmanager
def ray_rows(spec: RunSpec) -> Iterator[Workplace]:
    """Join a Ray cluster, or start one on this machine, once a run begins; leave it at the end.

    Raises:
        MissingPackageError: when Ray is not installed.
        MabenchError: when there is no cluster at the address.
    """
    ray: Any = require("ray", "ray")
    connected = False

    def use(context: RunContext) -> Executor:
        nonlocal connected
        _connect(ray, spec.limits.ray_address)
        connected = True
        inputs = ray.put(context.inputs)
        task = ray.remote(
            num_cpus=1,
            num_returns="streaming",
            max_retries=0,
            # An answer that was not taken yet would be lost with its worker.
            _generator_backpressure_num_objects=1,
        )(run_task)

        async def run(row: RowTask) -> AsyncIterator[RowResult]:
            records = task.remote(row, inputs)
            try:
                async for reference in records:
                    yield await reference
                    if context.stop.reason:
                        return
            except ray.exceptions.RayError as error:
                raise WorkerLostError from error
            finally:
                ray.cancel(records)

        return RemoteRows(context, run).run_row

    try:
        yield Workplace(use)
    finally:
        if connected:
            ray.shutdown()


def _connect(ray: Any, address: str | None) -> None:
    try:
        ray.init(
            address=address,
            log_to_driver=False,
            configure_logging=False,
            **({} if address else {"_node_ip_address": "127.0.0.1", "include_dashboard": False}),
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise MabenchError(
            f"no Ray cluster at {address or 'this machine'}: {error}", parameter="ray_address"
        ) from error
