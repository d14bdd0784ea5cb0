"""A process beside a command that ends it at a signal where Python itself cannot.

Code that never returns and does not let go of Python's lock keeps all handlers from being called.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from mabench.remote import keeper
from mabench.tasks.waits import Waits


@contextmanager
def watchdog(waits: Waits, remedy: str) -> Iterator[Callable[[], None]]:
    """Start a process that is told of each signal, for as long as this block lasts.

    Where Python does not handle a signal, that process says what is waited for and, by ``remedy``,
    how to resume, and ends this one. Call what is yielded to tell it that Python handles a signal.
    """
    if not hasattr(os, "fork") or not sys.executable:  # Windows writes to sockets alone.
        yield lambda: None
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with tempfile.TemporaryFile() as notes:
        process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-I", "-S", keeper.__file__, "watch", str(os.getpid()), remedy],
            stdin=reading,
            stdout=notes,
            start_new_session=True,
        )
        os.close(reading)
        before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)

        def tell_handled() -> None:
            with suppress(OSError):  # The pipe may be full, or the watchdog gone.
                os.write(writing, b"\0")

        try:
            with waits.written_to(notes.fileno()):
                yield tell_handled
        finally:
            signal.set_wakeup_fd(before)
            process.kill()
            process.wait()
            os.close(writing)
