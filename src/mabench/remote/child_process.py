"""A program that is started and serves over its standard streams.

A keeper of ours (``keeper.py``) is between it and us: nothing of the program outlives it or the
run. What comes from it is bounded.
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

_TAIL = 1 << 16  # Bytes of what is read from standard error that are kept.
_PIECE = 1 << 16
_LAST_LINES = 8
_LONGEST_LINE = 300
# A line that says what is wrong; many programs print where they were after it.
_FAILURE = re.compile(
    r"\b\w*(?:error|exception)\b(?: \[\w+\])?[:.)]|\bexception in thread\b|\b(?:panic|fatal)\b",
    re.IGNORECASE,
)
_END_SECONDS = 10.0  # That a program has to end once its input has.
_KILLED_SECONDS = 10.0  # That all it left has to end once it is killed.


class ChildProcess:
    """Starts a program, or raises a ``RemoteError``; threads of the caller's use its streams.

    ``problem`` is what is wrong with what it sent; None while nothing is. ``number`` is that of the
    process of the keeper, which started the program.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.name = Path(command[0]).name
        if not hasattr(os, "fork"):  # The keeper needs it.
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
        there, self._lifeline = os.pipe()
        try:
            # In a session of its own: Ctrl-C is for the run, which lets an answer finish.
            self._process = subprocess.Popen(  # noqa: S603 - the user's own command
                [sys.executable, "-I", "-S", keeper.__file__, "keep", str(there), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=[there],
                env=environment,
            )
        except (OSError, ValueError) as error:
            os.close(self._lifeline)
            raise RemoteError(f"{command[0]} cannot be started: {reason(error)}") from error
        finally:
            os.close(there)
        process = self._process
        assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018 - pipes
        self.number = process.pid
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._errors = threading.Thread(target=self._read_errors, daemon=True)
        self._errors.start()

    def read_line(self) -> bytes:
        """Return the next line of output, empty at its end; raise a ``RemoteError`` if too long."""
        line = self._stdout.readline(LONGEST_REPLY)
        if len(line) == LONGEST_REPLY and not line.endswith(b"\n"):
            self.problem = describe_excess(self.name, LONGEST_REPLY)
            raise RemoteError(self.problem)
        self._is_over = self._is_over or not line
        return line

    def write(self, message: bytes) -> None:
        """Write to standard input, or raise an ``OSError`` when nobody reads it any more."""
        self._stdin.write(message)
        self._stdin.flush()

    def end_input(self) -> None:
        """Let standard input end, which asks the program to end."""
        with suppress(OSError):
            self._stdin.close()

    def has_ended(self, seconds: float) -> bool:
        """Wait at most this many seconds for the program's end, and return whether it came."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
            return True
        return False

    def await_end(self) -> str:
        """Wait until the program has ended, and return how, with its last words."""
        code = self._process.wait()
        return f"{self.name} ended with exit code {code}{self.last_words()}"

    def last_words(self) -> str:
        """Return the last lines of standard error, and the last that says what is wrong."""
        # A program that ends closes its output a moment before it is gone.
        if self.has_ended(_END_SECONDS if self._is_over else 0):
            self._errors.join(_END_SECONDS)
        tail = self._tail
        if len(tail) == _TAIL:  # Its first word may be the end of a secret.
            tail = b"".join(tail.split(maxsplit=1)[1:])
        text = redact(tail.decode("utf-8", "replace"))
        lines = [line.strip()[:_LONGEST_LINE] for line in text.splitlines() if line.strip()]
        last, failures = lines[-_LAST_LINES:], [*filter(_FAILURE.search, lines)]
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
        """Wait until the program has ended by itself, and kill it when it does not."""
        self.has_ended(_END_SECONDS)
        self.kill()
        if not self.has_ended(_KILLED_SECONDS):
            self._process.kill()
            self._process.wait()
        self._errors.join(_END_SECONDS)

    def _read_errors(self) -> None:  # As fast as they come.
        with suppress(OSError, ValueError), self._stderr:
            while piece := os.read(self._stderr.fileno(), _PIECE):
                self._tail = (self._tail + piece)[-_TAIL:]
