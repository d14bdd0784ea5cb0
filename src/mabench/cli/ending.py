"""No code of an agent may end the process of a command as if that had succeeded, or in silence."""

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
_REPLACING = ("execv", "execve")  # All others of their kind call these.


@contextmanager
def no_silent_end() -> Iterator[Callable[[str], None]]:
    """Make ``os._exit`` and ``os.exec*`` failures; yield what prints a last message.

    They skip all that a command still has to do and print. In processes that are forked from this
    one they stay as they are. The message comes out even if an agent closed standard error.
    """
    own, spare = os.getpid(), _copy_of_stderr()
    originals: dict[str, Callable[..., Any]] = {
        name: getattr(os, name) for name in ("_exit", *_REPLACING)
    }

    def end_with_failure() -> NoReturn:
        with suppress(OSError):
            os.write(spare, f"mabench: {_ENDED}\n".encode())
        originals["_exit"](1)
        raise SystemExit(1)  # Never reached: the process has ended.

    def refused(name: str) -> Callable[..., Any]:
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
        setattr(os, name, refused(name))
    try:
        yield say
    finally:
        for name, original in originals.items():
            setattr(os, name, original)
        os.close(spare)


def _copy_of_stderr() -> int:
    try:
        return os.dup(2)
    except OSError:  # It is closed from the start.
        return os.open(os.devnull, os.O_WRONLY)
