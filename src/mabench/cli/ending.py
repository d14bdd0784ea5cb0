"""Keeps an agent's code from ending a command silently, or with exit code 0."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

_ENDED = (
    "the agent ended the process (os._exit or os.exec), so nothing was concluded; what was stored "
    "of a run is kept. Correct the agent, or run it with --executor processes"
)
# Functions of os that end this program at once. All other functions of os.exec* call these two.
_ENDING_FUNCTIONS = ("_exit", "execv", "execve")


@contextmanager
def no_silent_end() -> Iterator[Callable[[str], None]]:
    """Make ``os._exit`` and ``os.exec*`` end with a message and exit code 1.

    Otherwise they would skip everything that the command still has to do. In forked processes they
    work as usual. Yield a function that prints a message even if an agent closed standard error.
    """
    stderr_copy = _copy_stderr()
    originals = {name: getattr(os, name) for name in _ENDING_FUNCTIONS}

    def print_even_if_closed(message: str) -> None:
        try:
            print(message, file=sys.stderr, flush=True)
        except (OSError, ValueError):  # It is closed.
            with suppress(OSError):
                os.write(stderr_copy, f"{message}\n".encode("utf-8", "backslashreplace"))

    for name, original in originals.items():
        guarded = _guard(original, exit_now=originals["_exit"], stderr_copy=stderr_copy)
        setattr(os, name, guarded)
    try:
        yield print_even_if_closed
    finally:
        for name, original in originals.items():
            setattr(os, name, original)
        os.close(stderr_copy)


def _guard(
    original: Callable[..., Any], *, exit_now: Callable[[int], Any], stderr_copy: int
) -> Callable[..., Any]:
    """Return a function to use in place of an ending function of ``os``.

    In this process it prints a message to the file descriptor ``stderr_copy`` and exits with 1. In
    a process that was forked later it calls the original.
    """
    guarded_process = os.getpid()

    def end(*arguments: Any) -> Any:
        if os.getpid() != guarded_process:
            return original(*arguments)
        with suppress(OSError):
            os.write(stderr_copy, f"mabench: {_ENDED}\n".encode())
        return exit_now(1)

    return end


def _copy_stderr() -> int:
    """Return a copy of the file descriptor of standard error, or of the null device's.

    An agent that closes standard error does not close the copy.
    """
    try:
        return os.dup(2)
    except OSError:  # It was closed from the start.
        return os.open(os.devnull, os.O_WRONLY)
