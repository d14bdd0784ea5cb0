"""The event loop of a run, and tasks in it that nothing which an agent raises or cancels ends.

Agents live in the loop of the engine, where they share a model with the engine's own work. So the
engine's tasks cannot be listed or cancelled by an agent, as some libraries do with all tasks; an
agent's calls are made in a task of its own; and what a task of an agent raises through the loop is
passed over.
"""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent import futures
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from inspect import isawaitable
from typing import Any, TypeVar

from mabench.contract.answers import Outcome, is_ctrl_c
from mabench.models import CallLog, current_log

_T = TypeVar("_T")
_Job = tuple[Callable[[], Any], "asyncio.Future[Outcome[Any]]", CallLog | None]

# Seconds that a call has to put its things away once it is cancelled.
_LAST_SECONDS = 1.0
# Seconds between two looks of the thread that waits for a loop.
_BEAT = 0.2
# Seconds beyond its limit that a loop may be busy with work of our own.
_GRACE = 5.0
# What was to end and did not. Kept, since Python waits without end for some of what it drops.
_left_behind: list[asyncio.Future[Any] | futures.Future[Any]] = []
# Whose call the code that runs now belongs to; None in the engine's own code.
_caller: ContextVar[_AgentTask | None] = ContextVar("_caller", default=None)


class _DaemonThread:
    """Runs functions one after the other; it does not keep the program from exiting."""

    def __init__(self) -> None:
        self._jobs = queue.SimpleQueue[tuple[Callable[[], Any], futures.Future[Any]] | None]()
        threading.Thread(target=self._work, daemon=True).start()

    def submit(self, function: Callable[[], _T]) -> futures.Future[_T]:
        future: futures.Future[_T] = futures.Future()
        self._jobs.put((function, future))
        return future

    def end(self) -> None:
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
    """Return what a function of ours returns, called in a thread.

    An agent can stop the threads of the loop, which ``asyncio.to_thread`` takes.
    """
    thread = _DaemonThread()
    end = thread.submit(function)
    thread.end()
    return await asyncio.wrap_future(end)


def run_to_end(work: Coroutine[Any, Any, _T], watch: Callable[[], object] | None = None) -> _T:
    """Run async work to its end in a thread, so that no agent can block who waits for it.

    ``watch`` is called several times a second; when it raises, the work is left behind.
    """
    context, thread = contextvars.copy_context(), _DaemonThread()
    end = thread.submit(lambda: context.run(run_in_loop, work))
    thread.end()
    while not futures.wait([end], timeout=_BEAT).done:
        if watch is not None:
            try:
                watch()
            except BaseException:
                _left_behind.append(end)
                raise
    return end.result()


class LoopBlockedError(Exception):
    """An async method blocks the event loop."""


def run_watched(
    work: Coroutine[Any, Any, _T],
    limit: Callable[[], float],
    run: Callable[[Coroutine[Any, Any, _T], Callable[[], object]], _T] = run_to_end,
) -> _T:
    """Run async work to its end; raise ``LoopBlockedError`` where its loop is blocked for too long.

    A limit of time cannot interrupt an async method that never awaits. So the loop is watched from
    outside, and left behind when it is blocked for longer than ``limit`` says, in seconds, and a
    few for work of our own.
    """
    last_beat = time.monotonic()

    async def work_with_beat() -> _T:
        nonlocal last_beat
        task = asyncio.create_task(work)
        while not task.done():
            last_beat = time.monotonic()
            await asyncio.wait([task], timeout=_BEAT)
        return task.result()

    def watch() -> None:
        if time.monotonic() - last_beat > limit() + _GRACE:
            message = f"an async method blocked the event loop for more than {limit():.0f} s"
            raise LoopBlockedError(message)

    return run(work_with_beat(), watch)


def leaves_something() -> bool:
    """Return whether work of an agent goes on that was to end."""
    return not all(work.done() for work in _left_behind)


def run_in_loop(work: Coroutine[Any, Any, _T]) -> _T:
    """Run async work in an event loop of its own, and return its result."""

    async def end_all() -> None:
        """Cancel what agents left running, and give it a second to end."""
        if tasks := asyncio.all_tasks(loop) - {asyncio.current_task()}:
            for task in tasks:
                task.cancel()
            _, pending = await asyncio.wait(tasks, timeout=_LAST_SECONDS)
            _left_behind.extend(pending)
        await asyncio.wait_for(loop.shutdown_asyncgens(), _LAST_SECONDS)

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        # Else a task or a generator did not end when cancelled, and is left behind.
        if "exception" in context and "asyncgen" not in context:
            loop.default_exception_handler(context)

    loop = asyncio.new_event_loop()
    loop.set_task_factory(_make_task)
    loop.set_exception_handler(handle)
    try:
        return _run(loop, work)
    finally:
        with suppress(Exception):  # Of agents that are left.
            _run(loop, end_all())
            loop.close()  # It waits for no thread.


