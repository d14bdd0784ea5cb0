"""Agents and memories in processes of their own: other interpreters, other languages.

They are asked over their standard input and output, by the line protocol: JSON-RPC 2.0 in JSON
text sequences (RFC 7464), see ``docs/reference/line-protocol.md``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import queue
import shlex
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from itertools import count
from pathlib import Path
from typing import Any

from mabench.contract.methods import KINDS, Takes
from mabench.errors import MabenchError, NotMadeError, UsageError, ignored_model
from mabench.models.address import ModelAddress
from mabench.printable import write_count
from mabench.redact import redact, redact_command, redact_line
from mabench.remote.channel import ChildProcess, Remote, RemoteError

_RS = b"\x1e"
_WORKER = Path(__file__).with_name("worker.py")
_START_SECONDS = 600.0  # Some programs load models for minutes before they are ready.
_CLOSE_SECONDS = 30.0
_END_SECONDS = 10.0  # That a thread has to end, or a process that closed its output.
_LONGEST_SHOWN = 200  # Characters of a reply that is none.
_LONGEST_ERROR = 10_000  # Characters of a message or a traceback.


def process_factory(
    agent: str,
    python: str | Path | None = None,
    settings: Mapping[str, object] | None = None,
    model: Mapping[str, str] | None = None,
    env: Sequence[str] = (),
) -> Callable[..., Remote]:
    """Return a factory that starts a process for each row and lets it make an agent or a memory.

    ``python`` runs our worker, in which ``agent`` is ``module:factory``, ``FILE.py:factory`` or a
    plugin of that environment, which needs nothing of ours; without it, ``agent`` is the command of
    a program that speaks the line protocol. ``env`` names the environment variables that are passed
    on. The factory may be given an address at which the model is called, in place of ``model``, an
    empty folder for what is stored, and how many seconds the process may take to be ready.

    Raises:
        UsageError: when there is no such interpreter, program or variable.
        NotMadeError: by the factory, when a process does not start.
    """
    make: dict[str, Any] = {"settings": dict(settings or {}), "model": model and dict(model)}
    if python is None:
        try:
            command = shlex.split(agent)
        except ValueError as error:
            raise UsageError(f"stdio:{redact_line(agent)}: {error}") from error
        if not command:
            raise UsageError("stdio: names no program; write 'stdio:node my-agent.js'")
    else:
        # A name without a folder is looked up as a shell does it. The path is not made absolute: a
        # link into an environment must stay one.
        program = python if Path(python).is_file() else shutil.which(str(python))
        if not program:
            raise UsageError(
                f"no interpreter {python}; give one such as venv/bin/python", parameter="python"
            )
        command = [str(program), str(_WORKER)]
        make |= {"factory": agent, "directory": str(Path.cwd())}
    environment = ChildProcess.environment(env)
    if python is None and shutil.which(command[0], path=environment.get("PATH")) is None:
        raise UsageError(
            f"stdio: there is no program {command[0]} here; install it, or give its path",
            parameter="agent",
        )

    def start(
        address: ModelAddress | None = None,
        folder: Path | None = None,
        seconds: float | None = None,
    ) -> Remote:
        variables = {**environment, **(address.environment() if address else {})}
        params = make | ({"folder": str(folder)} if folder else {})
        params |= {"model": address.setting()} if address else {}
        try:
            return _open(command, variables, params, min(seconds or math.inf, _START_SECONDS))
        except RemoteError as error:
            reason = f"{make.get('factory') or redact_command(command)} cannot be used: {error}"
            raise NotMadeError(reason + ChildProcess.hint(str(error), variables)) from error

    return start


def _open(
    command: Sequence[str],
    environment: Mapping[str, str],
    params: Mapping[str, Any],
    seconds: float,
) -> Remote:
    """Start a process and let it make what it serves, within some seconds.

    Raises:
        RemoteError: says why it cannot; the process has ended then.
    """
    process = _WorkerProcess(command, environment)
    try:
        reply = process.send("make", params).result(seconds)
        if not isinstance(reply, Mapping) or reply.get("kind") not in KINDS:
            raise RemoteError(
                f"it replied to make with {json.dumps(reply)[:_LONGEST_SHOWN]}; expected "
                '{"kind": "agent" or "memory"} (see docs/reference/line-protocol.md)'
            )
        process.takes = Takes.of_reply(reply)
        if params["model"] and reply["kind"] == "agent" and reply.get("takes_model") is False:
            raise ignored_model(str(params.get("factory") or redact_command(command)))
        return Remote(process, reply["kind"])
    except (TimeoutError, MabenchError, KeyError, TypeError, AttributeError) as error:
        process.kill("it could not be used")
        process.end()
        if isinstance(error, MabenchError):
            raise
        late = (
            f"not ready within {seconds:g} s{process.unmarked()}; raise `memorize_timeout` if it "
            "only takes long to start"
        )
        raise RemoteError(late if isinstance(error, TimeoutError) else str(error)) from error


class _WorkerProcess:
    """Starts a process, or raises a ``RemoteError``; replies to requests may come in any order."""

    takes = Takes()

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._numbers = count(1)
        self._pending: dict[int, Future[Any]] = {}
        self._lock = threading.Lock()
        self._ended: str | None = None
        self._unmarked, self._first_unmarked = 0, ""  # Lines that no mark makes a message.
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._child = ChildProcess(command, environment)
        self.process = self._child.number
        works = (self._read_replies, self._write_requests, self._await_end)
        self._threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in self._threads:
            thread.start()

    def send(self, method: str, params: Mapping[str, object] | None = None) -> Future[Any]:
        reply: Future[Any] = Future()
        with self._lock:
            number = next(self._numbers)
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}
            if self._ended is not None:
                reply.set_exception(RemoteError(self._ended))
                return reply
            self._pending[number] = reply
        self._outgoing.put(_RS + json.dumps(request).encode("ascii") + b"\n")
        return reply

    def kill(self, reason: str) -> None:
        self._fail(reason)
        self._child.kill()

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        try:
            return await asyncio.wrap_future(self.send(method, params))
        except asyncio.CancelledError:  # It may hang.
            self.kill(f"it was ended: {method} took too long{self.unmarked()}")
            raise

    async def close(self) -> None:
        with contextlib.suppress(TimeoutError, RemoteError):
            await asyncio.wait_for(self.call("close", {}), _CLOSE_SECONDS)
        await asyncio.to_thread(self.end)

    def end(self) -> None:
        self._outgoing.put(None)
        self._child.close()
        for thread in self._threads:
            thread.join(_END_SECONDS)

    def _write_requests(self) -> None:
        # In a thread: the process may not read. Whoever awaits its end fails what is pending.
        with contextlib.suppress(OSError):
            while (message := self._outgoing.get()) is not None:
                self._child.write(message)
        self._child.end_input()

    def _read_replies(self) -> None:
        try:
            for line in iter(self._child.read_line, b""):
                # Whatever a library printed stands before the mark, or has none.
                _, mark, message = line.rpartition(_RS)
                if mark:
                    self._take(message)
                else:
                    self._pass_over(line)
        except RemoteError as error:
            self.kill(str(error))
        if not self._child.has_ended(_END_SECONDS):
            self.kill(f"{self._child.name} closed its standard output")

    def _await_end(self) -> None:
        ending = self._child.await_end()
        self._outgoing.put(None)
        self._threads[0].join(_END_SECONDS)  # What it replied before it ended counts.
        self._fail(ending)

    def _take(self, message: bytes) -> None:
        try:
            reply = json.loads(message)
            pending = self._pending.pop(reply["id"])
        except (ValueError, KeyError, TypeError, RecursionError):
            self.kill(f"{self._child.name} sent an invalid reply: {_excerpt(message)}")
            return
        with contextlib.suppress(InvalidStateError):  # Nobody may wait for it any more.
            if "error" in reply:
                pending.set_exception(_error_of(reply["error"]))
            else:
                pending.set_result(reply.get("result"))

    def _pass_over(self, line: bytes) -> None:
        """Note a line without the mark; one that would be a reply with it ends the process."""
        if not line.strip():
            return
        self._unmarked += 1
        self._first_unmarked = self._first_unmarked or _excerpt(line)
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            return
        if isinstance(reply, dict) and ("result" in reply or "error" in reply):
            number = reply.get("id")
            if isinstance(number, int) and number in self._pending:
                self.kill(
                    f"{self._child.name} sent a reply without the byte 0x1E before it: "
                    f"{_excerpt(line)}; write 0x1E before each message (see "
                    "docs/reference/line-protocol.md)"
                )

    def unmarked(self) -> str:
        """Return in words how many lines without the mark were ignored; empty for none."""
        if not self._unmarked:
            return ""
        lines = write_count(self._unmarked, "line")
        return (
            f"; {lines} of its output without the byte 0x1E at the start of a message "
            f"{'was' if self._unmarked == 1 else 'were'} ignored, first {self._first_unmarked}"
        )

    def _fail(self, reason: str) -> None:
        with self._lock:
            self._ended = self._ended or reason
            pending = list(self._pending.values())
            self._pending.clear()
        for reply in pending:
            with contextlib.suppress(InvalidStateError):
                reply.set_exception(RemoteError(self._ended))


def _excerpt(line: bytes) -> str:
    """Return the start of a line as an error shows it, without secrets and control characters."""
    return repr(redact(line.decode("utf-8", "replace"))[:_LONGEST_SHOWN].strip().encode())


def _error_of(error: Any) -> RemoteError:
    if not isinstance(error, Mapping):
        return RemoteError(redact(str(error))[:_LONGEST_ERROR])
    message = redact(str(error.get("message", "it failed without an error message")))
    remote_error, data = RemoteError(message[:_LONGEST_ERROR]), error.get("data")
    if isinstance(data, Mapping) and data.get("traceback"):
        remote_error.add_note(str(data["traceback"])[-_LONGEST_ERROR:])
    return remote_error
