"""The event loop of a run, and tasks in it that nothing which an agent raises or cancels ends.

Agents live in the loop of the engine, where they share a model with the engine's own work. So the
engine's tasks are hidden from ``asyncio.all_tasks``, which some libraries cancel, an agent's calls
are made in a task of its own, and what a task of an agent raises through the loop is passed over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from inspect import isawaitable
from typing import Any, TypeVar

from mabench.contract.raised import Outcome, is_ctrl_c
from mabench.models import Bill, current_bill, on_bill

T = TypeVar("T")
_Job = tuple[Callable[[], Any], "asyncio.Future[Outcome[Any]]", Bill | None]

# Seconds that a call has to put its things away once it is cancelled.
_LAST_SECONDS = 1.0
_is_agents: ContextVar[bool] = ContextVar("_is_agents", default=False)


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Run async work to its end, also where an event loop is already running (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_in_loop(work)
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(run_in_loop, work).result()


def run_in_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run async work in an event loop of its own, and return its result.

    Raises:
        BaseException: whatever the work raises.
    """
    runner = asyncio.Runner()
    try:
        loop = runner.get_loop()
        loop.set_task_factory(_task)
        task = loop.create_task(work)
        while not task.done():
            try:
                loop.run_until_complete(task)
            except BaseException as error:
                # Where the task is not done, a task of an agent raised it, or stopped the loop.
                if is_ctrl_c(error) or loop.is_closed():
                    raise
        return task.result()
    finally:
        with suppress(SystemExit, KeyboardInterrupt, GeneratorExit):  # Of agents that are left.
            runner.close()


def _task(loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Task[Any]:
    task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **options)
    if not _is_agents.get():
        # No agent finds it: the documented way to leave a task out of all_tasks().
        asyncio._unregister_task(task)
    return task


class AgentTask:
    """A task that makes an agent's calls one after the other; to be made in a running loop."""

    def __init__(self) -> None:
        self._jobs: asyncio.Queue[_Job | None] = asyncio.Queue()
        self._busy = False
        self._work = asyncio.get_running_loop().create_task(self._serve())
        self._work._log_destroy_pending = False  # type: ignore[attr-defined]  # asyncio's own way

    async def call(self, function: Callable[[], Any]) -> Outcome[Any]:
        """Return what a function comes to, awaited if it can be.

        A call of ours that is cancelled cancels the agent's and gives it a second to end.
        """
        end: asyncio.Future[Outcome[Any]] = asyncio.get_running_loop().create_future()
        self._jobs.put_nowait((function, end, current_bill()))
        try:
            await asyncio.wait({end})
        except asyncio.CancelledError:
            self._work.cancel()
            await asyncio.wait({end}, timeout=_LAST_SECONDS)
            raise
        return end.result()

    @property
    def is_free(self) -> bool:
        """Whether no call is under way, not even one that was cancelled."""
        return self._jobs.empty() and not self._busy

    def end(self) -> None:
        """Let the task end after the calls that were made."""
        self._jobs.put_nowait(None)

    async def _serve(self) -> None:
        _is_agents.set(True)
        while True:
            self._busy = False
            try:
                job = await self._jobs.get()
            except asyncio.CancelledError:  # A call left it behind.
                continue
            if job is None:
                return
            self._busy = True
            function, end, bill = job
            with on_bill(bill):  # The task lasts, and each call has a bill of its own.
                outcome = await _outcome(function)
            end.set_result(outcome)
            while (task := asyncio.current_task()) and task.cancelling():
                task.uncancel()


async def _outcome(function: Callable[[], Any]) -> Outcome[Any]:
    try:
        value = function()
        return Outcome(await value if isawaitable(value) else value)
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        return Outcome(error=error)
