"""Stopping a run early so that it can be resumed: a signal, errors, cost."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Says whether the run is to stop, and why; nothing new begins once it is.

    Attributes:
        reason: why, in words; None while the run continues.
        by_signal: whether a signal asked for it.
        by_cost: whether the run has cost as much as it may.
        listeners: called once, when the run is asked to stop.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self.by_signal = self.by_cost = False
        self.listeners: list[Callable[[], object]] = []

    def ask(self, reason: str) -> None:
        """Begin nothing new; what is under way is finished and stored."""
        if self.reason is None:
            self.reason = reason
            for listener in self.listeners:
                listener()

    def follow(self, stopping: Event) -> None:
        """Stop when the process that owns the run does."""

        def wait() -> None:
            stopping.wait()
            self.ask("the run is stopping")

        threading.Thread(target=wait, daemon=True).start()

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Take Ctrl-C and SIGTERM as a wish to stop; the second cancels what is under way.

        Only where that is possible: in the main thread of the program, not in a notebook.
        """
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def stop() -> None:
            if self.by_signal and task:
                task.cancel()
            self.by_signal = True
            self.ask("stopped by a signal")

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        try:
            for number in _SIGNALS:
                loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows: Ctrl-C then stops at once.
            yield
            return
        try:
            yield
        finally:
            for number in _SIGNALS:
                loop.remove_signal_handler(number)
