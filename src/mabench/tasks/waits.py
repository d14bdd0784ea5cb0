"""What the engine waits for, to be said when it takes too long."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

_UNKNOWN = "what is under way"


class Waits:
    """What is waited for, in words that hold no secrets, and since when.

    Whoever names something of the data in them takes secrets and control characters out before.
    """

    def __init__(self) -> None:
        self._waits: dict[object, tuple[float, str]] = {}
        self._file: int | None = None

    @contextmanager
    def waiting_for(self, what: str) -> Iterator[None]:
        """Note within this block what is waited for."""
        key = object()
        self._waits[key] = time.monotonic(), what
        self._write()
        try:
            yield
        finally:
            del self._waits[key]
            self._write()

    @contextmanager
    def written_to(self, file: int) -> Iterator[None]:
        """Keep within this block the oldest wait in a file, for a process that cannot ask."""
        self._file = file
        self._write()
        try:
            yield
        finally:
            self._file = None

    def describe(self) -> str:
        """Return in words what is waited for: the oldest wait, and how many more there are."""
        now, waits = time.monotonic(), [*self._waits.values()]  # At once: the work goes on.
        if not waits:
            return _UNKNOWN
        begun, what = waits[0]
        more = f" and {len(waits) - 1} more" if len(waits) > 1 else ""
        return f"{what}, for {now - begun:.0f} s{more}"

    def _write(self) -> None:
        """Write when the oldest wait began, and what it is, over what the file held before."""
        if self._file is not None:
            begun, what = next(iter(self._waits.values()), (0.0, _UNKNOWN))
            os.pwrite(self._file, f"{begun}\n{what}\0".encode(), 0)
