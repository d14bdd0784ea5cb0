"""Rows that are run elsewhere: in processes of this machine, or on a Ray cluster.

The process that owns the run folder alone writes there. Results come back record by record, so
a worker that is lost takes with it only what it had not sent yet; its row is run again with the
questions that are left.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import queue
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

from mabench.data import Question, Row, RowMaker
from mabench.errors import MabenchError, NotMadeError, UsageError, require
from mabench.printable import write_count
from mabench.remote import keeper
from mabench.results import Key, Timing, score_sample
from mabench.runs.context import RunContext
from mabench.runs.engine import Executor, RowBackend, count_parallel_rows
from mabench.runs.worker import RowResult, RowTask, serve
from mabench.specs import RunSpec

_ATTEMPTS = 3
# Imported once, in the server that processes are forked from: every row needs them.
_PRELOADED = ["mabench.runs.worker", "mabench.scoring", "nltk.stem.porter", "tqdm"]


def row_backend(spec: RunSpec) -> AbstractContextManager[RowBackend]:
    """Open where the rows of a run are run, to be left at the end.

    Raises:
        MissingPackageError: when Ray is not installed.
        UsageError: when the agent cannot be sent to another process.
        MabenchError: once the run begins, when there is no Ray cluster at the address.
    """
    elsewhere = {"ray": _ray_rows, "processes": _process_rows}.get(spec.executor)
    return elsewhere(spec) if elsewhere else nullcontext(RowBackend())


class _WorkerLostError(Exception):
    """The process that ran a row is gone."""


@dataclass(frozen=True)
class _RemoteRows:
    """Stores the results of rows that are run elsewhere."""

    context: RunContext
    # Runs a task in another process and yields its results; _WorkerLostError if that is gone.
    run_task: Callable[[RowTask], AsyncIterator[RowResult]]

    async def run_row(self, row: Row, questions: Sequence[Question]) -> None:
        """Run a row; one whose worker is lost is run again, three times in all.

        Raises:
            MabenchError: when no agent could be made yet.
        """
        context = self.context
        note = write_count(len(questions), "question")
        context.progress.start("chunks", None, title=f"{row.source}, row {row.index}", note=note)
        left = {question.key: question for question in questions}
        error = f"the worker was lost {_ATTEMPTS} times"
        for _ in range(_ATTEMPTS):
            try:
                await self._run_and_store(row, left)
                return
            except NotMadeError as failure:
                if not context.agent_made.is_set():
                    raise  # Probably none can be made.
                error = str(failure)
                break
            except _WorkerLostError:
                if context.stop.reason:
                    return
        for key, question in left.items():
            source = context.inputs.sources[question.source]
            sample = score_sample(question, None, error, source, context.inputs.catalogue)
            context.store.append_sample(sample, Timing(*key, seconds=0.0))

    async def _run_and_store(self, row: Row, left: dict[Key, Question]) -> None:
        """Run a row, store what comes of it, and take out of ``left`` what is answered."""
        context, what = self.context, "the memory"
        with ExitStack() as waiting:

            def wait() -> None:
                waiting.close()
                text = f"{what} of {row.source} row {row.index}, in another process"
                waiting.enter_context(context.stop.waiting_for(text))

            wait()
            indices = frozenset(index for _, _, index in left)
            task = RowTask(context.spec.without_data(), row, indices, str(Path.cwd()))
            async for method, arguments in self.run_task(task):
                if method == "fail":
                    raise arguments[0]
                if method == "append_memory":
                    context.agent_made.set()
                # Else it was answered before its worker was lost.
                if method != "append_sample" or left.pop(arguments[0].key, None) is not None:
                    taker = context.progress if method in ("note", "say") else context.store
                    getattr(taker, method)(*arguments)
                if method in ("append_sample", "append_timing", "append_memory"):
                    what = f"question {next(iter(left))[2]}" if left else "the end"
                    wait()


@contextmanager
def _ray_rows(spec: RunSpec) -> Iterator[RowBackend]:
    """Join a Ray cluster, or start one on this machine, once a run begins."""
    ray: Any = require("ray", "ray")
    connected = False

    def use(context: RunContext) -> Executor:
        nonlocal connected
        address = spec.limits.ray_address
        own = {} if address else {"_node_ip_address": "127.0.0.1", "include_dashboard": False}
        try:
            ray.init(address=address, log_to_driver=False, configure_logging=False, **own)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise MabenchError(
                f"no Ray cluster at {address or 'this machine'}: {error}", parameter="ray_address"
            ) from error
        connected = True
        inputs = ray.put(context.inputs)
        task = ray.remote(
            num_cpus=1,
            num_returns="streaming",
            max_retries=0,
            # An answer that was not taken yet would be lost with its worker.
            _generator_backpressure_num_objects=1,
        )(RowTask.run)

        async def run(row: RowTask) -> AsyncIterator[RowResult]:
            records = task.remote(row, inputs)
            try:
                async for reference in records:
                    yield await reference
                    if context.stop.reason:
                        return
            except ray.exceptions.RayError as error:
                raise _WorkerLostError from error
            finally:
                ray.cancel(records)

        return _RemoteRows(context, run).run_row

    try:
        yield RowBackend(use)
    finally:
        if connected:
            ray.shutdown()


@contextmanager
def _process_rows(spec: RunSpec) -> Iterator[RowBackend]:
    """Start processes, which are used once the context of the run is known, and end them."""
    try:
        ForkingPickler.dumps(spec.without_data())
    except Exception as error:
        raise UsageError(
            f"{spec.agent.agent!r} cannot be sent to another process; name the agent as "
            "package.module:factory",
            parameter="executor",
        ) from error
    pool = _Pool(count_parallel_rows(spec))
    try:
        yield RowBackend(pool.use, pool.make_rows, rows_ahead=1)
    finally:
        pool.close()


class _Pool:
    def __init__(self, size: int) -> None:
        forks = "forkserver" in multiprocessing.get_all_start_methods()
        self._context: Any = multiprocessing.get_context("forkserver" if forks else "spawn")
        if forks:
            self._context.set_forkserver_preload(_PRELOADED)
        # Closed ends tell all processes. An event would wait for those that were killed.
        self._stopping, self._stop = self._context.Pipe(duplex=False)
        self._interrupted, self._interrupt = self._context.Pipe(duplex=False)
        self._threads = ThreadPoolExecutor(size)  # Each waits for one process.
        self._idle: asyncio.Queue[tuple[Any, Connection]] = asyncio.Queue()
        self._processes: list[Any] = []
        self._told: set[Connection] = set()  # The pipes through which the inputs were sent.
        self._room = size  # How many processes more may be started.
        self._grow(1)  # It imports what rows need, while these are looked for.

    def use(self, context: RunContext) -> Executor:
        def tell() -> None:
            self._stop.close()
            if context.stop.by_signal:
                self._interrupt.close()

        context.stop.listeners.append(tell)
        self._inputs = context.inputs
        return _RemoteRows(context, self._run).run_row

    def make_rows(self, makers: Sequence[RowMaker]) -> Iterator[Row]:
        """Make rows in the processes and yield them in order; what fails there is made here."""
        self._grow(len(makers) - len(self._processes))
        pipes: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        for _ in range(self._idle.qsize()):
            process, pipe = self._idle.get_nowait()
            pipes.put(pipe)
            self._idle.put_nowait((process, pipe))

        def make_there(maker: RowMaker) -> Row | None:
            pipe, row = pipes.get(), None
            with suppress(Exception):  # The process is gone, or the row cannot be sent.
                pipe.send(maker)
                row = pipe.recv()
            pipes.put(pipe)
            return row

        for maker, row in zip(makers, self._threads.map(make_there, makers), strict=True):
            yield row or maker()

    def close(self) -> None:
        for process in self._processes:
            _end(process)
            process.join()
        self._threads.shutdown()

    def _grow(self, number: int) -> None:
        for _ in range(min(number, self._room)):
            self._room -= 1
            self._start()

    def _start(self) -> None:
        pipe, there = self._context.Pipe()
        # No daemon: some memories start processes of their own.
        process = self._context.Process(
            target=serve, args=(there, (self._stopping, self._interrupted), dict(os.environ))
        )
        process.start()
        there.close()  # So that its end is noticed when the process dies.
        self._processes.append(process)
        self._idle.put_nowait((process, pipe))

    async def _run(self, task: RowTask) -> AsyncIterator[RowResult]:
        if self._idle.empty():
            self._grow(1)
        process, pipe = await self._idle.get()
        wait_for = asyncio.get_running_loop().run_in_executor
        try:
            if pipe not in self._told:
                await wait_for(self._threads, pipe.send, self._inputs)
                self._told.add(pipe)
            await wait_for(self._threads, pipe.send, task)
            while record := await wait_for(self._threads, pipe.recv):
                yield record
        except BaseException as error:
            _end(process)
            self._start()
            if isinstance(error, EOFError | OSError):
                raise _WorkerLostError from error
            raise
        self._idle.put_nowait((process, pipe))


def _end(process: Any) -> None:
    if process.is_alive() and hasattr(os, "setsid"):
        keeper.kill_all(process.pid)
    process.kill()
