"""The exception that tells that a signal has stopped a command."""

from __future__ import annotations

import signal
from pathlib import Path

# The signals that stop a command.
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class RunInterrupt(KeyboardInterrupt):
    """A signal, of this number, stopped a run or its judging; without a folder, another command."""

    REMEDY = "the same run with `out` {} resumes it"

    def __init__(self, folder: Path | None, number: int = signal.SIGINT) -> None:
        kept = self.REMEDY.format(folder) if folder else "nothing of it is kept"
        super().__init__(f"stopped by a signal; {kept}")
        self.folder, self.number = folder, number
