"""The event loop of the engine, in which only our own code runs, and waiting for its end.

Code of agents runs in threads and in a loop of its own (``mabench.tasks.agents.loop``), and never
here.
"""

from __future__ import annotations

import asyncio
import contextvars
import sys
from collections.abc import Callable, Coroutine
from concurrent import futures
from typing import Any, TypeVar

from mabench.tasks.agents.loop import AgentLoop
from mabench.tasks.closing import close_loop
from mabench.tasks.left_behind import leave_behind
from mabench.tasks.threads import DaemonThread

if sys.platform == "win32":
    from asyncio import ProactorEventLoop as SystemLoop
else:
    from asyncio import SelectorEventLoop as SystemLoop

_T = TypeVar("_T")

# Seconds between two looks of the thread that waits for a loop.
_BEAT = 0.2


class EngineLoop(SystemLoop):
    """The event loop of the engine, whatever policy an agent has set; it knows that of agents."""

    def __init__(self) -> None:
        super().__init__()
        self.agents = AgentLoop()


def running_agent_loop() -> AgentLoop:
    """Return the loop of the agents that belong to the loop that runs, which is the engine's."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, EngineLoop):
        raise RuntimeError("agents are called within run_in_loop or run_to_end")
    return loop.agents


def run_in_loop(work: Coroutine[Any, Any, _T]) -> _T:
    """Run async work of ours in an event loop of its own, and return its result."""
    loop = EngineLoop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.agents.end()
        close_loop(loop)


def run_to_end(work: Coroutine[Any, Any, _T], watch: Callable[[], object] | None = None) -> _T:
    """Run async work to its end in a thread, beside which this one is free to watch.

    ``watch`` is called several times a second; when it raises, the work is left behind.
    """
    context, thread = contextvars.copy_context(), DaemonThread()
    end = thread.submit(lambda: context.run(run_in_loop, work))
    thread.end()
    while not futures.wait([end], timeout=_BEAT).done:
        if watch is not None:
            try:
                watch()
            except BaseException:
                leave_behind(end)
                raise
    return end.result()
