"""Rows in processes of this machine, for agents that use the processor themselves."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from multiprocessing.synchronize import Event
from typing import Any

from mabench.errors import UsageError
from mabench.runs.engine.context import RunContext, RunInputs
from mabench.runs.engine.elsewhere import Record, RemoteRows, RowTask, WorkerLostError, run_task
from mabench.runs.engine.stopping import Stop
from mabench.runs.spec import RunSpec

# Imported once, in the server that new processes are forked from: every row needs them.
_PRELOADED = ["mabench.runs.engine.elsewhere", "mabench.scoring", "nltk.stem.porter"]


@contextmanager
def process_rows(spec: RunSpec) -> Iterator[Callable[[RunContext], RemoteRows]]:
    """Start processes, to be used once the context of the run is known; end them at last.

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
    pool = _Pool(spec.rows_in_parallel)
    try:
        yield pool.use
    finally:
        pool.close()


class _Pool:
    def __init__(self, size: int) -> None:
        known = multiprocessing.get_all_start_methods()
        self._context: Any = multiprocessing.get_context(
            "forkserver" if "forkserver" in known else "spawn"
        )
        if "forkserver" in known:
            self._context.set_forkserver_preload(_PRELOADED)
        self._stopping = self._context.Event()
        self._threads = ThreadPoolExecutor(size)  # Each waits for one process.
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._workers = [_Worker(self._context, self._stopping) for _ in range(size)]

    def use(self, context: RunContext) -> RemoteRows:
        context.stop.listeners.append(self._stopping.set)
        self._inputs = context.inputs
        for worker in self._workers:
            self._idle.put_nowait(worker)
        return RemoteRows(context, self.run, rows_ahead=1)

    async def run(self, task: RowTask) -> AsyncIterator[Record]:
        worker = await self._idle.get()
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads, worker.send, self._inputs, task)
            while record := await loop.run_in_executor(self._threads, worker.pipe.recv):
                yield record
        except (EOFError, OSError) as error:
            worker = self._replace(worker)
            raise WorkerLostError from error
        except BaseException:
            worker = self._replace(worker)
            raise
        finally:
            self._idle.put_nowait(worker)

    def close(self) -> None:
        for worker in self._workers:
            worker.process.kill()
            worker.process.join()
        self._threads.shutdown()

    def _replace(self, worker: _Worker) -> _Worker:
        worker.process.kill()
        self._workers.remove(worker)
        self._workers.append(_Worker(self._context, self._stopping))
        return self._workers[-1]


class _Worker:
    def __init__(self, context: Any, stopping: Event) -> None:
        self.pipe, there = context.Pipe()
        # No daemon: some memories start processes of their own.
        self.process = context.Process(target=_serve, args=(there, stopping))
        self.process.start()
        there.close()  # So that its end is noticed when the process dies.
        self._knows_inputs = False

    def send(self, inputs: RunInputs, task: RowTask) -> None:
        if not self._knows_inputs:
            self.pipe.send(inputs)
            self._knows_inputs = True
        self.pipe.send(task)


def _serve(pipe: Connection, stopping: Event) -> None:
    """Run the rows that are sent, until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the run, which stops rows itself.
    stop = Stop()
    threading.Thread(target=_pass_on, args=(stopping, stop), daemon=True).start()
    threading.Thread(target=_end_with_run, daemon=True).start()
    with suppress(EOFError, OSError):
        inputs: RunInputs = pipe.recv()
        while True:
            for record in run_task(pipe.recv(), inputs, stop):
                pipe.send(record)
            pipe.send(None)


def _pass_on(stopping: Event, stop: Stop) -> None:
    stopping.wait()
    stop.ask("the run is stopping")


def _end_with_run() -> None:
    """End this process when the run's is gone, in whatever way."""
    run = multiprocessing.parent_process()
    if run is not None:
        wait([run.sentinel])
        os._exit(1)
