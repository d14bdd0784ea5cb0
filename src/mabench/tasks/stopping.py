"""Stopping a run early so that it can be resumed: a signal, errors, cost."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent import futures
from contextlib import asynccontextmanager, contextmanager, suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeVar

from mabench.metering import Meter
from mabench.models import ReadingModel
from mabench.printable import printable
from mabench.progress import Progress
from mabench.redact import redact
from mabench.remote import keeper
from mabench.tasks.loops import run_to_end

_T = TypeVar("_T")

# Seconds that a request which is with a model's server has to end after a signal.
_GRACE = 0.5
# Seconds that what is under way has to end after a signal, and once it is cancelled.
_LAST_SECONDS, _CANCEL_SECONDS = 10.0, 3.0
# Seconds between two looks at servers.
_BEAT = 1.0
# How many times as long as the one before each wait is until the next word of an outage.
_SLOWER = 2.0
# The signals that stop a command.
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# Python's own helpers and the guards of processes that run rows, which end with this process.
_HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver", "keeper.py guard")
_LONGEST_COMMAND = 200  # Characters.
_UNKNOWN = "what is under way"
_MOST_NAMED = 10


class RunInterrupt(KeyboardInterrupt):
    """A signal, of this number, stopped a run or its judging; without a folder, another command."""

    REMEDY = "the same run with `out` {} resumes it"

    def __init__(self, folder: Path | None, number: int = signal.SIGINT) -> None:
        kept = self.REMEDY.format(folder) if folder else "nothing of it is kept"
        super().__init__(f"stopped by a signal; {kept}")
        self.folder, self.number = folder, number


class Stop:
    """Says whether the run is to stop, and why; nothing new begins once it is."""

    def __init__(self) -> None:
        self.reason: str | None = None  # In words; None while the run continues.
        # By a signal; since the run has cost as much as it may; since a reply is not kept.
        self.by_signal = self.by_cost = self.not_kept = False
        self.signal: int = signal.SIGINT
        # Called when the run is asked to stop, and again at the first signal.
        self.listeners: list[Callable[[], object]] = []
        self._waits: dict[object, tuple[float, str]] = {}
        self._notes: int | None = None  # A file for the watchdog, which cannot ask.

    def ask(self, reason: str) -> None:
        """Begin nothing new; what is under way is finished and stored."""
        if self.reason is None:
            self.reason = reason
            self._tell()

    def _interrupt(self, number: int = signal.SIGINT) -> None:
        # Nothing is waited for that can be asked again.
        if not self.by_signal:
            self.by_signal, self.signal = True, number
            self.reason = self.reason or "stopped by a signal"
            self._tell()

    @contextmanager
    def halt_on_stop(self, *servers: ReadingModel | Meter | None) -> Iterator[None]:
        """Let nothing more be sent to servers of models once the run stops.

        What is with one then is awaited, since it is paid for; after a signal for a moment only.
        """

        def halt() -> None:
            for server in servers:
                if server is not None:
                    server.gate.halt(_GRACE if self.by_signal else None)

        self.listeners.append(halt)
        if self.reason is not None:
            halt()
        try:
            yield
        finally:
            self.listeners.remove(halt)

    @asynccontextmanager
    async def supervise(
        self, progress: Progress, work: str, *servers: ReadingModel | Meter | None
    ) -> AsyncIterator[None]:
        """Halt servers as ``halt_on_stop`` does, and say how they fare, beside ``work``.

        That is: how long one has not answered, and when that ends; in the end, what was not cached.
        """
        present = [server for server in servers if server is not None]
        with self.halt_on_stop(*present):
            watching = asyncio.create_task(_tell_outages(present, progress, work))
            try:
                yield
            finally:
                watching.cancel()
                await asyncio.wait([watching])
                caches = [each.cache for each in present if each.cache]
                if problem := next((each.not_kept for each in caches if each.not_kept), None):
                    progress.say(f"not every reply was cached for later runs: {problem}")

    def _tell(self) -> None:
        for listener in [*self.listeners]:
            listener()

    def follow(self, stopping: Connection, interrupted: Connection) -> None:
        """Stop when the other end of ``stopping`` is closed, for a signal that of the other."""

        def follow() -> None:
            wait([stopping])
            self.ask("the run is stopping")
            wait([interrupted])
            self._interrupt()

        threading.Thread(target=follow, daemon=True).start()

    @contextmanager
    def waiting_for(self, what: str) -> Iterator[None]:
        """Note within this block what is waited for, to be said when it takes too long."""
        if self._notes is not None:
            what = printable(redact(what))
        key = object()
        self._waits[key] = time.monotonic(), what
        self._write_notes()
        try:
            yield
        finally:
            del self._waits[key]
            self._write_notes()

    def _write_notes(self) -> None:
        if self._notes is not None:
            begun, what = next(iter(self._waits.values()), (0.0, _UNKNOWN))
            note = f"{begun}\n{what}\0"
            os.pwrite(self._notes, note.encode(), 0)

    def run(
        self,
        work: Coroutine[Any, Any, _T],
        progress: Progress,
        remedy: str,
        also_watch: Callable[[], object] | None = None,
    ) -> _T:
        """Run async work to its end, or until ten seconds after Ctrl-C or SIGTERM, or the second.

        Requests to a model that wait are given up at the first, which says what is waited for.
        What does not end then is cancelled, and left behind where it does not end even so.
        Signals are handled only in the main thread of the program; where something keeps Python
        from that, ``remedy`` says how to resume. ``also_watch`` is watched as in ``run_to_end``.

        Raises:
            CancelledError: when it was ended, of ``asyncio`` or ``concurrent.futures``.
        """
        loop: asyncio.AbstractEventLoop
        task: asyncio.Task[_T]
        overdue, abandoned = math.inf, math.inf

        async def cancellable() -> _T:
            nonlocal loop, task
            loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
            return await task

        def watch() -> None:
            nonlocal overdue, abandoned
            now = time.monotonic()
            if signals and not self.by_signal:
                self._interrupt(signals[0])
                overdue = now + _LAST_SECONDS
                under_way = [*self._waits.values()]  # At once: the work goes on.
                waits = [f"{what}, for {now - begun:.0f} s" for begun, what in under_way]
                more = f" and {len(waits) - 1} more" if len(waits) > 1 else ""
                progress.say(
                    f"Stopping: waiting for {waits[0] if waits else _UNKNOWN}{more}; ends in "
                    f"{_LAST_SECONDS:.0f} s, or press Ctrl-C again."
                )
            if abandoned == math.inf and (len(signals) > 1 or now > overdue):
                abandoned = now + _CANCEL_SECONDS
                loop.call_soon_threadsafe(task.cancel)
            if now > abandoned:
                raise futures.CancelledError
            if also_watch is not None:
                also_watch()

        with self._on_signals(remedy) as signals:
            try:
                return run_to_end(cancellable(), watch)
            finally:
                if signals:  # One may have come at the very end.
                    self._interrupt(signals[0])

    @contextmanager
    def _on_signals(self, remedy: str) -> Iterator[list[int]]:
        signals: list[int] = []
        if threading.current_thread() is not threading.main_thread():
            yield signals
            return
        with self._watchdog(remedy) as heard:

            def collect(number: int, frame: object) -> None:
                heard()
                signals.append(number)

            before = {number: signal.signal(number, collect) for number in STOP_SIGNALS}
            try:
                yield signals
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

    @contextmanager
    def _watchdog(self, remedy: str) -> Iterator[Callable[[], None]]:
        """Have a process told of each signal, which ends this one where Python cannot.

        What is yielded tells it that Python handles a signal itself.
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
            self._notes = notes.fileno()
            self._write_notes()
            before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)

            def heard() -> None:
                with suppress(OSError):  # It may be full, or the watchdog gone.
                    os.write(writing, b"\0")

            try:
                yield heard
            finally:
                signal.set_wakeup_fd(before)
                self._notes = None
                process.kill()
                process.wait()
                os.close(writing)


