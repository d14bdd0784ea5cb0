"""Naming the processes that an agent started and left running."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mabench.printable import printable
from mabench.progress import Progress
from mabench.redact import redact
from mabench.remote import keeper

# Python's own helpers and the guards of processes that run rows, which end with this process.
_HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver", "keeper.py guard")
_LONGEST_COMMAND = 200  # Characters.
_MOST_NAMED = 10


@contextmanager
def name_leftovers(progress: Progress) -> Iterator[None]:
    """Name processes that were started within this block and still run at its end, on Linux."""
    before = set(keeper.started_by(os.getpid()))
    keeper.adopt_orphans()  # So that they are found, too.
    try:
        yield
    finally:
        processes = set(keeper.started_by(os.getpid())) - before
        keeper.adopt_orphans(False)
        left = []
        for process in sorted(processes):
            with suppress(OSError):  # It has ended.
                command = _read_command(process)
                if not any(helper in command for helper in _HELPERS):
                    line = printable(" ".join(redact(command).split()))
                    left.append(f"{process} ({line[:_LONGEST_COMMAND]})")
        if left:
            unnamed = len(left) - _MOST_NAMED
            more = f" and {unnamed} more" if unnamed > 0 else ""
            progress.say(
                "The agent left processes behind, which are still running: "
                f"{', '.join(left[:_MOST_NAMED])}{more}. End them in its `close`."
            )


def _read_command(process: int) -> str:
    """Return the command line of a process; an OSError says that it has ended."""
    words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    return b" ".join(words).decode("utf-8", "replace").strip()
