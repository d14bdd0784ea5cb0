"""Runs the command line as a process, also by ``python -m mabench``, and makes sure that it ends.

An agent may leave threads or other work behind that never ends, and that Python would wait for.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress

from mabench.cli import main as run_command

# Seconds that threads of an agent have to end, normally and after a signal.
_PATIENCE, _PATIENCE_AFTER_SIGNAL = 10.0, 1.0
# An exit code above this is of a command that a signal ended: this plus the signal's number.
_SIGNAL_BASE = 128


def main() -> None:
    """Run the command line, and end with its exit code although an agent left something running.

    Work that is known to be left behind is not waited for; other threads get some seconds.
    """
    code: object = 0
    try:
        run_command()
    except SystemExit as end:
        code = end.code
    exit_code = code if isinstance(code, int) else 0
    # Only if the module was loaded can something have been left behind.
    left_behind = sys.modules.get("mabench.tasks.left_behind")
    if left_behind is not None and left_behind.leaves_something():
        _end_now(exit_code)

    def end_later() -> None:
        after_signal = exit_code > _SIGNAL_BASE
        time.sleep(_PATIENCE_AFTER_SIGNAL if after_signal else _PATIENCE)
        _end_now(exit_code)

    # ``sys.exit`` waits for threads of an agent, but not for this one.
    threading.Thread(target=end_later, daemon=True).start()
    sys.exit(exit_code)


def _end_now(exit_code: int) -> None:
    """End the process without waiting for its threads; print what is still buffered."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(exit_code)


if __name__ == "__main__":
    main()
