"""Lets threads meet within a memory: its own Python code pauses for a moment at random lines.

Calls of a memory often take microseconds, so that two of them hardly ever overlap, and a race shows
once a week. What waits in the middle of a call is overtaken by others at once. A memory that is
right whatever the threads do is right with pauses.
"""

from __future__ import annotations

import inspect
import sys
import sysconfig
import time
from functools import wraps
from random import Random
from types import FrameType
from typing import Any

_SHARES = (0.3, 0.1, 0.03)  # Of the lines: drawn for each call.
_PAUSES, _SECONDS = 8, 2e-4  # At most, in a call; each so long.
_NOT_OURS = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})


class PausedMemory:
    """A memory whose sync methods pause at random lines of its own code, while ``pauses``."""

    def __init__(self, memory: object) -> None:
        self.pauses = False
        self._memory, self._rng = memory, Random(0)  # noqa: S311

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._memory, name)
        if not self.pauses or not callable(method) or inspect.iscoroutinefunction(method):
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
        share, left = self._rng.choice(_SHARES), _PAUSES

        def trace(frame: FrameType, event: str, value: object) -> Any:
            nonlocal left
            if not left or frame.f_code.co_filename.startswith(("<frozen", *_NOT_OURS)):
                return None
            if event == "line" and self._rng.random() < share:
                left -= 1
                time.sleep(_SECONDS)
            return trace

        return trace
