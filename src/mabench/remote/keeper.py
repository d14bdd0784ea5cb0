"""Processes that look after others: nothing outlives the run, and it ends where Python cannot.

``keeper.py keep DESCRIPTOR COMMAND...`` keeps a program in a process group that ends with the run.
The descriptor is the reading end of a pipe that the run holds open. When it closes, in whatever way
the run ended, or when the program ends, everything that the program left behind is killed: its
group, and where the system can say what was orphaned (Linux), whatever left the group as well. The
keeper then ends as the program did.

``keeper.py guard PROCESS PIPE...`` kills a process with all that it started when a pipe closes.

``keeper.py watch PROCESS REMEDY`` ends a process in which nothing handles signals. Code that never
returns, and does not let go of Python's lock, keeps all handlers of signals from being called. But
Python's own handler in C writes the number of each signal to a pipe, which is the standard input
here; a zero follows from the handler in Python. Standard output is the file in which the process
notes since when it waits, and for what.

Started by its path, in a process of its own, so that it works while that process is stuck.
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
_SECONDS = 5.0  # That killed processes have to end.
_PAUSE = 0.005
_DEATH_SIGNAL, _ADOPT_ORPHANS = 1, 36  # Of prctl(2).
# Windows, where this file is imported and never run, has no SIGHUP.
_ENDING = (signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGTERM))
_LOOK = 0.5  # Seconds between two looks.
_REPLY = 1.0  # Seconds that Python has to handle a signal.
# Seconds until the end: after the first signal, the second, and one that Python handles.
_FIRST, _SECOND, _HANDLED = 10.0, 1.0, 10.0
_STOPPING = (signal.SIGINT, signal.SIGTERM)


def _keep(lifeline: int, command: list[str]) -> None:
    os.set_inheritable(lifeline, False)
    signals, writing = os.pipe()  # On which the numbers of signals arrive.
    os.set_blocking(signals, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    for number in (signal.SIGCHLD, *_ENDING):
        signal.signal(number, lambda *_: None)
    adopt_orphans()
    program = _start(command)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # The program's own, which are to end with it.
        os.dup2(nothing, stream)
    status = _await_end(program, lifeline, signals)
    with contextlib.suppress(OSError):
        os.killpg(program, signal.SIGKILL)
    _kill_started_by(os.getpid())
    for _ in _reap():
        pass
    if os.WIFSIGNALED(status):
        with contextlib.suppress(OSError):  # Nothing can be set for SIGKILL.
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def adopt_orphans(adopt: bool = True) -> None:
    """Become the parent of all processes below this one that lose theirs, on Linux, or not."""
    _prctl(_ADOPT_ORPHANS, int(adopt))


def _start(command: list[str]) -> int:
    program = os.fork()
    if program:
        return program
    try:
        os.setsid()
        _prctl(_DEATH_SIGNAL, signal.SIGKILL)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them.
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)  # noqa: S606 - the user's own command
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {error.strerror}\n".encode())
    os._exit(_CANNOT_START)


def _await_end(program: int, lifeline: int, signals: int) -> int:
    """Wait until the program ends, and return its status; kill it when the run is gone."""
    killed = False
    while True:
        for process, status in _reap():
            if process == program:
                return status
        ready, _, _ = select.select([signals] if killed else [signals, lifeline], [], [])
        arrived = os.read(signals, 512) if signals in ready else b""
        if not killed and (lifeline in ready or any(number in arrived for number in _ENDING)):
            killed = True
            with contextlib.suppress(OSError):
                os.kill(program, signal.SIGKILL)


def _reap() -> Iterator[tuple[int, int]]:
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended


def kill_all(head: int) -> None:
    """Kill a process that heads a group, all of that, and where the system tells all it started."""
    with contextlib.suppress(OSError):
        os.kill(head, signal.SIGSTOP)  # Else it starts more while the others are killed.
    try:
        _kill_started_by(head)
    finally:
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                kill(head, signal.SIGKILL)


def _kill_started_by(head: int) -> None:
    end, nothing = time.monotonic() + _SECONDS, 0
    while nothing < 2 and time.monotonic() < end:  # One may be under way while they are listed.
        processes = list(started_by(head))
        nothing = 0 if processes else nothing + 1
        for process in processes:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(_PAUSE)  # What those started is the head's now, and is found next.


def started_by(head: int) -> Iterator[int]:
    """Yield what a process started, at any remove, and has not ended; never this process."""
    parents: dict[int, tuple[int, str]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):  # Where the system tells of parents.
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name, in parentheses, may hold spaces and parentheses.
            state, parent = file.read_text("utf-8", "replace").rpartition(")")[2].split()[:2]
            parents[int(file.parent.name)] = int(parent), state
    for process, (ancestor, state) in parents.items():
        while ancestor in parents and ancestor != head:
            ancestor = parents[ancestor][0]
        if ancestor == head and state != "Z" and process != os.getpid():
            yield process


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _watch(process: int, remedy: str) -> None:
    for stop_signal in _STOPPING:  # What stops a service sends them to all its processes.
        signal.signal(stop_signal, signal.SIG_IGN)
    signals, unhandled, end = 0, math.inf, math.inf
    while os.getppid() == process:
        arrived = os.read(0, 512) if select.select([0], [], [], _LOOK)[0] else b""
        now = time.monotonic()
        for number in arrived:
            if number in _STOPPING:
                signals += 1
                unhandled = now + _REPLY
                end = min(end, now + (_FIRST if signals == 1 else _SECOND))
            elif number == 0:
                unhandled, end = math.inf, now + _FIRST + _HANDLED
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
    begun, _, what = os.pread(1, 1 << 16, 0).partition(b"\0")[0].partition(b"\n")
    seconds = time.monotonic() - float(begun)
    return f"{what.decode()}, for {seconds:.0f} s" if float(begun) else what.decode()


def _say(line: str) -> None:
    with contextlib.suppress(OSError):  # Nobody may read it any more.
        os.write(2, f"\n{line}\n".encode())


if __name__ == "__main__":
    if sys.argv[1] == "watch":
        _watch(int(sys.argv[2]), sys.argv[3])
    elif sys.argv[1] == "guard":
        if os.fork():  # What the head started is killed by others, too; the guard is not of that.
            os._exit(0)
        head, *pipes = map(int, sys.argv[2:])
        select.select(pipes, [], [])
        kill_all(head)
    else:
        _keep(int(sys.argv[2]), sys.argv[3:])
