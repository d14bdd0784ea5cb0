"""The way from one event loop to another: calls of one turn take a single wake-up together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

_Job = tuple[Callable[..., object], tuple[object, ...]]


class Courier:
    """Has functions called in another loop, in order.

    Each wake-up of another thread costs as much as the call that it carries, so what one turn of
    this loop hands over goes together.
    """

    def __init__(self, here: asyncio.AbstractEventLoop, there: asyncio.AbstractEventLoop) -> None:
        self._here, self._there = here, there
        self._jobs: list[_Job] = []

    def call(self, function: Callable[..., object], *arguments: object) -> None:
        """Have a function called in the other loop; call this in the thread of this one.

        Nothing comes of it where one of the loops is closed.
        """
        self._jobs.append((function, arguments))
        if len(self._jobs) == 1:
            with suppress(RuntimeError):
                self._here.call_soon(self._send)

    def _send(self) -> None:
        """Hand over all calls that were made in this turn of the loop."""
        jobs, self._jobs = self._jobs, []
        with suppress(RuntimeError):
            self._there.call_soon_threadsafe(_carry_out, jobs)


def _carry_out(jobs: list[_Job]) -> None:
    for function, arguments in jobs:
        function(*arguments)
