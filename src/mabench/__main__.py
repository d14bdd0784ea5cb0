"""Lets ``python -m mabench`` run the command line."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress

from mabench.cli import main as run_command

# Seconds that threads of an agent have to end, also after a signal.
_LAST_SECONDS, _AFTER_A_SIGNAL = 10.0, 1.0
_SIGNAL = 128  # Is added to the number of a signal.


def main() -> None:
    """Run the command line, and end although an agent left something that does not."""
    code: object = 0
    try:
        run_command()
    except SystemExit as end:
        code = end.code
    status = code if isinstance(code, int) else 0
    left_behind = sys.modules.get("mabench.tasks.left_behind")
    if left_behind is not None and left_behind.leaves_something():
        _end(status)

    def end_late() -> None:
        time.sleep(_AFTER_A_SIGNAL if status > _SIGNAL else _LAST_SECONDS)
        _end(status)

    threading.Thread(target=end_late, daemon=True).start()
    sys.exit(status)


def _end(status: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
