"""The event loop of agents, which all agents of a run share.

Nothing of ours runs in it: the engine has a loop and a thread of its own.
"""

from __future__ import annotations

import asyncio

from mabench.tasks.agents.loop_thread import LoopThread
from mabench.tasks.agents.task import AgentTask


class AgentLoop:
    """The event loop that all agents of a run share; its thread starts with the first call.

    They share one because clients that a module keeps belong to one loop. Where an agent has
    closed or blocked it, what comes later finds a new one.
    """

    def __init__(self) -> None:
        self._threads: list[LoopThread] = []

    def make_task(self) -> AgentTask:
        """Return a new task for the calls of an agent, made by the loop of the engine that runs."""
        if not self._threads or not self._threads[-1].is_usable:
            self._threads.append(LoopThread(asyncio.get_running_loop()))
        return AgentTask(self._threads[-1])

    def end(self) -> None:
        """Cancel what agents left running, and wait a few seconds until the loop is closed."""
        threads, self._threads = self._threads, []
        for thread in threads:
            thread.ask_to_end()
        for thread in threads:
            thread.join()
