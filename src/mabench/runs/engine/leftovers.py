"""Processes that an agent of this process started, and did not end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mabench.printable import printable
from mabench.progress import Progress
from mabench.redact import redact
from mabench.remote.keeper import adopt_orphans
from mabench.runs.engine.guard import started_by

# Python's own helpers, which end with this process.
_HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")
_LONGEST = 200  # Characters of a command.
_MOST = 10


@contextmanager
def leftovers_named(progress: Progress) -> Iterator[None]:
    """Name the processes, on Linux, that were started within this block and still run at its end.

    One that loses its parent is found, too.
    """
    before = set(started_by(os.getpid()))
    adopt_orphans()
    try:
        yield
    finally:
        left = dict(_commands(set(started_by(os.getpid())) - before))
        adopt_orphans(False)
        if left:
            named = [f"{process} ({command})" for process, command in [*left.items()][:_MOST]]
            more = f" and {len(left) - _MOST} more" if len(left) > _MOST else ""
            progress.say(
                f"The agent left processes behind, which still run: {', '.join(named)}{more}. End "
                "them in its `close`."
            )


def _commands(processes: set[int]) -> Iterator[tuple[int, str]]:
    """Yield processes with their commands, printable and without secrets."""
    for process in sorted(processes):
        with suppress(OSError):  # It has ended.
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            command = b" ".join(words).decode("utf-8", "replace").strip()
            if not any(helper in command for helper in _HELPERS):
                yield process, printable(" ".join(redact(command).split()))[:_LONGEST]
