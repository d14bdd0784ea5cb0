"""The command line, called in this process as a shell calls it; and waiting for processes."""

import contextlib
import importlib
import io
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import typer.main

from mabench.cli import main


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


# A command is made of the same functions whenever it is called, which takes 0.1 s.
get_command = cache(typer.main.get_command)


def mabench(*arguments: str, cwd: Path) -> Done:
    """Run a command in a folder; a process of its own would take most of a second to start."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd),
        _modules_of(cwd),
        mock.patch("typer.main.get_command", get_command),
        mock.patch.object(sys, "argv", ["mabench", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
            code = 0
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    return Done(code, out.getvalue(), err.getvalue())


def succeed(*arguments: str, cwd: Path) -> Done:
    done = mabench(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def start(*words: str, cwd: Path) -> subprocess.Popen[str]:
    """Start a command in a process, and a group of processes, of its own."""
    command, pipe = [sys.executable, "-m", "mabench", *words], subprocess.PIPE
    how: Any = {"stdout": subprocess.DEVNULL, "stderr": pipe, "text": True}
    return subprocess.Popen(command, cwd=cwd, start_new_session=True, **how)


def run_python(code: str, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, capture_output=True, text=True, **more)


def until(condition: Callable[[], object], seconds: float = 600) -> None:
    """Wait until a condition holds, and fail if it still does not after some minutes."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@contextlib.contextmanager
def within(seconds: float, timer: int = signal.ITIMER_REAL) -> Iterator[None]:
    """Fail where something takes longer, though it may wait for a file that never ends."""

    def fail(*_: object) -> None:
        raise AssertionError(f"it takes more than {seconds} s")

    number = signal.SIGALRM if timer == signal.ITIMER_REAL else signal.SIGVTALRM
    before = signal.signal(number, fail)
    signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)


@contextlib.contextmanager
def _modules_of(folder: Path) -> Iterator[None]:
    """Let modules of a folder be imported, and forget them afterwards."""
    importlib.invalidate_caches()
    before = {*sys.modules}
    with mock.patch.object(sys, "path", [str(folder), *sys.path]):
        yield
    for name in {*sys.modules} - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(folder):
            del sys.modules[name]
