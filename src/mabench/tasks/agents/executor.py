"""The one door to an agent's code: a thread for its sync methods, a task for its async ones.

As many calls are under way at a time as an agent has executors, each with a thread and a task.
Calls that are made one after the other are all made by the first executor, since much that an agent
holds belongs to one thread or task.
"""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Awaitable, Callable
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
        """Return what a call in the thread comes to; a call that is cancelled keeps the thread."""
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
        """Return what a call in the task comes to; one that does not heed a cancel keeps it."""
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


class AgentExecutors:
    """The executors of one agent; a free one takes the next call, and the first one if it is free.

    ``most`` is how many calls may be under way at a time.
    """

    def __init__(self, most: int) -> None:
        self._count = 0
        self._idle: asyncio.PriorityQueue[tuple[int, AgentExecutor]] = asyncio.PriorityQueue()
        self.allow(most)

    def allow(self, most: int) -> None:
        """Let as many calls be under way at a time; never fewer than before."""
        for number in range(self._count, most):
            self._idle.put_nowait((number, AgentExecutor()))
        self._count = max(self._count, most)

    async def call(
        self,
        function: Callable[[], Any],
        place: Place,
        read: Callable[[object], Any] | None = None,
        *,
        seconds: float | None = None,
        begin: Callable[[], None] | None = None,
    ) -> CallOutcome[Any]:
        """Return what a call comes to, as ``AgentExecutor.call``; the rest is as in ``run``."""

        def call_in_turn(turn: ExecutorTurn) -> Awaitable[CallOutcome[Any]]:
            return turn.executor.call(function, place, read)

        return await self.run(call_in_turn, seconds, begin)

    async def run(
        self,
        work: Callable[[ExecutorTurn], Awaitable[CallOutcome[Any]]],
        seconds: float | None = None,
        begin: Callable[[], None] | None = None,
    ) -> CallOutcome[Any]:
        """Return what some work comes to once it has its turn, of which ``begin`` is told.

        Raises:
            TimeoutError: when it takes more ``seconds``; what an agent raises is in the outcome.
        """
        turn = ExecutorTurn(self._idle, *await self._idle.get())
        try:
            if begin is not None:
                begin()
            async with asyncio.timeout(seconds):
                return await work(turn)
        finally:
            turn.end()

    def end_idle(self) -> None:
        """Let the threads and tasks of the executors that are free end."""
        while not self._idle.empty():
            _, executor = self._idle.get_nowait()
            executor.end()


class ExecutorTurn:
    """The hold that some work has of an executor, until it ends."""

    def __init__(
        self,
        idle: asyncio.PriorityQueue[tuple[int, AgentExecutor]],
        number: int,
        executor: AgentExecutor,
    ) -> None:
        self.executor = executor
        self._idle, self._number, self._is_held = idle, number, True

    def end(self) -> None:
        """Let other work have the executor; nothing if it has it already."""
        if self._is_held:
            self._is_held = False
            self._idle.put_nowait((self._number, self.executor))


async def call_here(
    function: Callable[[], Any], read: Callable[[object], Any] | None = None
) -> CallOutcome[Any]:
    """Return what a call of ours comes to, made in the loop of the engine, which runs this."""
    start = time.perf_counter()
    try:
        returned = function()
        value = await returned if isawaitable(returned) else returned
        seconds = time.perf_counter() - start
        return CallOutcome(read(value) if read else value, seconds=seconds)
    except Exception as error:
        return CallOutcome(error=error)
