"""A process that serves an agent or a memory by the line protocol, over its standard streams.

Messages are JSON-RPC 2.0 in JSON text sequences (RFC 7464); see
``docs/reference/line-protocol.md``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from itertools import count
from typing import Any

from mabench.contract.methods import Takes
from mabench.printable import write_count
from mabench.redact import redact
from mabench.remote.channel import RemoteError
from mabench.remote.child_process import ChildProcess

_RS = b"\x1e"
# Seconds that closing may take.
_CLOSE_SECONDS = 30.0
# Seconds that a thread has to end, or a process that has closed its output.
_END_SECONDS = 10.0
# Characters of an invalid reply that an error shows.
LONGEST_SHOWN = 200
# Characters of an error's message or traceback that are kept.
_LONGEST_ERROR = 10_000


class WorkerProcess:
    """Starts a process and sends it requests, whose replies may come in any order.

    Raises:
        RemoteError: when the process cannot be started.
    """

    takes = Takes()

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._numbers = count(1)
        self._pending: dict[int, Future[Any]] = {}
        self._lock = threading.Lock()
        self._ended: str | None = None
        # Lines without the mark of a message, which are ignored.
        self._unmarked, self._first_unmarked = 0, ""
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._child = ChildProcess(command, environment)
        self.process = self._child.number
        self._reader = threading.Thread(target=self._read_replies, daemon=True)
        writer = threading.Thread(target=self._write_requests, daemon=True)
        waiter = threading.Thread(target=self._await_end, daemon=True)
        self._threads = [self._reader, writer, waiter]
        for thread in self._threads:
            thread.start()

    def send(self, method: str, params: Mapping[str, object] | None = None) -> Future[Any]:
        """Send a request; return a future of its reply, or of a ``RemoteError``."""
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
        """Kill the process with all that it started; pending requests fail with the reason."""
        self._fail(reason)
        self._child.kill()

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        """Call a method and return its result; if the call is cancelled, kill the process."""
        try:
            return await asyncio.wrap_future(self.send(method, params))
        except asyncio.CancelledError:  # It took too long, and may hang.
            self.kill(f"it was ended: {method} took too long{self.unmarked()}")
            raise

    async def close(self) -> None:
        """Ask the process to close the agent or memory, and end it."""
        with contextlib.suppress(TimeoutError, RemoteError):
            await asyncio.wait_for(self.call("close", {}), _CLOSE_SECONDS)
        await asyncio.to_thread(self.end)

    def end(self) -> None:
        """End the input of the process, and wait until it and our threads have ended."""
        self._outgoing.put(None)
        self._child.close()
        for thread in self._threads:
            thread.join(_END_SECONDS)

    def _write_requests(self) -> None:
        """Write requests, in a thread of its own: a process that does not read blocks it."""
        with contextlib.suppress(OSError):
            while (message := self._outgoing.get()) is not None:
                self._child.write(message)
        self._child.end_input()

    def _read_replies(self) -> None:
        """Read replies until the output ends, in a thread of its own."""
        try:
            while line := self._child.read_line():
                # What a library printed is before the mark, or on a line without a mark.
                _, mark, message = line.rpartition(_RS)
                if mark:
                    self._take_reply(message)
                else:
                    self._note_unmarked(line)
        except RemoteError as error:
            self.kill(str(error))
        if not self._child.has_ended(_END_SECONDS):
            self.kill(f"{self._child.name} closed its standard output")

    def _await_end(self) -> None:
        """Wait for the end of the process, and fail the requests that are still pending."""
        ending = self._child.await_end()
        self._outgoing.put(None)
        self._reader.join(_END_SECONDS)  # Replies that it sent before it ended count.
        self._fail(ending)

    def _take_reply(self, message: bytes) -> None:
        """Pass a reply to the request that waits for it; an invalid one ends the process."""
        try:
            reply = json.loads(message)
            pending = self._pending.pop(reply["id"])
        except (ValueError, KeyError, TypeError, RecursionError):
            self.kill(f"{self._child.name} sent an invalid reply: {_excerpt(message)}")
            return
        with contextlib.suppress(InvalidStateError):  # The request was cancelled.
            if "error" in reply:
                pending.set_exception(_error_of(reply["error"]))
            else:
                pending.set_result(reply.get("result"))

    def _note_unmarked(self, line: bytes) -> None:
        """Note a line without the mark; if it looks like a reply, end the process."""
        if not line.strip():
            return
        if self._unmarked == 0:
            self._first_unmarked = _excerpt(line)
        self._unmarked += 1
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
        """Return a note on how many lines without the mark were ignored; empty if none were."""
        if not self._unmarked:
            return ""
        lines = write_count(self._unmarked, "line")
        return (
            f"; {lines} of its output without the byte 0x1E at the start of a message "
            f"{'was' if self._unmarked == 1 else 'were'} ignored, first {self._first_unmarked}"
        )

    def _fail(self, reason: str) -> None:
        """Let all pending and later requests fail with a reason; the first reason counts."""
        with self._lock:
            self._ended = self._ended or reason
            pending = list(self._pending.values())
            self._pending.clear()
        for reply in pending:
            with contextlib.suppress(InvalidStateError):
                reply.set_exception(RemoteError(self._ended))


def _excerpt(line: bytes) -> str:
    """Return the start of a line for an error, without secrets and control characters."""
    return repr(redact(line.decode("utf-8", "replace"))[:LONGEST_SHOWN].strip().encode())


def _error_of(error: Any) -> RemoteError:
    """Return the error in a reply, with its traceback as a note."""
    if not isinstance(error, Mapping):
        return RemoteError(redact(str(error))[:_LONGEST_ERROR])
    message = redact(str(error.get("message", "it failed without an error message")))
    remote_error = RemoteError(message[:_LONGEST_ERROR])
    data = error.get("data")
    if isinstance(data, Mapping) and data.get("traceback"):
        remote_error.add_note(str(data["traceback"])[-_LONGEST_ERROR:])
    return remote_error
