"""Makes threads of a memory interleave: its code pauses at random lines while several calls run.

Calls often take microseconds, and hardly ever overlap by themselves. A memory that is right
whatever its threads do is right with pauses, so no pause can make one wrong.
"""

from __future__ import annotations

import inspect
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from random import Random
from types import FrameType
from typing import Any

_SWITCH_SECONDS = 2e-5  # Python lets another thread go on after this time.
# The share of the lines of a call that pause: one of these is drawn for each call.
_SHARES = (0.3, 0.1, 0.03)
_MOST_PAUSES = 8  # In a call.
_PAUSE_SECONDS = 2e-4
# Code in these folders is not the memory's own.
_NOT_ITS_OWN = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})


@contextmanager
def frequent_switches() -> Iterator[None]:
    """Let Python switch between threads more often than usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class PausingMemory:
    """A memory whose sync methods pause at random lines of its own code while ``pauses()``."""

    def __init__(self, memory: object, pauses: Callable[[], bool]) -> None:
        self._memory, self._pauses, self._rng = memory, pauses, Random(0)  # noqa: S311

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._memory, name)
        if not self._pauses() or not callable(method) or inspect.iscoroutinefunction(method):
            return method

        @wraps(method)
        def call(*arguments: object, **fields: object) -> object:
            before = sys.gettrace()
            sys.settrace(self._tracer())
            try:
                return method(*arguments, **fields)
            finally:
                sys.settrace(before)

        return call

    def _tracer(self) -> Any:
        """Return a trace function that pauses at some lines of one call."""
        share, pauses_left = self._rng.choice(_SHARES), _MOST_PAUSES

        def trace(frame: FrameType, event: str, value: object) -> Any:
            nonlocal pauses_left
            is_foreign = frame.f_code.co_filename.startswith(("<frozen", *_NOT_ITS_OWN))
            if not pauses_left or is_foreign:
                return None
            if event == "line" and self._rng.random() < share:
                pauses_left -= 1
                time.sleep(_PAUSE_SECONDS)
            return trace

        return trace
