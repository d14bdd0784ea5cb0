"""Rows in processes of this machine, which are started as they are needed and used again."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import queue
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

from mabench.data import Row, RowMaker
from mabench.errors import UsageError
from mabench.remote import keeper
from mabench.runs.context import RunContext
from mabench.runs.engine import Executor, RowBackend
from mabench.runs.executors.remote_rows import RemoteRows, WorkerLostError
from mabench.runs.parallel import count_parallel_rows
from mabench.runs.worker import RowResult, RowTask, serve
from mabench.specs import RunSpec

# Imported once, in the server that processes are forked from: every row needs them.
_PRELOADED = ["mabench.runs.worker", "mabench.scoring", "mabench.text.stemmers", "tqdm"]


@contextmanager
def open_process_rows(spec: RunSpec) -> Iterator[RowBackend]:
    """Start processes, which are used once the context of the run is known, and end them."""
    try:
        ForkingPickler.dumps(spec.without_data())
    except Exception as error:
        raise UsageError(
            f"{spec.agent.agent!r} cannot be sent to another process; name the agent as "
            "package.module:factory",
            parameter="executor",
        ) from error
    pool = ProcessPool(count_parallel_rows(spec))
    try:
        yield RowBackend(pool.use, pool.make_rows, rows_ahead=1)
    finally:
        pool.close()


class ProcessPool:
    """Processes that make rows and run them, and are started anew when one is lost."""

    def __init__(self, size: int) -> None:
        forks = "forkserver" in multiprocessing.get_all_start_methods()
        self._context: Any = multiprocessing.get_context("forkserver" if forks else "spawn")
        if forks:
            self._context.set_forkserver_preload(_PRELOADED)
        # Closing our end of a pipe tells all processes at once. Setting a multiprocessing.Event
        # would wait without end if one of them was killed.
        self._stopping, self._stop = self._context.Pipe(duplex=False)
        self._interrupted, self._interrupt = self._context.Pipe(duplex=False)
        self._threads = ThreadPoolExecutor(size)  # Each waits for one process.
        self._idle: asyncio.Queue[tuple[Any, Connection]] = asyncio.Queue()
        self._processes: list[Any] = []
        self._with_inputs: set[Connection] = set()  # Pipes of processes that got the inputs.
        self._not_started = size  # How many more processes may be started.
        self._grow(1)  # This process imports what rows need while the rows are still looked for.

    def use(self, context: RunContext) -> Executor:
        """Return what runs rows in the processes, now that the run is known."""

        def tell_processes() -> None:
            self._stop.close()
            if context.stop.by_signal:
                self._interrupt.close()

        context.stop.listeners.append(tell_processes)
        self._inputs = context.inputs
        return RemoteRows(context, self._run).run_row

    def make_rows(self, makers: Sequence[RowMaker]) -> Iterator[Row]:
        """Make rows in the processes and yield them in order; what fails there is made here."""
        self._grow(len(makers) - len(self._processes))
        free_pipes: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        # Before the run all processes are idle, and stay so: their pipes are only lent.
        for _ in range(self._idle.qsize()):
            process, pipe = self._idle.get_nowait()
            free_pipes.put(pipe)
            self._idle.put_nowait((process, pipe))

        def make_there(maker: RowMaker) -> Row | None:
            pipe, row = free_pipes.get(), None
            with suppress(Exception):  # The process is gone, or the row cannot be sent.
                pipe.send(maker)
                row = pipe.recv()
            free_pipes.put(pipe)
            return row

        for maker, row in zip(makers, self._threads.map(make_there, makers), strict=True):
            yield row or maker()

    def close(self) -> None:
        """End the processes, whatever they do."""
        for process in self._processes:
            _end(process)
            process.join()
        self._threads.shutdown()

    def _grow(self, number: int) -> None:
        """Start some more processes, as far as there may be more."""
        for _ in range(min(number, self._not_started)):
            self._not_started -= 1
            self._start()

    def _start(self) -> None:
        """Start a process, which is idle then."""
        pipe, its_end = self._context.Pipe()
        # No daemon: some memories start processes of their own.
        process = self._context.Process(
            target=serve, args=(its_end, (self._stopping, self._interrupted), dict(os.environ))
        )
        process.start()
        its_end.close()  # Here, so that it is noticed when the process dies.
        self._processes.append(process)
        self._idle.put_nowait((process, pipe))

    async def _run(self, task: RowTask) -> AsyncIterator[RowResult]:
        """Run a row in an idle process and yield its results.

        Where that fails, or is given up, the process is ended and another one started.

        Raises:
            WorkerLostError: when the process is gone.
        """
        if self._idle.empty():
            self._grow(1)
        process, pipe = await self._idle.get()
        run_in_thread = asyncio.get_running_loop().run_in_executor
        try:
            if pipe not in self._with_inputs:
                await run_in_thread(self._threads, pipe.send, self._inputs)
                self._with_inputs.add(pipe)
            await run_in_thread(self._threads, pipe.send, task)
            while record := await run_in_thread(self._threads, pipe.recv):
                yield record
        except BaseException as error:
            _end(process)
            self._start()
            if isinstance(error, EOFError | OSError):
                raise WorkerLostError from error
            raise
        self._idle.put_nowait((process, pipe))


def _end(process: Any) -> None:
    """Kill a process and, where there are groups of processes, all that it started."""
    if process.is_alive() and hasattr(os, "setsid"):
        keeper.kill_all(process.pid)
    process.kill()
