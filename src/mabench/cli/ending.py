"""Keeping an agent's code from ending the process of a command silently or with success."""

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
_REPLACING = ("execv", "execve")


@contextmanager
def no_silent_end() -> Iterator[Callable[[str], None]]:
    """Make ``os._exit`` and ``os.exec*`` fail; yield a function that prints a last message.

    They would skip everything that a command still has to do and print. Forked processes keep them
    as they are. The message is printed even if an agent closed standard error.
    """
    own, spare = os.getpid(), _copy_stderr()
    originals: dict[str, Callable[..., Any]] = {
        name: getattr(os, name) for name in ("_exit", *_REPLACING)
    }

    def end_with_failure() -> NoReturn:
        with suppress(OSError):
            os.write(spare, f"mabench: {_ENDED}\n".encode())
        originals["_exit"](1)
        raise SystemExit(1)  # Never reached.

    def refuse(name: str) -> Callable[..., Any]:
        def end(*arguments: Any) -> Any:
            return end_with_failure() if os.getpid() == own else originals[name](*arguments)

        return end

    def say(message: str) -> None:
        try:
            print(message, file=sys.stderr, flush=True)
        except (OSError, ValueError):
            with suppress(OSError):
                os.write(spare, f"{message}\n".encode("utf-8", "backslashreplace"))

    for name in originals:
        setattr(os, name, refuse(name))
    try:
        yield say
    finally:
        for name, original in originals.items():
            setattr(os, name, original)
        os.close(spare)


def _copy_stderr() -> int:
    try:
        return os.dup(2)
    except OSError:  # It was closed from the start.
        return os.open(os.devnull, os.O_WRONLY)
