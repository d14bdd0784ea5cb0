"""The handlers of Ctrl-C and SIGTERM: of a run, which can resume, and of other commands."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mabench.tasks.interrupt import STOP_SIGNALS, RunInterrupt
from mabench.tasks.waits import Waits
from mabench.tasks.watchdog import watchdog


@contextmanager
def collect_signals(waits: Waits, remedy: str) -> Iterator[list[int]]:
    """Yield a list to which the numbers of signals are added as they come.

    Python handles them in the main thread of the program alone; where something keeps it from
    that, a watchdog says what is waited for, and by ``remedy`` how to resume.
    """
    signals: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield signals
        return
    with watchdog(waits, remedy) as tell_handled:

        def collect(number: int, frame: object) -> None:
            tell_handled()
            signals.append(number)

        before = {number: signal.signal(number, collect) for number in STOP_SIGNALS}
        try:
            yield signals
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def raise_on_signals() -> None:
    """Raise a ``RunInterrupt`` at Ctrl-C or SIGTERM; the second one ends the process at once."""
    for number in STOP_SIGNALS:
        signal.signal(number, _stop)


def _stop(number: int, frame: object) -> None:
    """Raise a ``RunInterrupt``, after which the next signal ends the process."""
    for stop_signal in STOP_SIGNALS:
        signal.signal(stop_signal, signal.SIG_DFL)
    sys.unraisablehook = _stop_again
    raise RunInterrupt(None, number)


def _stop_again(lost: Any) -> None:
    """Repeat a signal whose exception was lost, and leave other lost exceptions unsaid.

    Python loses what is raised in a callback of garbage collection, such as Hypothesis has.
    """
    stop = lost.exc_value
    if isinstance(stop, KeyboardInterrupt):
        number = getattr(stop, "number", signal.SIGINT)
        signal.signal(number, _stop)
        threading.Timer(0.1, os.kill, (os.getpid(), number)).start()
