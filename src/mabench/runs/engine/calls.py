"""Calling an agent's methods: async ones in a task of its own, sync ones in a thread of its own.

A sync method may block for minutes, so it never runs in the event loop. An agent that answers
one question at a time has a single thread and a single task for all its calls, since much that a
memory holds belongs to one of them: an SQLite connection, the session of a client. A sync call
that is cancelled, because it ran out of time, keeps its thread; nobody waits for that thread any
more, and the agent gets another.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from mabench.contract.raised import Outcome, attempt, outcome_of
from mabench.tasks.loops import AgentTask, DaemonThread

_Call = Callable[[], Any]


class Caller:
    """Calls the methods of one agent, at most ``lanes`` at a time."""

    def __init__(self, lanes: int) -> None:
        self._idle: asyncio.Queue[_Lane] = asyncio.Queue()
        for _ in range(lanes):
            self._idle.put_nowait(_Lane())

    async def call(self, method: Callable[..., Any], *arguments: object) -> Outcome[Any]:
        """Return what a method comes to, awaited if it can be."""
        call = partial(method, *arguments)
        lane = await self._idle.get()
        try:
            if inspect.iscoroutinefunction(method):
                return await lane.in_loop(call)
            outcome = await lane.in_thread(call)
            if attempt(lambda: inspect.isawaitable(outcome.value)):
                return await lane.in_loop(lambda: outcome.value)
            return outcome
        finally:
            self._idle.put_nowait(lane)

    async def call_in_loop(self, call: _Call) -> Outcome[Any]:
        """Return what a function comes to that must be called in the event loop."""
        lane = await self._idle.get()
        try:
            return await lane.in_loop(call)
        finally:
            self._idle.put_nowait(lane)

    def close(self) -> None:
        """Let the threads and tasks end."""
        while not self._idle.empty():
            self._idle.get_nowait().end()


class _Lane:
    """A thread and a task, each made when it is first needed, for one call at a time."""

    def __init__(self) -> None:
        self._thread: DaemonThread | None = None
        self._task: AgentTask | None = None

    async def in_thread(self, call: _Call) -> Outcome[Any]:
        self._thread = self._thread or DaemonThread()
        try:
            return await asyncio.wrap_future(self._thread.submit(lambda: outcome_of(call)))
        except asyncio.CancelledError:
            self._thread.end()
            self._thread = None
            raise

    async def in_loop(self, call: _Call) -> Outcome[Any]:
        self._task = self._task or AgentTask()
        try:
            return await self._task.call(call)
        except asyncio.CancelledError:
            if not self._task.is_free:  # It does not heed that it was cancelled.
                self._task.end()
                self._task = None
            raise

    def end(self) -> None:
        for part in (self._thread, self._task):
            if part:
                part.end()
