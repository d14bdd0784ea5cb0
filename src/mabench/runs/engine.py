"""The engine: runs an agent over every row, some rows at a time, and stores the results."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

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
from mabench.results import RunRecord
from mabench.runs.calls import RowCalls
from mabench.runs.context import RunContext
from mabench.runs.parallel import count_parallel_rows
from mabench.runs.row import RowRun
from mabench.runs.selection import select_rows
from mabench.runs.storing.store import CountingStore

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
    context: RunContext,
    store: CountingStore,
    record: RunRecord,
    dataset: Dataset,
    row_backend: RowBackend,
) -> Coroutine[Any, Any, None]:
    """Return the work of asking every question that the run folder holds no sample of.

    Raises:
        ModelUnavailableError: when the model's server is not there, or refuses key or model.
        MabenchError: when rows, tokenizer data or the run folder fail; an agent's own failures
            are recorded instead.
    """
    return _Engine(context, store, record, dataset, row_backend).run()


class _Engine:
    """The work of a run: its rows, some at a time, beside a look at the model's server."""

    def __init__(
        self,
        context: RunContext,
        store: CountingStore,
        record: RunRecord,
        dataset: Dataset,
        row_backend: RowBackend,
    ) -> None:
        self._context, self._store, self._dataset = context, store, dataset
        self._sources = record.questions
        self._total, self._done = sum(record.questions.values()), len(store.done)
        self._run_row = row_backend.executor_for(context)
        at_once = count_parallel_rows(context.spec) + row_backend.rows_ahead
        self._rows_at_once = min(at_once, len(dataset.outline))
        # Rows with open questions; each is read when it is needed.
        self._pending = select_rows(context.spec.data, dataset, store.done)

    async def run(self) -> None:
        """Ask all open questions, until the run stops."""
        context = self._context
        self._show_what_is_done()
        with self._store.cost.applied_to(context.model):
            try:
                async with (
                    context.stop.supervise(
                        context.progress, "questions", context.model, context.meter
                    ),
                    asyncio.TaskGroup() as tasks,
                ):
                    checking = tasks.create_task(self._check_server())
                    await asyncio.wait([checking], timeout=self._head_start)
                    if context.spec.retry_errors:
                        self._store.remove_errors()
                    rows = [
                        tasks.create_task(self._run_rows_in_turn(checking))
                        for _ in range(self._rows_at_once)
                    ]
                    await asyncio.wait(rows)
                    checking.cancel()
            except ExceptionGroup as failures:
                raise first_of(failures) from None
            finally:
                if context.model:
                    await context.model.close()

    @property
    def _head_start(self) -> float | None:
        """Seconds that rows wait for the look at the server; None if they wait until it ends."""
        spec = self._context.spec
        may_begin_early = spec.executor == "local" and not spec.retry_errors
        return _HEAD_START if may_begin_early else None

    def _show_what_is_done(self) -> None:
        progress, done, total = self._context.progress, self._done, self._total
        progress.start("questions", total, done)
        if done:
            asked = f"{done} of {write_count(total, 'question')}"
            note = f"{asked} answered already, {total - done} to ask."
            progress.note("questions", f"{self._store.path}: {note}")

    async def _run_rows_in_turn(self, checking: asyncio.Task[None]) -> None:
        """Run one row after the other, until none is left or the run stops."""
        stop = self._context.stop
        while not stop.reason and (pending := next(self._pending, None)):
            row, questions = pending
            try:
                await self._run_row(row, questions)
            except* ModelUnavailableError as failures:
                failure = first_of(failures)
                await asyncio.wait([checking])  # If it fails too, its error says more.
                stop.not_kept = stop.not_kept or isinstance(failure, ReplyNotKeptError)
                stop.ask(str(failure))

    async def _check_server(self) -> None:
        """Call the model once, if there is anything to ask; raises ``ModelUnavailableError``.

        Offline, the model makes this call with its first request instead.
        """
        context, model, chosen = self._context, self._context.model, self._context.spec.data
        if model is None or self._done >= self._total:
            return
        if chosen.offline:
            model.preflight_due = True
            return
        # The call that this takes is stored with the place of the first row.
        first = next(
            row
            for row in self._dataset.outline
            if row.source in self._sources and (chosen.rows is None or row.row in chosen.rows)
        )
        calls = RowCalls(context, first.split, first.row, first.source)
        current_log.set(calls.log(CallPhase("preflight")))
        with suppress(ModelStoppedError):
            await model.preflight(stays_open=True)
