"""Threads for functions that may block; none of them keeps the program from exiting."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

_T = TypeVar("_T")


class DaemonThread:
    """Runs functions one after the other; it does not keep the program from exiting."""

    def __init__(self) -> None:
        self._jobs = queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None]()
        threading.Thread(target=self._work, daemon=True).start()

    def submit(self, function: Callable[[], _T]) -> Future[_T]:
        """Return what becomes the result of a function, once those before it have ended."""
        future: Future[_T] = Future()
        self._jobs.put((function, future))
        return future

    def end(self) -> None:
        """Let the thread end after the functions that were submitted."""
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


async def in_thread(function: Callable[[], _T]) -> _T:
    """Return what a function of ours returns, called in a thread of its own."""
    thread = DaemonThread()
    end = thread.submit(function)
    thread.end()
    return await asyncio.wrap_future(end)
