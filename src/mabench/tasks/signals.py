"""Stopping a command that is no run at a signal, so that it leaves no process or folder behind."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any

from mabench.tasks.stopping import STOP_SIGNALS, RunInterrupt


def raise_on_signals() -> None:
    """Raise a ``RunInterrupt`` at Ctrl-C or SIGTERM; the second one ends the process at once."""
    for number in STOP_SIGNALS:
        signal.signal(number, _stop)


def _stop(number: int, frame: object) -> None:
    for each in STOP_SIGNALS:
        signal.signal(each, signal.SIG_DFL)
    sys.unraisablehook = _stop_again
    raise RunInterrupt(None, number)


def _stop_again(lost: Any) -> None:
    """Repeat a signal whose exception a callback of garbage collection lost, as Hypothesis's."""
    if isinstance(stop := lost.exc_value, KeyboardInterrupt):
        number = getattr(stop, "number", signal.SIGINT)
        signal.signal(number, _stop)
        threading.Timer(0.1, os.kill, (os.getpid(), number)).start()
