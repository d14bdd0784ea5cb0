"""Lets nothing that was started outlive the run.

``keeper.py keep DESCRIPTOR COMMAND...`` keeps a program in a process group that ends with the run.
The descriptor is the reading end of a pipe that the run holds open. When it closes, in whatever way
the run ended, or when the program ends, everything that the program left behind is killed: its
group, and where the system can say what was orphaned (Linux), whatever left the group as well. The
keeper then ends as the program did.

``keeper.py guard PROCESS PIPE...`` kills a process with all that it started when a pipe closes.

Started by its path, in a process of its own, so that it works while that process is stuck.
"""

from __future__ import annotations

import contextlib
import ctypes
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


if __name__ == "__main__":
    if sys.argv[1] == "guard":
        if os.fork():  # What the head started is killed by others, too; the guard is not of that.
            os._exit(0)
        head, *pipes = map(int, sys.argv[2:])
        select.select(pipes, [], [])
        kill_all(head)
    else:
        _keep(int(sys.argv[2]), sys.argv[3:])
