"""Closing an event loop, whatever an agent left in it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from typing import Any

from mabench.tasks.left_behind import leave_behind

# Seconds that what was cancelled has to put its things away.
LAST_SECONDS = 1.0


def make_unlisted_task(
    loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, None]
) -> asyncio.Task[None]:
    """Return a task that ``asyncio.all_tasks`` does not list, since some agents cancel all of them.

    Call it in the thread of the loop. It passes by a task factory that an agent set, and takes the
    task off the list with the function that asyncio documents for its extension.
    """
    task = asyncio.Task(work, loop=loop)
    asyncio._unregister_task(task)
    return task


def close_loop(
    loop: asyncio.AbstractEventLoop, unlisted: Iterable[asyncio.Task[None]] = ()
) -> None:
    """Cancel the tasks of a loop that does not run, give them a second, and close the loop.

    What does not end is left behind; no thread is waited for.
    """
    tasks = {*asyncio.all_tasks(loop), *unlisted}

    async def end_all() -> None:
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=LAST_SECONDS)
        await asyncio.wait_for(loop.shutdown_asyncgens(), LAST_SECONDS)

    if not loop.is_closed():
        loop.set_task_factory(None)  # One of an agent's may make no tasks.
        ending = make_unlisted_task(loop, end_all())
        while not (ending.done() or loop.is_closed()):
            with suppress(BaseException):  # What an agent left stops the loop, or raises in it.
                loop.run_until_complete(ending)
        with suppress(BaseException):
            ending.exception()  # Else asyncio reports that nobody looked at it.
        with suppress(Exception):  # A thread of an agent's closes it at this instant.
            loop.close()
    leave_behind(*(task for task in tasks if not task.done()))
