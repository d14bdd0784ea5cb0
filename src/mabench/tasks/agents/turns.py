"""The turns of an agent's calls: which call may begin, and in which thread or task it is made.

As many calls are under way at a time as there are executors. Calls that are made one after the
other are all made by the first executor, since much that an agent holds belongs to one thread or
task.
"""

from __future__ import annotations

import asyncio

from mabench.tasks.agents.executor import AgentExecutor


class ExecutorTurns:
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

    async def take(self) -> ExecutorTurn:
        """Wait for a free executor."""
        return ExecutorTurn(self._idle, *await self._idle.get())

    def end_idle(self) -> None:
        """Let the threads and tasks of the executors that are free end."""
        while not self._idle.empty():
            _, executor = self._idle.get_nowait()
            executor.end()


class ExecutorTurn:
    """A call's hold of an executor, until it ends."""

    def __init__(
        self,
        idle: asyncio.PriorityQueue[tuple[int, AgentExecutor]],
        number: int,
        executor: AgentExecutor,
    ) -> None:
        self.executor = executor
        self._idle, self._number, self._is_held = idle, number, True

    def end(self) -> None:
        """Let another call have the executor; nothing if it has it already."""
        if self._is_held:
            self._is_held = False
            self._idle.put_nowait((self._number, self.executor))
