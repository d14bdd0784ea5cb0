"""A process that serves an agent over its standard input and output: the line protocol.

It is JSON-RPC 2.0 in JSON text sequences (RFC 7464): ``docs/reference/line-protocol.md``.
"""

from __future__ import annotations

import contextlib
import json
import queue
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from itertools import count
from typing import Any

from mabench.redact import redact
from mabench.remote.channel import RemoteError
from mabench.remote.child import ChildProcess

_RS = b"\x1e"
_END_SECONDS = 10.0  # That a thread has to end, or a process that closed its output.
_LONGEST_ERROR = 10_000  # Characters of a message or a traceback.


class WorkerProcess:
    """Starts a process and sends it requests; replies may come in any order.

    Args:
        command: the program and its arguments.
        environment: all that it is told of the environment.

    Raises:
        RemoteError: when it cannot be started.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._numbers = count(1)
        self._pending: dict[int, Future[Any]] = {}
        self._lock = threading.Lock()
        self._ended: str | None = None
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._child = ChildProcess(command, environment)
        self._threads = [
            threading.Thread(target=work, daemon=True)
            for work in (self._read_replies, self._write_requests, self._await_end)
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
        """End the process and all that it started; what is pending fails for that reason."""
        self._fail(reason)
        self._child.kill()

    def close(self) -> None:
        """Let the process end, and end it when it does not."""
        self._outgoing.put(None)
        self._child.close()
        for thread in self._threads:
            thread.join(_END_SECONDS)

    def _write_requests(self) -> None:
        """Write requests; a process that does not read holds up nobody but this thread."""
        # Whoever awaits the end of the process fails what is pending.
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
        except RemoteError as error:
            self.kill(str(error))
        if not self._child.has_ended(_END_SECONDS):
            self.kill(f"{self._child.name} closed its standard output")

    def _await_end(self) -> None:
        ending = self._child.ending()
        self._outgoing.put(None)
        self._threads[0].join(_END_SECONDS)  # What it replied before it ended counts.
        self._fail(ending)

    def _take(self, message: bytes) -> None:
        try:
            reply = json.loads(message)
            pending = self._pending.pop(reply["id"])
        except (ValueError, KeyError, TypeError, RecursionError):
            shown = redact(message.decode("utf-8", "replace"))[:200].encode()
            self.kill(f"{self._child.name} sent what is no reply: {shown!r}")
            return
        with contextlib.suppress(InvalidStateError):  # Nobody may wait for it any more.
            if "error" in reply:
                pending.set_exception(_error_of(reply["error"]))
            else:
                pending.set_result(reply.get("result"))

    def _fail(self, reason: str) -> None:
        with self._lock:
            self._ended = self._ended or reason
            pending = list(self._pending.values())
            self._pending.clear()
        for reply in pending:
            with contextlib.suppress(InvalidStateError):
                reply.set_exception(RemoteError(self._ended))


def _error_of(error: Any) -> RemoteError:
    """Return what the other side raised, with its traceback as a note."""
    if not isinstance(error, Mapping):
        return RemoteError(redact(str(error))[:_LONGEST_ERROR])
    message = redact(str(error.get("message", "it failed and said nothing")))
    remote_error = RemoteError(message[:_LONGEST_ERROR])
    data = error.get("data")
    if isinstance(data, Mapping) and data.get("traceback"):
        remote_error.add_note(str(data["traceback"])[-_LONGEST_ERROR:])
    return remote_error