def _run(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, _T]) -> _T:
    task = loop.create_task(work)
    while not task.done():
        try:
            loop.run_until_complete(task)
        except BaseException as error:
            # Where the task is not done, a task of an agent raised it, or stopped the loop.
            if is_ctrl_c(error) or loop.is_closed():
                raise
    return task.result()


class _EngineTask(asyncio.Task[Any]):
    """A task of the engine: no agent finds it among the tasks of its loop, or cancels it.

    The task that makes an agent's calls is one, too, to all agents but its own.
    """

    def cancel(self, msg: Any | None = None) -> bool:
        return super().cancel(msg) if self._is_within_reach() else False

    def get_loop(self) -> asyncio.AbstractEventLoop:
        return super().get_loop() if self._is_within_reach() else _ELSEWHERE

    def _is_within_reach(self) -> bool:
        caller = _caller.get()
        return caller is None or self is caller.work


_ELSEWHERE = asyncio.AbstractEventLoop()  # type: ignore[abstract]  # it runs nothing


def _make_task(loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Task[Any]:
    kind = _EngineTask if _caller.get() is None else asyncio.Task
    return kind(work, loop=loop, **options)


class _AgentTask:
    """A task that makes an agent's calls one after the other; to be made in a running loop."""

    def __init__(self) -> None:
        self._jobs: asyncio.Queue[_Job | None] = asyncio.Queue()
        self._busy = False
        self.work = asyncio.get_running_loop().create_task(self._serve())

    async def call(self, function: Callable[[], Any]) -> Outcome[Any]:
        """Return what a function comes to; when cancelled, give it a second to end."""
        end: asyncio.Future[Outcome[Any]] = asyncio.get_running_loop().create_future()
        self._jobs.put_nowait((function, end, current_log.get()))
        try:
            await asyncio.wait({end})
        except asyncio.CancelledError:
            self.work.cancel()
            await asyncio.wait({end}, timeout=_LAST_SECONDS)
            raise
        return end.result()

    @property
    def is_free(self) -> bool:  # Not even of a call that was cancelled.
        return self._jobs.empty() and not self._busy

    def end(self) -> None:
        self._jobs.put_nowait(None)
        if not self.is_free:
            _left_behind.append(self.work)

    async def _serve(self) -> None:
        _caller.set(self)
        while True:
            self._busy = False
            try:
                job = await self._jobs.get()
            except asyncio.CancelledError:  # A call left it behind.
                continue
            if job is None:
                return
            self._busy = True
            function, end, log = job
            current_log.set(log)  # The task lasts, and each call has a log of its own.
            start = time.perf_counter()
            try:
                value = function()
                value = await value if isawaitable(value) else value
                outcome = Outcome(value, seconds=time.perf_counter() - start)
            except BaseException as error:
                if is_ctrl_c(error):
                    raise
                outcome = Outcome(error=error)
            end.set_result(outcome)
            while (task := asyncio.current_task()) and task.cancelling():
                task.uncancel()


class AgentExecutor:
    """An agent's thread and task, each made when it is first needed, for one call at a time."""

    def __init__(self) -> None:
        self._thread: _DaemonThread | None = None
        self._task: _AgentTask | None = None

    async def call(
        self, call: Callable[[], Any], in_loop: bool, read: Callable[[object], Any] | None
    ) -> Outcome[Any]:
        """Return what a call, and reading what it returned, come to; ``in_loop`` for async ones."""
        to_await: list[Any] = []  # What a sync method returned.

        def call_and_read() -> Any:
            value = call()
            if isawaitable(value):
                to_await.append(value)
                return None
            return value if read is None else read(value)

        if in_loop:
            outcome = await self._in_loop(call)
        else:
            outcome = await self._in_thread(call_and_read)
            if not to_await:
                return outcome
            begun, outcome = outcome.seconds, await self._in_loop(to_await.pop)
            outcome = outcome._replace(seconds=begun + outcome.seconds)
        if outcome.error is None and read is not None:
            value = await self._in_thread(partial(read, outcome.value))
            outcome = value._replace(seconds=outcome.seconds)
        return outcome

    async def _in_thread(self, call: Callable[[], Any]) -> Outcome[Any]:
        self._thread = self._thread or _DaemonThread()
        run = contextvars.copy_context().run  # Each call has a log of its own.
        try:
            return await asyncio.wrap_future(self._thread.submit(partial(run, Outcome.of, call)))
        except asyncio.CancelledError:
            self._thread.end()
            self._thread = None
            raise

    async def _in_loop(self, call: Callable[[], Any]) -> Outcome[Any]:
        self._task = self._task or _AgentTask()
        try:
            return await self._task.call(call)
        except asyncio.CancelledError:
            if not self._task.is_free:  # It does not heed that it was cancelled.
                self._task.end()
                self._task = None
            raise

    def end(self) -> None:
        """Let both end after the calls that were made."""
        for part in (self._thread, self._task):
            if part:
                part.end()
