"""An agent and a memory that live elsewhere, the channel that carries their calls, and a program.

To the engine they are like any other. What a channel runs over, a process, HTTP or MCP, is the
business of a module of its own.

A program serves over its standard streams. A keeper of ours stands between (``keeper.py``): nothing
of the program outlives it or the run. What comes from it is bounded, and it is told nothing of the
environment but what programs need, and what the user names.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from mabench.contract.methods import FIELDS, KINDS, METHODS, Takes
from mabench.errors import MabenchError, UsageError, reason
from mabench.models.failure import describe_excess
from mabench.redact import names_secret, redact
from mabench.remote import keeper

LONGEST_REPLY = 1 << 25  # Bytes; 32 MiB.
# What the session of a conversation is called where a ``session`` is that of a row.
CONVERSATION = "conversation"
_FOLDER = "mabench-"
# What programs need to run at all, and where no secret stands.
_BARE = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP"),
    *("LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    # Of Windows:
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA"),
    *("USERPROFILE", "PROGRAMDATA", "PROGRAMFILES", "PROCESSOR_ARCHITECTURE"),
)
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_MOST_HINTS = 3
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


class RemoteError(MabenchError):
    """The other side raised an error, sent what is no reply, is gone or cannot be reached."""


class Channel(Protocol):
    """Carries the calls of one agent or memory to where it lives."""

    @property
    def takes(self) -> Takes:
        """What the other side says that it takes and has."""

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        """Return the result of a method as it was sent, or raise a ``RemoteError``."""

    async def close(self) -> None:
        """Let the other side put its things away."""


class Remote:
    """An agent or a memory at the other end of a channel, with the methods that are there.

    It loads and saves in folders of its own: the path of the run's would lead to golds.
    """

    def __init__(self, channel: Channel, kind: str) -> None:
        self._channel = channel
        self._folders = ExitStack()
        self.takes = channel.takes
        for name in (*KINDS[kind], *self.takes.methods):
            setattr(self, name, getattr(self, f"_{name}", partial(self._call, name)))

    async def _call(self, method: str, *arguments: object, **fields: object) -> Any:
        params = dict(zip(METHODS[method], arguments, strict=True)) | fields
        if isinstance(time := params.get("time"), datetime):
            params["time"] = time.isoformat()
        if method == "answer":
            query = params.pop("query")
            params |= {"prompt": str(query), **{n: getattr(query, n) for n in FIELDS["query"]}}
        return await self._channel.call(method, params)

    async def close(self) -> None:
        """Close the other side, and remove its folders."""
        with self._folders:
            await self._channel.close()

    async def kill(self) -> None:
        """End its process at once, as ``kill -9`` does; nothing where it has none of ours."""
        if self.process is not None:
            channel: Any = self._channel
            channel.kill("it was killed")
            await asyncio.to_thread(channel.end)

    @property
    def process(self) -> int | None:
        """The number of the process of ours that it lives in; None without one."""
        return getattr(self._channel, "process", None)

    async def _save(self, folder: Path) -> None:
        with TemporaryDirectory(prefix=_FOLDER) as there:
            await self._channel.call("save", {"folder": there})
            await asyncio.to_thread(shutil.copytree, there, folder, dirs_exist_ok=True)

    async def _load(self, folder: Path) -> None:
        # It may go on reading what it loaded, so its copy lasts as long as it does.
        there = self._folders.enter_context(TemporaryDirectory(prefix=_FOLDER))
        await asyncio.to_thread(shutil.copytree, folder, there, dirs_exist_ok=True)
        await self._channel.call("load", {"folder": there})


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

    @staticmethod
    def environment(names: Sequence[str] = ()) -> dict[str, str]:
        """Return what a program needs to run, and the variables of these names, if they are set."""
        for name in names:
            if name not in os.environ:
                remedy = "give names alone; their values are taken from here"
                hint = f" ({remedy})" if "=" in name else ""
                shown = name.partition("=")[0]
                problem = f"{shown} is not set; set it, or leave it out{hint}"
                raise UsageError(problem, parameter="env")
        passed = {
            name: value
            for name, value in os.environ.items()
            if name.upper() in _BARE or name.startswith("LC_") or name in names
        }
        return {**passed, "PYTHONUNBUFFERED": "1"}

    @staticmethod
    def hint(problem: str, environment: Mapping[str, str]) -> str:
        """Return a hint at variables that a program which did not start was not passed."""
        withheld = sorted(name for name in os.environ if name not in environment)
        if wanted := [name for name in withheld if name in _VARIABLE.findall(problem)]:
            names = " or ".join(wanted[:_MOST_HINTS])
            return f"; {names} is set here but was not passed on: name it with `env`"
        names = " or ".join([*filter(names_secret, withheld)][:_MOST_HINTS])
        return names and f"; should it need {names}: it was not passed on, name it with `env`"

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
        """Wait at most so many seconds for the program's end, and return whether it came."""
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
