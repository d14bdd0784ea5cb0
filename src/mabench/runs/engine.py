"""The engine: runs an agent over every row, some rows at a time, and stores the results."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from mabench.cores import count_cores
from mabench.data import Dataset, Question, Row, RowMaker
from mabench.errors import first_of
from mabench.models import (
    CallPhase,
    ModelStoppedError,
    ModelUnavailableError,
    ReplyNotKeptError,
    current_log,
)
from mabench.printable import write_count
from mabench.results import RunFolder
from mabench.runs.calls import RowCalls
from mabench.runs.context import RunContext
from mabench.runs.row import RowRun
from mabench.runs.selection import select_rows
from mabench.runs.storing.store import CountingStore
from mabench.specs import RunSpec

# Seconds for which no row is begun: a server that refuses a call does so within them. A good reply
# takes longer to be generated, and the first texts are told meanwhile.
_HEAD_START = 0.05
# Runs an agent over a row, here or elsewhere, and stores what comes of its questions.
Executor = Callable[[Row, Sequence[Question]], Awaitable[None]]


def _run_here(context: RunContext) -> Executor:
    return lambda row, questions: RowRun(context, row).run(questions)


class RowBackend(NamedTuple):
    """Where rows are run: in this process, unless something else is said."""

    # Returns what runs rows there, once the run is known.
    executor_for: Callable[[RunContext], Executor] = _run_here
    # Makes rows there before the run is known, several at a time, and yields them in order.
    make_rows: Callable[[Sequence[RowMaker]], Iterator[Row]] | None = None
    # How many rows it takes beyond those that it can run at a time.
    rows_ahead: int = 0


def run_rows(
    context: RunContext, folder: RunFolder, dataset: Dataset, row_backend: RowBackend
) -> Coroutine[Any, Any, None]:
    """Return the work of asking every question that the run folder holds no sample of.

    Raises:
        ModelUnavailableError: when the model's server is not there, or refuses key or model.
        MabenchError: when rows, tokenizer data or the run folder fail; an agent's own failures
            are recorded instead.
    """
    stop, model, record, spec = context.stop, context.model, folder.record(), context.spec
    store = CountingStore(context, folder)
    context = replace(context, store=store)
    run_row = row_backend.executor_for(context)
    done, total = len(store.done), sum(record.questions.values())
    # Read as they are needed.
    pending = (work for work in select_rows(spec.data, dataset, store.done) if work[1])

    async def run_in_turn(checking: asyncio.Task[None]) -> None:
        while not stop.reason and (work := next(pending, None)):
            try:
                await run_row(*work)
            except* ModelUnavailableError as failures:
                failure = first_of(failures)
                await asyncio.wait([checking])  # Whose error says more.
                stop.not_kept = stop.not_kept or isinstance(failure, ReplyNotKeptError)
                stop.ask(str(failure))

    async def check_server() -> None:
        if model is None or done >= total:
            return
        if spec.data.offline:
            model.preflight_due = True
            return
        outline = (row for row in dataset.outline if row.source in record.questions)
        row = next(row for row in outline if spec.data.rows is None or row.row in spec.data.rows)
        # The call that this takes is stored with the place of the first row.
        calls = RowCalls(context, row.split, row.row, row.source)
        current_log.set(calls.log(CallPhase("preflight")))
        with suppress(ModelStoppedError):
            await model.preflight(stays=True)

    async def run_all() -> None:
        context.progress.start("questions", total, done)
        if done:
            asked = f"{done} of {write_count(total, 'question')}"
            note = f"{asked} answered already, {total - done} to ask."
            context.progress.note("questions", f"{folder.path}: {note}")
        with store.cost.applied_to(model):
            try:
                async with (
                    stop.supervise(context.progress, "questions", model, context.meter),
                    asyncio.TaskGroup() as tasks,
                ):
                    checking = tasks.create_task(check_server())
                    beside = spec.executor == "local" and not spec.retry_errors
                    await asyncio.wait([checking], timeout=_HEAD_START if beside else None)
                    if spec.retry_errors:
                        every = folder.samples(every=True)
                        folder.replace_samples(one for one in every if one.error is None)
                    at_once = count_parallel_rows(spec) + row_backend.rows_ahead
                    number = min(at_once, len(dataset.outline))
                    rows = [tasks.create_task(run_in_turn(checking)) for _ in range(number)]
                    await asyncio.wait(rows)
                    checking.cancel()
            except ExceptionGroup as failures:
                raise first_of(failures) from None
            finally:
                if model:
                    await model.close()

    return run_all()


def count_parallel_rows(spec: RunSpec) -> int:
    """Return how many rows are run at a time."""
    if spec.limits.rows is not None:
        return spec.limits.rows
    return count_cores() if spec.executor == "processes" else 1
