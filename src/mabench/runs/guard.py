"""Kills a process with all that it started when a pipe closes: ``guard.py PROCESS PIPE...``.

Started by its path, in a process of its own, so that it works while that process is stuck.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_SECONDS = 2.0  # In which new processes are looked for.
_PAUSE = 0.005


def _main() -> None:
    head, *pipes = map(int, sys.argv[1:])
    select.select(pipes, [], [])
    kill_all(head)


def kill_all(head: int) -> None:
    """Kill a process that heads a group, all of that, and where the system tells all it started."""
    end = time.monotonic() + _SECONDS
    while (processes := list(started_by(head))) and time.monotonic() < end:
        for process in processes:
            _kill(process)
        time.sleep(_PAUSE)  # What those started is the head's now, and is found next.
    with contextlib.suppress(OSError):
        os.killpg(head, signal.SIGKILL)
    _kill(head)


def _kill(process: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGKILL)


def started_by(head: int) -> Iterator[int]:
    """Yield what a process started, at any remove, and has not ended; never this process."""
    parents: dict[int, tuple[int, str]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name, in parentheses, may hold spaces and parentheses.
            state, parent = file.read_text("utf-8", "replace").rpartition(")")[2].split()[:2]
            parents[int(file.parent.name)] = int(parent), state
    for process, (ancestor, state) in parents.items():
        while ancestor in parents and ancestor != head:
            ancestor = parents[ancestor][0]
        if ancestor == head and state != "Z" and process != os.getpid():
            yield process


if __name__ == "__main__":
    _main()
