"""Rows in processes of this machine, for agents that use the processor themselves."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any

from mabench.data import Row, RowMaker
from mabench.errors import UsageError
from mabench.redact import clean_streams, redact_streams
from mabench.remote import keeper
from mabench.runs.context import RunContext, RunInputs
from mabench.runs.elsewhere import (
    RemoteRows,
    RowResult,
    RowTask,
    WorkerLostError,
    run_task,
)
from mabench.runs.engine import Executor, Workplace
from mabench.runs.opening import rows_in_parallel
from mabench.specs import RunSpec
from mabench.tasks.stopping import Stop

_guards: list[subprocess.Popen[bytes]] = []  # Kept, since each holds the end of a pipe.
# Imported once, in the server that processes are forked from: every row needs them.
_PRELOADED = ["mabench.runs.elsewhere", "mabench.scoring", "nltk.stem.porter", "tqdm"]


@contextmanager
def process_rows(spec: RunSpec) -> Iterator[Workplace]:
    """Start processes, which are used once the context of the run is known, and end them.

    Raises:
        UsageError: when the agent cannot be sent to another process.
    """
    try:
        ForkingPickler.dumps(spec.without_data())
    except Exception as error:
        raise UsageError(
            f"{spec.agent.agent!r} cannot be sent to another process; name the agent as "
            "package.module:factory",
            parameter="executor",
        ) from error
    pool = _Pool(rows_in_parallel(spec))
    try:
        yield Workplace(pool.use, pool.make_rows, rows_ahead=1)
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
        return RemoteRows(context, self._run).run_row

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
            target=_serve, args=(there, (self._stopping, self._interrupted), dict(os.environ))
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
                raise WorkerLostError from error
            raise
        self._idle.put_nowait((process, pipe))


def _end(process: Any) -> None:
    if process.is_alive() and hasattr(os, "setsid"):
        keeper.kill_all(process.pid)
    process.kill()


def _serve(pipe: Connection, stopping: tuple[Any, Any], environment: dict[str, str]) -> None:
    from tqdm import tqdm

    os.environ |= environment  # The server that forks may be older than the run.
    redact_streams()
    clean_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the run, which stops rows itself.
    stop = Stop()
    stop.follow(*stopping)
    live_with_run()
    # A progress bar's own lock spans processes, and would be left behind when this one is ended.
    tqdm.set_lock(threading.RLock())
    gc.freeze()  # What was imported stays: no need to look through it for what can go.
    with suppress(EOFError, OSError):
        while not isinstance(inputs := pipe.recv(), RunInputs):  # Else it makes a row.
            row = None
            with suppress(Exception):  # The run itself finds out why.
                row = inputs()
            pipe.send(row)
        while True:
            for record in run_task(pipe.recv(), inputs, stop):
                pipe.send(record)
            pipe.send(None)


def live_with_run() -> None:
    """Let this process and all that it starts end with the process that started it.

    It becomes the head of a group, which a guard kills when one of the two is gone.
    """
    run = multiprocessing.parent_process()
    if run is None:
        return
    sentinel = run.sentinel
    if not hasattr(os, "setsid"):  # Windows has no groups.

        def end_with_run() -> None:
            wait([sentinel])
            os._exit(1)

        threading.Thread(target=end_with_run, daemon=True).start()
        return
    os.setsid()
    keeper.adopt_orphans()
    pipes = map(str, (os.getpid(), sentinel, 0))
    guard = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-I", "-S", keeper.__file__, "guard", *pipes],
        stdin=subprocess.PIPE,  # It closes with this process.
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=[sentinel],
    )
    _guards.append(guard)
