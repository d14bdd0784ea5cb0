"""Keeps an agent's code from ending a command silently, or with exit code 0."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

_ENDED = (
    "the agent ended the process (os._exit or os.exec), so nothing was concluded; what was stored "
    "of a run is kept. Correct the agent, or run it with --executor processes"
)
# All other functions of os.exec* call these.
_EXEC_FUNCTIONS = ("execv", "execve")


@contextmanager
def no_silent_end() -> Iterator[Callable[[str], None]]:
    """Make ``os._exit`` and ``os.exec*`` end with a message and exit code 1.

    Otherwise they would skip everything that the command still has to do. In forked processes they
    work as usual. Yield a function that prints a message even if an agent closed standard error.
    """
    own_process = os.getpid()
    stderr_copy = _copy_stderr()
    originals: dict[str, Callable[..., Any]] = {
        name: getattr(os, name) for name in ("_exit", *_EXEC_FUNCTIONS)
    }

    def end_with_failure() -> NoReturn:
        with suppress(OSError):
            os.write(stderr_copy, f"mabench: {_ENDED}\n".encode())
        originals["_exit"](1)
        raise SystemExit(1)  # Never reached; for the type checker.

    def guard(name: str) -> Callable[..., Any]:
        def end(*arguments: Any) -> Any:
            if os.getpid() == own_process:
                end_with_failure()
            return originals[name](*arguments)

        return end

    def print_message(message: str) -> None:
        try:
            print(message, file=sys.stderr, flush=True)
        except (OSError, ValueError):
            with suppress(OSError):
                os.write(stderr_copy, f"{message}\n".encode("utf-8", "backslashreplace"))

    for name in originals:
        setattr(os, name, guard(name))
    try:
        yield print_message
    finally:
        for name, original in originals.items():
            setattr(os, name, original)
        os.close(stderr_copy)


def _copy_stderr() -> int:
    """Return a copy of the descriptor of standard error, or of the null device."""
    try:
        return os.dup(2)
    except OSError:  # It was closed from the start.
        return os.open(os.devnull, os.O_WRONLY)
