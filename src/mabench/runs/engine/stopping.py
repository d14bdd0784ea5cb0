"""Stopping a run early so that it can be resumed: a signal, errors, cost."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Protocol

# Seconds that a request which is with a model's server has to end after a signal.
_GRACE = 0.5
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Halted(Protocol):
    """Sends requests until it is halted."""

    def halt(self, grace: float | None) -> None:
        """Send nothing more; end what was sent after a grace, or let it end by itself."""


class Stop:
    """Says whether the run is to stop, and why; nothing new begins once it is.

    Attributes:
        reason: why, in words; None while the run continues.
        by_signal: whether a signal asked for it.
        signal: the number of that signal.
        by_cost: whether the run has cost as much as it may.
        not_kept: whether a reply would have to be kept and is not.
        listeners: called when the run is asked to stop, and again at the first signal.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self.by_signal = self.by_cost = self.not_kept = False
        self.signal: int = signal.SIGINT
        self.listeners: list[Callable[[], object]] = []

    def ask(self, reason: str) -> None:
        """Begin nothing new; what is under way is finished and stored."""
        if self.reason is None:
            self.reason = reason
            self._tell()

    def interrupt(self, number: int = signal.SIGINT) -> None:
        """Stop for a signal: nothing is waited for that can be asked again."""
        if not self.by_signal:
            self.by_signal = True
            self.signal = number
            self.reason = self.reason or "stopped by a signal"
            self._tell()

    @contextmanager
    def telling(self, listener: Callable[[], object]) -> Iterator[None]:
        """Have a listener, which is told at once where the run is stopping already."""
        self.listeners.append(listener)
        if self.reason is not None:
            listener()
        try:
            yield
        finally:
            self.listeners.remove(listener)

    @contextmanager
    def halting(self, *senders: Halted | None) -> Iterator[None]:
        """Let models and meters send nothing more once the run stops.

        What is with a server then is awaited, since it is paid for, but after a signal only for a
        moment.
        """

        def halt() -> None:
            for sender in senders:
                if sender is not None:
                    sender.halt(_GRACE if self.by_signal else None)

        with self.telling(halt):
            yield

    def _tell(self) -> None:
        for listener in [*self.listeners]:
            listener()

    def follow(self, stopping: Connection, interrupted: Connection) -> None:
        """Stop when the other end of ``stopping`` is closed, for a signal that of the other."""

        def follow() -> None:
            wait([stopping])
            self.ask("the run is stopping")
            wait([interrupted])
            self.interrupt()

        threading.Thread(target=follow, daemon=True).start()

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Take Ctrl-C and SIGTERM as a wish to stop; the second cancels what is under way.

        Requests to a model that wait are given up at the first.

        Only where that is possible: in the main thread of the program, not in a notebook.
        """
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def stop(number: int) -> None:
            if self.by_signal and task:
                task.cancel()
            self.interrupt(number)

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        try:
            for number in _SIGNALS:
                loop.add_signal_handler(number, stop, number)
        except NotImplementedError:  # Windows: Ctrl-C then stops at once.
            yield
            return
        try:
            yield
        finally:
            for number in _SIGNALS:
                loop.remove_signal_handler(number)