async def _tell_outages(
    servers: Sequence[ReadingModel | Meter], progress: Progress, work: str
) -> None:
    looks, wait = 0, 1.0
    while True:
        await asyncio.sleep(_BEAT)
        outage = next((text for server in servers if (text := server.gate.outage)), None)
        if outage is None:
            if looks:
                progress.note(work, "the model server answers again")
            looks, wait = 0, 1.0
            continue
        looks += 1
        if looks >= wait:
            progress.note(work, outage)
            wait = looks * _SLOWER


@contextmanager
def name_leftovers(progress: Progress) -> Iterator[None]:
    """Name processes that were started within this block and still run at its end, on Linux."""
    before = set(keeper.started_by(os.getpid()))
    keeper.adopt_orphans()  # So that they are found, too.
    try:
        yield
    finally:
        processes = set(keeper.started_by(os.getpid())) - before
        keeper.adopt_orphans(False)
        left = []
        for process in sorted(processes):
            with suppress(OSError):  # It has ended.
                words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
                command = b" ".join(words).decode("utf-8", "replace").strip()
                if not any(helper in command for helper in _HELPERS):
                    line = printable(" ".join(redact(command).split()))
                    left.append(f"{process} ({line[:_LONGEST_COMMAND]})")
        if left:
            more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
            progress.say(
                "The agent left processes behind, which are still running: "
                f"{', '.join(left[:_MOST_NAMED])}{more}. End them in its `close`."
            )
