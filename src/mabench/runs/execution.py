"""Carrying out a run: from its description to a folder that holds its results."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent import futures
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import copy_context
from pathlib import Path
from typing import Any

from mabench.data import Dataset
from mabench.errors import MabenchError, require
from mabench.families import family_of
from mabench.loading import catalogue_for, load
from mabench.models import CallPhase, ReadingModel, current_log
from mabench.printable import printable
from mabench.progress import NoProgress, Progress
from mabench.redact import redact
from mabench.remote.keeper import adopt_orphans, started_by
from mabench.results import Run, RunFolder, RunRecord
from mabench.runs.context import RowCalls, RunContext, RunInputs
from mabench.runs.elsewhere import RemoteRows, RowResult, RowTask, WorkerLostError, run_task
from mabench.runs.engine import Executor, Workplace, run_rows
from mabench.runs.folder import record_for, run_folder
from mabench.runs.opening import load_run_prompts, open_agent
from mabench.specs import RunSpec
from mabench.tasks.loops import run_to_end
from mabench.tasks.stopping import SAME_RUN, RunInterrupt

# Python's own helpers and the guards of processes that run rows, which end with this process.
_HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver", "keeper.py guard")
_LONGEST_COMMAND = 200  # Characters.
_MOST_NAMED = 10


class RunStoppedError(MabenchError):
    """A run was stopped before its end, by errors, its cost or an outage, and can be resumed.

    ``by_cost`` says whether it takes a higher limit, ``not_kept`` whether it lacks a reply that
    would have to be kept.
    """

    def __init__(
        self, reason: str, run: Run, by_cost: bool = False, not_kept: bool = False
    ) -> None:
        how = " and a higher `max_cost`" if by_cost else ""
        if not_kept:
            how = ", once the reply is kept there, or with `cache` in place of `replay`,"
        super().__init__(
            f"the run stopped: {reason}; the same run with `out` {run.folder}{how} resumes it, "
            "with `retry_errors` it repeats failed questions"
        )
        self.reason, self.run, self.folder = reason, run, run.folder
        self.by_cost, self.not_kept = by_cost, not_kept


def execute(spec: RunSpec, progress: Progress | None = None, *, repeats: int = 1) -> Run:
    """Run an agent over a data set and keep everything in a run folder, as ``run`` does.

    ``repeats`` says how often it is run in all; of several, this is the first.

    Raises:
        UsageError: when the spec is wrong, or its folder holds another run or is being written.
        DataError: when data cannot be read or the run folder cannot be written.
        MissingPackageError: when an agent or a model takes a package that is not installed.
        ModelUnavailableError: when the model's server is not there, or refuses key or model;
            nothing was told to the agent then, and no new folder stays.
        RunStoppedError: when errors, the cost or an outage stopped the run.
        RunInterrupt: when a signal did; what was answered is kept.
    """
    progress = progress or NoProgress()
    agent, model = open_agent(spec)
    with _workplace(spec) as workplace:
        dataset = load(spec.data.data, offline=spec.data.offline)
        if workplace.make_rows and dataset.makers:
            dataset.survey(workplace.make_rows(dataset.makers))
        prompts = load_run_prompts(spec, dataset.sources)
        record = record_for(spec, agent.name, dataset, prompts)
        families = [family_of(name, dataset.sources) for name in record.questions]
        catalogue = catalogue_for(families, dataset, spec.data.entities)
        with run_folder(spec, record, progress, repeats) as folder:
            context = RunContext(
                spec=spec,
                agent=agent,
                model=model,
                inputs=RunInputs(prompts, catalogue, dataset.sources, record.builder()),
                store=folder,
                progress=progress,
            )
            run = _run_in(folder, context, record, dataset, workplace)
    stop = context.stop
    if stop.by_signal:
        raise RunInterrupt(run.folder, stop.signal)
    if stop.reason:
        raise RunStoppedError(stop.reason, run, stop.by_cost, stop.not_kept)
    return run


def _run_in(
    folder: RunFolder,
    context: RunContext,
    record: RunRecord,
    dataset: Dataset,
    workplace: Workplace,
) -> Run:
    spec, stop, progress = context.spec, context.stop, context.progress
    stored = folder.record()
    expected = sum(stored.questions.values())
    asks = spec.retry_errors or sum(1 for _ in folder.samples()) < expected
    repaired = folder.repair()
    if asks and context.model:
        _check_server(context, context.model, record, dataset)
    # Rows in other processes have meters of their own.
    metering = context.metering() if spec.executor == "local" else nullcontext(context)
    with metering as metered:
        for why in record.code.unknown if record.code else ():
            progress.say(f"{context.agent.name}: a change in its code would go unnoticed: {why}.")
        for line in repaired:
            progress.say(f"{folder.path}: {line}")
        if spec.retry_errors:
            every = folder.samples(every=True)
            folder.replace_samples(sample for sample in every if sample.error is None)
        run = _run_to_end(metered, folder, run_rows(metered, folder, dataset, workplace))
    asked = run.summary.spent.n
    if not stop.reason and asked < expected:
        stop.ask(f"{expected - asked} of {expected} questions were not asked")
    if asks:
        folder.end(complete=asked >= expected)
    return run


def _check_server(
    run: RunContext, model: ReadingModel, record: RunRecord, dataset: Dataset
) -> None:
    # The call that this takes is stored with the place of the first row.
    spec = run.spec
    if spec.max_cost is not None:
        model.limit_spending(spec.max_cost)
    if spec.data.offline or model.keeps_all(record.identity()):
        model.preflight_later()
        return
    rows = (row for row in dataset.outline if row.source in record.questions)
    row = next(row for row in rows if spec.data.rows is None or row.row in spec.data.rows)
    log = RowCalls(run, row.split, row.row, row.source).log(CallPhase("preflight"))
    context = copy_context()
    context.run(current_log.set, log)
    context.run(run_to_end, model.preflight())


def _workplace(spec: RunSpec) -> AbstractContextManager[Workplace]:
    if spec.executor == "ray":
        return _ray_rows(spec)
    if spec.executor == "processes":
        from mabench.runs.processes import process_rows

        return process_rows(spec)
    return nullcontext(Workplace())


@contextmanager
def _ray_rows(spec: RunSpec) -> Iterator[Workplace]:
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


def _run_to_end(context: RunContext, folder: RunFolder, work: Coroutine[Any, Any, None]) -> Run:
    stop, command = context.stop, context.spec.command
    remedy = f"To resume: {command}" if command else SAME_RUN.format(folder.path)
    try:
        with _name_leftovers(context.progress):
            stop.run(work, context.progress, remedy)
    except (asyncio.CancelledError, futures.CancelledError):
        stop.ask("its work was cancelled")
    finally:
        if context.meter is not None:
            context.meter.close()  # A call that comes now would not be in the summary.
        run = Run.summarize(folder)
    return run


@contextmanager
def _name_leftovers(progress: Progress) -> Iterator[None]:
    """Name processes that were started within this block and still run at its end, on Linux."""
    before = set(started_by(os.getpid()))
    adopt_orphans()  # So that they are found, too.
    try:
        yield
    finally:
        processes = set(started_by(os.getpid())) - before
        adopt_orphans(False)
        left = []
        for process in sorted(processes):
            with suppress(OSError):  # It has ended.
                words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
                command = b" ".join(words).decode("utf-8", "replace").strip()
                if not any(helper in command for helper in _HELPERS):
                    line = printable(" ".join(redact(command).split()))
                    left.append(f"{process} ({line[:_LONGEST_COMMAND]})")
        if left:
            more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
            progress.say(
                "The agent left processes behind, which are still running: "
                f"{', '.join(left[:_MOST_NAMED])}{more}. End them in its `close`."
            )


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
