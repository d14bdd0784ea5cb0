"""A process that serves an agent over its standard input and output: the line protocol.

It is JSON-RPC 2.0 in JSON text sequences (RFC 7464); ``docs/line-protocol.md`` describes it.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from itertools import count
from pathlib import Path
from typing import IO, Any

from mabench.redact import redact
from mabench.remote.channel import RemoteError

_RS = b"\x1e"
_LINE_BYTES = 1 << 28  # Of a message at most.
_LAST_LINES = 8
_END_SECONDS = 10.0  # That a process has to end once its input has.


class WorkerProcess:
    """Starts a process and sends it requests; replies may come in any order.

    Args:
        command: the program and its arguments.

    Raises:
        RemoteError: when it cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._name = Path(command[0]).name
        self._numbers = count(1)
        self._pending: dict[int, Future[Any]] = {}
        self._lock = threading.Lock()
        self._last_lines: deque[str] = deque(maxlen=_LAST_LINES)
        self._ended: str | None = None
        try:
            # In a session of its own: Ctrl-C is for the run, which lets an answer finish.
            self._process = subprocess.Popen(  # noqa: S603 - the user's own command
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        except OSError as error:
            raise RemoteError(f"{command[0]} cannot be started: {error.strerror}") from error
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        # The reader of replies waits for the first one's end.
        self._threads = [
            threading.Thread(target=work, args=(stream,), daemon=True)
            for work, stream in (
                (self._read_errors, self._process.stderr),
                (self._read_replies, self._process.stdout),
                (self._write_requests, self._process.stdin),
            )
        ]
        for thread in self._threads:
            thread.start()

    def send(self, method: str, params: Mapping[str, object] | None = None) -> Future[Any]:
        """Send a request; the future holds the result, or a ``RemoteError``."""
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
        """End the process at once; what is pending fails for that reason."""
        self._fail(reason)
        self._process.kill()

    def close(self) -> None:
        """Let the process end, and end it when it does not."""
        self._outgoing.put(None)
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            thread.join(_END_SECONDS)

    def _write_requests(self, stream: IO[bytes]) -> None:
        """Write requests; a process that does not read holds up nobody but this thread."""
        # The reader of replies notices the end of the process and fails what is pending.
        with contextlib.suppress(OSError), stream:
            while (message := self._outgoing.get()) is not None:
                stream.write(message)
                stream.flush()

    def _read_replies(self, stream: IO[bytes]) -> None:
        with stream:
            for line in iter(lambda: stream.readline(_LINE_BYTES), b""):
                # Whatever a library printed stands before the mark, or has none.
                _, mark, message = line.rpartition(_RS)
                if mark:
                    self._take(message)
        code = self._process.wait()
        self._outgoing.put(None)
        self._threads[0].join(_END_SECONDS)
        last = f"; it said: {' | '.join(self._last_lines)}" if self._last_lines else ""
        self._fail(f"{self._name} ended with exit code {code}{last}")

    def _take(self, message: bytes) -> None:
        try:
            reply = json.loads(message)
            pending = self._pending.pop(reply["id"])
        except (ValueError, KeyError, TypeError):
            shown = redact(message.decode("utf-8", "replace"))[:200].encode()
            self.kill(f"{self._name} sent what is no reply: {shown!r}")
            return
        with contextlib.suppress(InvalidStateError):  # Nobody may wait for it any more.
            if "error" in reply:
                pending.set_exception(_error_of(reply["error"]))
            else:
                pending.set_result(reply.get("result"))

    def _read_errors(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                if text := line.decode("utf-8", "replace").strip():
                    self._last_lines.append(redact(text)[:300])

    def _fail(self, reason: str) -> None:
        with self._lock:
            self._ended = self._ended or reason
            pending = list(self._pending.values())
            self._pending.clear()
        for reply in pending:
            if not reply.done():
                reply.set_exception(RemoteError(self._ended))


def _error_of(error: Any) -> RemoteError:
    """Return what the other side raised, with its traceback as a note."""
    if not isinstance(error, Mapping):
        return RemoteError(redact(str(error))[:2_000])
    remote_error = RemoteError(str(error.get("message", "it failed and said nothing")))
    data = error.get("data")
    if isinstance(data, Mapping) and data.get("traceback"):
        remote_error.add_note(str(data["traceback"]))
    return remote_error
