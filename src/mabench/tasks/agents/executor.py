"""The one door to an agent's code: a thread for its sync methods, a task for its async ones."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from inspect import isawaitable
from typing import Any

from mabench.contract.answers import CallOutcome
from mabench.tasks.agents.task import AgentTask
from mabench.tasks.loops import running_agent_loop
from mabench.tasks.threads import DaemonThread


class Place(Enum):
    """Where a method is called."""

    THREAD = auto()  # Sync methods, which may block.
    AGENT_LOOP = auto()  # Async methods of agents.
    ENGINE_LOOP = auto()  # Async methods of ours alone.


class AgentExecutor:
    """An agent's thread and task, each made when it is first needed, for one call at a time."""

    def __init__(self) -> None:
        self._thread: DaemonThread | None = None
        self._task: AgentTask | None = None

    async def call(
        self,
        function: Callable[[], Any],
        place: Place,
        read: Callable[[object], Any] | None = None,
    ) -> CallOutcome[Any]:
        """Return what a call comes to, and reading what it returned, in the same place.

        What a sync method returns to be awaited is awaited in the loop of agents.
        """
        if place is Place.ENGINE_LOOP:
            return await call_here(function, read)
        if place is Place.AGENT_LOOP:
            return await self._call_in_loop(function, read)
        to_await: list[Any] = []

        def call_and_read() -> Any:
            value = function()
            if isawaitable(value):
                to_await.append(value)
                return None
            return value if read is None else read(value)

        outcome = await self._call_in_thread(call_and_read)
        if not to_await:
            return outcome
        awaited = await self._call_in_loop(to_await.pop, read)
        return awaited._replace(seconds=outcome.seconds + awaited.seconds)

    def end(self) -> None:
        """Let both end after the calls that were made."""
        for part in (self._thread, self._task):
            if part:
                part.end()

    async def _call_in_thread(self, function: Callable[[], Any]) -> CallOutcome[Any]:
        self._thread = self._thread or DaemonThread()
        run = contextvars.copy_context().run  # Each call has a log of its own.
        try:
            end = self._thread.submit(partial(run, CallOutcome.of, function))
            return await asyncio.wrap_future(end)
        except asyncio.CancelledError:
            self._thread.end()
            self._thread = None
            raise

    async def _call_in_loop(
        self, function: Callable[[], Any], read: Callable[[object], Any] | None
    ) -> CallOutcome[Any]:
        if self._task is None or not self._task.is_free:
            made = CallOutcome.of(running_agent_loop().make_task)
            if made.value is None:  # By the policy of an agent, which sets what loops are made.
                return CallOutcome(error=made.error)
            self._task = made.value
        try:
            return await self._task.call(function, read)
        except asyncio.CancelledError:
            if not self._task.is_free:  # It does not heed that it was cancelled.
                self._task.end()
                self._task = None
            raise


async def call_here(
    function: Callable[[], Any], read: Callable[[object], Any] | None = None
) -> CallOutcome[Any]:
    """Return what a call of ours comes to, made in the loop of the engine, which runs this."""
    start = time.perf_counter()
    try:
        value = function()
        value = await value if isawaitable(value) else value
        seconds = time.perf_counter() - start
        return CallOutcome(read(value) if read else value, seconds=seconds)
    except Exception as error:
        return CallOutcome(error=error)
