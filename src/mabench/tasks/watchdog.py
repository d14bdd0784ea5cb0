"""Ends a process in which nothing handles signals: ``watchdog.py PROCESS REMEDY``.

Code that never returns, and does not let go of Python's lock, keeps all handlers of signals from
being called. But Python's own handler in C writes the number of each signal to a pipe, which is
the standard input here; a zero follows from the handler in Python. Standard output is the file in
which the process notes since when it waits, and for what.

Started by its path, in a process of its own, so that it works while that process is stuck.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import sys
import time

_BEAT = 0.5  # Seconds between two looks.
_REPLY = 1.0  # Seconds that Python has to handle a signal.
# Seconds until the end: after the first signal, the second, and one that Python handles.
_FIRST, _SECOND, _HANDLED = 10.0, 1.0, 10.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def _main() -> None:
    for stop_signal in _SIGNALS:  # What stops a service sends them to all its processes.
        signal.signal(stop_signal, signal.SIG_IGN)
    process, remedy = int(sys.argv[1]), sys.argv[2]
    signals, unhandled, end = 0, math.inf, math.inf
    while os.getppid() == process:
        arrived = os.read(0, 512) if select.select([0], [], [], _BEAT)[0] else b""
        now = time.monotonic()
        for number in arrived:
            if number in _SIGNALS:
                signals += 1
                unhandled = now + _REPLY
                end = min(end, now + (_FIRST if signals == 1 else _SECOND))
            elif number == 0:
                unhandled, end = math.inf, now + _FIRST + _HANDLED
        if now > end:
            _say(f"Ended while waiting for {_waits()}. {remedy}")
            os.kill(process, signal.SIGKILL)
            return
        if now > unhandled:
            unhandled = math.inf
            _say(
                f"Stopping: waiting for {_waits()}, which blocks Python; ends in "
                f"{max(0.0, end - now):.0f} s, or press Ctrl-C again."
            )


def _waits() -> str:
    begun, _, what = os.pread(1, 1 << 16, 0).partition(b"\0")[0].partition(b"\n")
    seconds = time.monotonic() - float(begun)
    return f"{what.decode()}, for {seconds:.0f} s" if float(begun) else what.decode()


def _say(line: str) -> None:
    with contextlib.suppress(OSError):  # Nobody may read it any more.
        os.write(2, f"\n{line}\n".encode())


if __name__ == "__main__":
    _main()
