"""Running asynchronous work that may block its event loop for ever.

A limit of time cannot interrupt an async method that never awaits. So the loop runs in a thread
of its own, and its pulse is felt from outside.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from typing import Any

_BEAT = 0.2
# Seconds beyond the limit that a loop may be busy with work of our own.
_GRACE = 5.0


class BlockedError(Exception):
    """The event loop has been blocked for too long; the thread that runs it is left behind."""


def run_watched(work: Coroutine[Any, Any, None], limit: float) -> None:
    """Run to the end, also where an event loop is already running.

    Raises:
        BlockedError: when the loop is blocked for more than ``limit`` seconds, and some.
        BaseException: whatever the work raises.
    """
    last_beat = time.monotonic()
    failures: list[BaseException] = []

    async def beat() -> None:
        nonlocal last_beat
        while True:
            last_beat = time.monotonic()
            await asyncio.sleep(_BEAT)

    async def beating() -> None:
        pulse = asyncio.create_task(beat())
        try:
            await work
        finally:
            pulse.cancel()

    def run() -> None:
        try:
            asyncio.run(beating())
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_BEAT)
        if time.monotonic() - last_beat > limit + _GRACE:
            raise BlockedError
    if failures:
        raise failures[0]
