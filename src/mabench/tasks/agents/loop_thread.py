"""A thread that runs an event loop for agents, whatever they do to the loop."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import Any, Protocol

from mabench.tasks.agents.courier import Courier
from mabench.tasks.closing import LAST_SECONDS, close_loop
from mabench.tasks.left_behind import leave_behind

# Seconds that a thread has to cancel what agents left in its loop, and to close the loop.
_END_SECONDS = 3 * LAST_SECONDS


class Member(Protocol):
    """What makes calls in a loop, and is told when the loop ends."""

    def stop(self) -> asyncio.Task[None] | None:
        """Let it end once it is cancelled; return what is to be cancelled."""

    def fail(self) -> None:
        """Let its call fail, since the loop is closed."""


class LoopThread:
    """A thread that runs an event loop, again and again where an agent stops it.

    ``engine`` is the loop that has calls made in it.
    """

    def __init__(self, engine: asyncio.AbstractEventLoop) -> None:
        self.engine, self.loop = engine, asyncio.new_event_loop()
        self.inward, self.outward = Courier(engine, self.loop), Courier(self.loop, engine)
        self.loop.set_exception_handler(_report)
        self.members: set[Member] = set()
        self.is_blocked = False  # By an agent, as a call that was cancelled found.
        self._is_ending = False
        self._thread = threading.Thread(target=self._run, name="agents", daemon=True)
        self._thread.start()

    @property
    def is_usable(self) -> bool:
        """Whether later calls should be made in its loop."""
        return not (self.is_blocked or self._is_ending or self.loop.is_closed())

    def ask_to_end(self) -> None:
        """Have it cancel what agents left in its loop, and close the loop."""
        self._is_ending = True
        with suppress(RuntimeError):  # An agent has closed it.
            self.loop.call_soon_threadsafe(self.loop.stop)

    def join(self) -> None:
        """Wait until it has ended, but not for long, and not for a loop that is blocked."""
        self._thread.join(0.0 if self.is_blocked else _END_SECONDS)
        if not self.done():
            leave_behind(self)

    def done(self) -> bool:
        """Return whether it has ended."""
        return not self._thread.is_alive()

    def _run(self) -> None:
        """Run the loop until it is to end or is closed; then close it, and fail open calls."""
        while not (self._is_ending or self.loop.is_closed()):
            with suppress(BaseException):  # A task of an agent has raised it.
                self.loop.run_forever()
        members = [*self.members]
        try:
            tasks = [member.stop() for member in members]
            close_loop(self.loop, [task for task in tasks if task is not None])
        finally:
            for member in members:
                member.fail()


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report an exception that nobody handled in the loop of agents, as asyncio does."""
    # Without an exception, a task or a generator did not end when cancelled, and is left behind.
    if "exception" in context and "asyncgen" not in context:
        loop.default_exception_handler(context)
