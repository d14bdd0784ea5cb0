"""Processes that watch others, so that nothing outlives a run and a stuck run can be ended.

This file is run by its path, in a process of its own, and works even while the run is stuck.

``keeper.py keep DESCRIPTOR COMMAND...`` runs a program that must end with the run. The descriptor
is the reading end of a pipe that the run keeps open. When it closes, however the run has ended, or
when the program ends, everything that the program has left is killed: its process group and, on
Linux, also processes that left the group. The keeper then ends as the program did.

``keeper.py guard PROCESS PIPE...`` kills a process with all that it started when a pipe closes.

``keeper.py watch PROCESS REMEDY`` kills a process that no longer handles signals. Code that never
returns and holds Python's lock keeps Python from calling signal handlers. But Python's own handler
in C still writes the number of each signal to a pipe, which is the standard input here; the handler
in Python then adds a zero. Standard output is a file in which the process notes what it is waiting
for, and since when.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_CANNOT_START = 127
# Seconds that killed processes have to end, and between two looks at which are left.
_KILL_SECONDS = 5.0
_KILL_PAUSE = 0.005
# Options of prctl(2): the signal for a process whose parent dies, and the adoption of orphans.
_DEATH_SIGNAL, _ADOPT_ORPHANS = 1, 36
# Signals that end the keeper. Windows, where this file is only imported, has no SIGHUP.
_ENDING = (signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGTERM))
# Seconds between two checks whether the watched process is still there.
_CHECK_SECONDS = 0.5
# Seconds that Python has to handle a signal.
_HANDLING_SECONDS = 1.0
# Seconds until the process is killed: after its first signal, after the second, and in addition if
# Python handles one.
_SECONDS_AFTER_FIRST, _SECONDS_AFTER_SECOND, _SECONDS_IF_HANDLED = 10.0, 1.0, 10.0
_STOPPING = (signal.SIGINT, signal.SIGTERM)
# Bytes of the file in which a process notes what it is waiting for.
_NOTE_BYTES = 1 << 16


def _keep(lifeline: int, command: list[str]) -> None:
    """Run a program until it ends or the lifeline closes; kill what is left, and end like it."""
    os.set_inheritable(lifeline, False)
    # Python writes the numbers of signals to this pipe.
    signals, writing_end = os.pipe()
    os.set_blocking(signals, False)
    os.set_blocking(writing_end, False)
    signal.set_wakeup_fd(writing_end)
    for number in (signal.SIGCHLD, *_ENDING):
        signal.signal(number, lambda *_: None)
    adopt_orphans()
    program = _start(command)
    # Let go of the standard streams: they belong to the program and should end with it.
    null_device = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null_device, stream)
    status = _await_end(program, lifeline, signals)
    with contextlib.suppress(OSError):
        os.killpg(program, signal.SIGKILL)
    _kill_started_by(os.getpid())
    for _ in _reap():  # So that no zombie is left.
        pass
    if os.WIFSIGNALED(status):
        with contextlib.suppress(OSError):  # SIGKILL has no handler.
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def adopt_orphans(adopt: bool = True) -> None:
    """Become the parent of all descendants that lose their own, or stop that; Linux only."""
    _prctl(_ADOPT_ORPHANS, int(adopt))


def _start(command: list[str]) -> int:
    """Start a program in a process group of its own; return its process id."""
    program = os.fork()
    if program:
        return program
    try:
        os.setsid()
        _prctl(_DEATH_SIGNAL, signal.SIGKILL)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them; programs may not.
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)  # noqa: S606 - the user's own command
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {error.strerror}\n".encode())
    os._exit(_CANNOT_START)


def _await_end(program: int, lifeline: int, signals: int) -> int:
    """Wait until the program ends, and return its status; kill it when the run has ended."""
    killed = False
    while True:
        for process, status in _reap():
            if process == program:
                return status
        awaited = [signals] if killed else [signals, lifeline]
        ready, _, _ = select.select(awaited, [], [])
        arrived = os.read(signals, 512) if signals in ready else b""
        should_end = lifeline in ready or any(number in arrived for number in _ENDING)
        if should_end and not killed:
            killed = True
            with contextlib.suppress(OSError):
                os.kill(program, signal.SIGKILL)


def _reap() -> Iterator[tuple[int, int]]:
    """Yield the id and the status of each child that has ended."""
    with contextlib.suppress(ChildProcessError):  # There is no child.
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                break
            yield process, status


def kill_all(head: int) -> None:
    """Kill the head of a process group, its group and, on Linux, all that it started."""
    with contextlib.suppress(OSError):
        os.kill(head, signal.SIGSTOP)  # So that it starts nothing more meanwhile.
    try:
        _kill_started_by(head)
    finally:
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                kill(head, signal.SIGKILL)


def _kill_started_by(head: int) -> None:
    """Kill all descendants of a process, until none is found twice in a row.

    A killed process's children become the head's; they are found in the next round. One may be
    started while processes are listed, so one empty list is not enough.
    """
    end = time.monotonic() + _KILL_SECONDS
    rounds_without = 0
    while rounds_without < 2 and time.monotonic() < end:
        processes = list(started_by(head))
        if processes:
            rounds_without = 0
        else:
            rounds_without += 1
        for process in processes:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(_KILL_PAUSE)


def started_by(head: int) -> Iterator[int]:
    """Yield the running descendants of a process, on Linux; never this process."""
    parents: dict[int, tuple[int, str]] = {}  # The parent and the state of each process.
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # State and parent follow the name, which may itself contain parentheses.
            _, _, after_name = file.read_text("utf-8", "replace").rpartition(")")
            state, parent = after_name.split()[:2]
            parents[int(file.parent.name)] = int(parent), state
    for process, (ancestor, state) in parents.items():
        while ancestor in parents and ancestor != head:
            ancestor = parents[ancestor][0]
        is_zombie = state == "Z"
        if ancestor == head and not is_zombie and process != os.getpid():
            yield process


def _prctl(option: int, value: int) -> None:
    """Call prctl(2), on Linux only."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _watch(process: int, remedy: str) -> None:
    """Watch a process, and kill it if it does not end after signals to stop."""
    # A service manager may send these signals to this process, too.
    for stop_signal in _STOPPING:
        signal.signal(stop_signal, signal.SIG_IGN)
    signals = 0
    unhandled = math.inf  # When we tell the user that the signal was not handled.
    end = math.inf  # When the process is killed.
    while os.getppid() == process:
        ready, _, _ = select.select([0], [], [], _CHECK_SECONDS)
        arrived = os.read(0, 512) if ready else b""
        now = time.monotonic()
        for number in arrived:
            if number in _STOPPING:
                signals += 1
                unhandled = now + _HANDLING_SECONDS
                seconds_left = _SECONDS_AFTER_FIRST if signals == 1 else _SECONDS_AFTER_SECOND
                end = min(end, now + seconds_left)
            elif number == 0:  # Python has handled the signal.
                unhandled = math.inf
                end = now + _SECONDS_AFTER_FIRST + _SECONDS_IF_HANDLED
        if now > end:
            _say(f"Ended while waiting for {_waits()}. {remedy}")
            os.kill(process, signal.SIGKILL)
            return
        if now > unhandled:
            unhandled = math.inf
            _say(
                f"Stopping: waiting for {_waits()}, which blocks Python; ends in "
                f"{max(0.0, end - now):.0f} s, or press Ctrl-C again."
            )


def _waits() -> str:
    """Return what the process is waiting for, from the file in which it notes that.

    The note has two lines and ends with a zero byte: since when, by ``time.monotonic``, or 0; and
    for what.
    """
    note, _, _older = os.pread(1, _NOTE_BYTES, 0).partition(b"\0")
    begun, _, what = note.partition(b"\n")
    if float(begun) == 0:
        return what.decode()
    seconds = time.monotonic() - float(begun)
    return f"{what.decode()}, for {seconds:.0f} s"


def _say(line: str) -> None:
    """Write a line of its own to standard error."""
    with contextlib.suppress(OSError):  # Nobody may read it any more.
        os.write(2, f"\n{line}\n".encode())


if __name__ == "__main__":
    if sys.argv[1] == "watch":
        _watch(int(sys.argv[2]), sys.argv[3])
    elif sys.argv[1] == "guard":
        # A guard that is a child of the head would be killed with it: let its parent end.
        if os.fork():
            os._exit(0)
        head, *pipes = map(int, sys.argv[2:])
        select.select(pipes, [], [])
        kill_all(head)
    else:
        _keep(int(sys.argv[2]), sys.argv[3:])
