"""Calling an agent's methods: async ones in the event loop, sync ones in threads of its own.

A sync method may block for minutes, so it never runs in the event loop. An agent that answers
one question at a time has a single thread for all its calls, since much that a memory holds (an
SQLite connection) belongs to the thread that made it. A call that is cancelled, because it ran
out of time, keeps its thread; nobody waits for that thread any more, and the agent gets another.
"""

from __future__ import annotations

import asyncio
import inspect
import queue
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

_Job = tuple[Callable[[], Any], "Future[Any]"]


class Caller:
    """Calls the methods of one agent, at most ``threads`` sync ones at a time."""

    def __init__(self, threads: int) -> None:
        self._idle: asyncio.Queue[DaemonThread] = asyncio.Queue()
        for _ in range(threads):
            self._idle.put_nowait(DaemonThread())

    async def call(self, method: Callable[..., Any], *arguments: object) -> Any:
        """Return what a method returns, awaited if it can be; raise what it raises."""
        if inspect.iscoroutinefunction(method):
            return await method(*arguments)
        thread = await self._idle.get()
        try:
            result = await asyncio.wrap_future(thread.submit(lambda: method(*arguments)))
        except asyncio.CancelledError:
            thread.end()
            thread = DaemonThread()
            raise
        finally:
            self._idle.put_nowait(thread)
        return await result if inspect.isawaitable(result) else result

    def close(self) -> None:
        """Let the threads end."""
        while not self._idle.empty():
            self._idle.get_nowait().end()


class DaemonThread:
    """Runs functions one after the other; it does not keep the program from exiting."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def submit(self, function: Callable[[], Any]) -> Future[Any]:
        """Run a function after those submitted before."""
        future: Future[Any] = Future()
        self._jobs.put((function, future))
        return future

    def end(self) -> None:
        """Let the thread end after what was submitted."""
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            function, future = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = function()
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
            del job, function, future


def run_to_end(work: Coroutine[Any, Any, None]) -> None:
    """Run async work to its end, also where an event loop is already running (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(max_workers=1) as pool:
        pool.submit(asyncio.run, work).result()
