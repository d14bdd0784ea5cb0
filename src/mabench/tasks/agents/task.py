"""The task in the loop of agents that makes an agent's calls, and how it meets the engine.

An agent may cancel all tasks, stop the loop, close it or block it: the engine, in a loop and a
thread of its own, goes on. The two meet in what couriers carry.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any

from mabench.contract.answers import CallOutcome
from mabench.models import CallLog, current_log
from mabench.tasks.agents.loop_thread import LoopThread
from mabench.tasks.closing import make_unlisted_task
from mabench.tasks.left_behind import leave_behind

# Seconds that a call has to put its things away once it is cancelled.
LAST_SECONDS = 1.0


class AgentTask:
    """A task that makes an agent's calls one after the other; the engine awaits them.

    It is one task for all calls, since much that one call opens must be closed in the same task.
    """

    def __init__(self, thread: LoopThread) -> None:
        self._thread = thread
        self._waiting: asyncio.Queue[_AgentCall | None] = asyncio.Queue()
        self._call: _AgentCall | None = None  # The one that is made now.
        self._task: asyncio.Task[None] | None = None
        thread.members.add(self)
        thread.inward.call(self._begin)

    async def call(
        self, function: Callable[[], Any], read: Callable[[object], Any] | None
    ) -> CallOutcome[Any]:
        """Return what a function, and reading what it returns or awaits, come to.

        When this is cancelled, the function has a second to end; ``is_free`` says whether it did.
        """
        end: asyncio.Future[CallOutcome[Any]] = self._thread.engine.create_future()
        self._call = call = _AgentCall(function, read, current_log.get(), end)
        self._thread.inward.call(self._waiting.put_nowait, call)
        if self._thread.loop.is_closed():
            call.end_with(_loop_closed())
        try:
            return await asyncio.shield(end)
        except asyncio.CancelledError:
            self._thread.inward.call(self._cancel, call)
            await asyncio.wait({end}, timeout=LAST_SECONDS)
            if not call.heard_cancel and not end.done():
                self._thread.is_blocked = True
            raise

    @property
    def is_free(self) -> bool:
        """Whether it can make another call: its loop is open, and no cancelled call goes on."""
        return not self._thread.loop.is_closed() and (self._call is None or self._call.end.done())

    def end(self) -> None:
        """Let it end after its calls."""
        self._thread.inward.call(self._waiting.put_nowait, None)
        if not self.is_free:
            leave_behind(self)

    def done(self) -> bool:
        """Return whether it has ended."""
        return self._task is not None and self._task.done()

    def _begin(self) -> None:
        """Start the task; called in the loop of agents."""
        self._task = task = make_unlisted_task(self._thread.loop, self._serve())
        task.add_done_callback(lambda _: self._thread.members.discard(self))

    def _cancel(self, call: _AgentCall) -> None:
        """Cancel a call, under way or not yet; called in the loop of agents."""
        call.heard_cancel = True
        if call.is_under_way and self._task is not None:
            self._task.cancel()

    async def _serve(self) -> None:
        """Make calls as they come, in the loop of agents, until a None comes."""
        while True:
            try:
                call = await self._waiting.get()
            except asyncio.CancelledError:  # A call has cancelled its own task, and returned.
                continue
            if call is None:
                return
            current_log.set(call.log)  # The task lasts, and each call has a log of its own.
            self._thread.outward.call(call.end_with, await call.make())
            while (task := asyncio.current_task()) and task.cancelling():
                task.uncancel()

    def stop(self) -> asyncio.Task[None] | None:
        """Let it end once it is cancelled; return what is to be cancelled."""
        with suppress(RuntimeError):  # Its loop is closed, and so it will never end.
            self._waiting.put_nowait(None)
        return self._task

    def fail(self) -> None:
        """Let its call fail, from the thread of the loop, since the loop is closed."""
        if self._call is not None:
            with suppress(RuntimeError):  # The engine's is closed, too, and nobody waits.
                self._thread.engine.call_soon_threadsafe(self._call.end_with, _loop_closed())


@dataclass(eq=False, slots=True)
class _AgentCall:
    """A call of an agent, from when the engine asks for it until the engine has its outcome."""

    function: Callable[[], Any]
    read: Callable[[object], Any] | None
    log: CallLog | None
    end: asyncio.Future[CallOutcome[Any]]  # Of the engine's loop.
    is_under_way: bool = False
    heard_cancel: bool = False  # Whether the loop of agents has run since it was cancelled.

    async def make(self) -> CallOutcome[Any]:
        """Make the call in the loop of agents, unless it was cancelled before."""
        if self.heard_cancel:
            return CallOutcome(error=asyncio.CancelledError())
        self.is_under_way, start = True, time.perf_counter()
        try:
            returned = self.function()
            value = await returned if isawaitable(returned) else returned
            seconds = time.perf_counter() - start
            return CallOutcome(self.read(value) if self.read else value, seconds=seconds)
        except BaseException as error:
            return CallOutcome(error=error)
        finally:
            self.is_under_way = False

    def end_with(self, outcome: CallOutcome[Any]) -> None:
        """Let the engine have the outcome, in its loop; only the first one counts."""
        if not self.end.done():
            self.end.set_result(outcome)


def _loop_closed() -> CallOutcome[Any]:
    return CallOutcome(error=RuntimeError("the agent closed its event loop"))
