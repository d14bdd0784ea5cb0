"""What the memories' own model calls cost."""

from __future__ import annotations

import threading
from collections.abc import Callable

from mabench.results.records.measurements import CallRecord


class Spending:
    """What the memories' own calls cost in this sitting; from any thread.

    Attributes:
        dollars: so much so far.
        listener: told once it is more.
    """

    def __init__(self) -> None:
        self.dollars = 0.0
        self.listener: Callable[[CallRecord], object] = lambda call: None
        self._lock = threading.Lock()

    def add(self, call: CallRecord) -> None:
        """Count a call of a memory that has ended; the reader's stand on the bills of answers."""
        if call.by == "memory" and call.ended:
            with self._lock:
                self.dollars += call.cost or 0.0
            self.listener(call)
