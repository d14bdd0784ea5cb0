"""A program that is started and speaks over its standard streams.

The program is started by ``keeper.py``, so that nothing of it outlives it or the run. The size of
what it prints is bounded.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from mabench.errors import reason
from mabench.models.failure import describe_excess
from mabench.redact import redact
from mabench.remote import keeper
from mabench.remote.channel import LONGEST_REPLY, RemoteError

# Bytes of standard error that are kept, and that are read at a time.
_TAIL_BYTES = 1 << 16
_PIECE_BYTES = 1 << 16
# How many lines of standard error an error shows, and how many characters of each.
_LAST_LINES = 8
_LONGEST_LINE = 300
# A line that names a failure; many programs print a traceback after it.
_FAILURE = re.compile(
    r"\b\w*(?:error|exception)\b(?: \[\w+\])?[:.)]|\bexception in thread\b|\b(?:panic|fatal)\b",
    re.IGNORECASE,
)
# Seconds that a program has to end after its input has ended, or after it was killed.
_END_SECONDS = 10.0
_KILLED_SECONDS = 10.0


class ChildProcess:
    """Starts a program; the caller reads and writes its streams in threads.

    ``problem`` says what was wrong with its output; None if nothing was. ``number`` is the id of
    the keeper's process, which started the program.

    Raises:
        RemoteError: when the program cannot be started.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.name = Path(command[0]).name
        if not hasattr(os, "fork"):  # The keeper needs ``fork``.
            raise RemoteError(
                f"{command[0]} cannot be started: Windows cannot end a program with all that it "
                "started; run mabench on Linux, macOS or WSL, or serve the agent over HTTP"
            )
        if shutil.which(command[0], path=environment.get("PATH")) is None:
            raise RemoteError(f"{command[0]} cannot be started: there is no such program")
        self.problem: str | None = None
        self._lock = threading.Lock()
        self._tail = b""
        self._is_over = False
        # When our end of this pipe closes, the keeper kills the program.
        keeper_end, self._lifeline = os.pipe()
        try:
            # In a session of its own, so that Ctrl-C reaches only the run.
            self._process = subprocess.Popen(  # noqa: S603 - the user's own command
                [sys.executable, "-I", "-S", keeper.__file__, "keep", str(keeper_end), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=[keeper_end],
                env=environment,
            )
        except (OSError, ValueError) as error:
            os.close(self._lifeline)
            raise RemoteError(f"{command[0]} cannot be started: {reason(error)}") from error
        finally:
            os.close(keeper_end)
        process = self._process
        assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018 - pipes
        self.number = process.pid
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._errors = threading.Thread(target=self._read_errors, daemon=True)
        self._errors.start()

    def read_line(self) -> bytes:
        """Return the next line of output; empty at the end.

        Raises:
            RemoteError: when the line is too long.
        """
        line = self._stdout.readline(LONGEST_REPLY)
        if len(line) == LONGEST_REPLY and not line.endswith(b"\n"):
            self.problem = describe_excess(self.name, LONGEST_REPLY)
            raise RemoteError(self.problem)
        if not line:
            self._is_over = True
        return line

    def write(self, message: bytes) -> None:
        """Write to standard input.

        Raises:
            OSError: when the program no longer reads.
        """
        self._stdin.write(message)
        self._stdin.flush()

    def end_input(self) -> None:
        """Close standard input, which asks the program to end."""
        with suppress(OSError):
            self._stdin.close()

    def has_ended(self, seconds: float) -> bool:
        """Wait up to some seconds for the program to end; return whether it did."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
            return True
        return False

    def await_end(self) -> str:
        """Wait until the program has ended; return its exit code and last output in words."""
        code = self._process.wait()
        return f"{self.name} ended with exit code {code}{self.last_words()}"

    def last_words(self) -> str:
        """Return the last lines of standard error for an error message, with the last failure."""
        # A program closes its output a moment before it ends.
        wait = _END_SECONDS if self._is_over else 0
        if self.has_ended(wait):
            self._errors.join(_END_SECONDS)
        tail = self._tail
        if len(tail) == _TAIL_BYTES:  # Its first word was cut off, and may be a part of a secret.
            first_and_rest = tail.split(maxsplit=1)
            tail = first_and_rest[1] if len(first_and_rest) > 1 else b""
        text = redact(tail.decode("utf-8", "replace"))
        lines = [line.strip()[:_LONGEST_LINE] for line in text.splitlines() if line.strip()]
        last = lines[-_LAST_LINES:]
        failures = [line for line in lines if _FAILURE.search(line)]
        if failures and failures[-1] not in last:
            last = [failures[-1], "...", *last]
        return f"; it said: {' | '.join(last)}" if last else ""

    def kill(self) -> None:
        """Kill the program and all that it started."""
        with self._lock:
            lifeline, self._lifeline = self._lifeline, -1
        if lifeline >= 0:
            os.close(lifeline)

    def close(self) -> None:
        """Wait until the program ends by itself; kill it if it does not."""
        self.has_ended(_END_SECONDS)
        self.kill()
        if not self.has_ended(_KILLED_SECONDS):
            self._process.kill()
            self._process.wait()
        self._errors.join(_END_SECONDS)

    def _read_errors(self) -> None:
        """Read standard error, so that the program never waits for it; keep the end."""
        with suppress(OSError, ValueError), self._stderr:
            while piece := os.read(self._stderr.fileno(), _PIECE_BYTES):
                self._tail = (self._tail + piece)[-_TAIL_BYTES:]
