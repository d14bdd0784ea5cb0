"""The command line: its verbs, with no logic of their own."""

from __future__ import annotations

import errno
import io
import logging
import os
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

_OUTPUT_CLOSED = (
    "standard output was closed, by the agent or from outside, so nothing can be printed; what was "
    "run is kept, and `mabench runs` lists it"
)
# A path that no file can have, in any command that is given one.
_OF_NAMES = (errno.ENAMETOOLONG, errno.ELOOP)
_ENDED = (
    "the agent ended the process (os._exit or os.exec), so nothing was concluded; what was stored "
    "of a run is kept. Correct the agent, or run it with --executor processes"
)
_DISK_FULL = "no space is left on the device; make room and give the same command again"


def main() -> None:
    """Run the command that the arguments name.

    Exit codes: 0 done, 1 problems, 2 wrong usage, 130 stopped by Ctrl-C and 143 by SIGTERM.
    Whatever is printed on the way, by us, an agent or a library, has no secrets in it.
    """
    if sys.stdout is None:  # It is closed, and the next file opened would take its place.
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    try:
        _run_command()
    except KeyboardInterrupt:  # While modules are imported; typer takes it later.
        sys.exit(128 + signal.SIGINT)


class _Messages(logging.Handler):
    """Prints what the library logs, which is what takes long."""

    def emit(self, record: logging.LogRecord) -> None:
        from mabench.cli.console import messages

        messages().print(record.getMessage())


def _refuse_silent_ends(spare: int) -> None:
    """Let no code of an agent end this process as if the command had succeeded.

    ``os._exit`` and ``os.exec*`` skip all that the command still has to do and print. In processes
    that are forked from this one, they stay as they are.
    """
    end, own = os._exit, os.getpid()

    def end_with_failure(status: int = 0) -> NoReturn:
        if os.getpid() == own:
            with suppress(OSError):
                os.write(spare, f"mabench: {_ENDED}\n".encode())
            status = status or 1
        end(status)

    def refuse(*_: object) -> NoReturn:
        end_with_failure()

    os._exit = end_with_failure
    for name in ("execv", "execve"):  # All others call these.
        original = getattr(os, name)
        setattr(os, name, lambda *args, of=original: refuse() if os.getpid() == own else of(*args))


def _say(message: str, spare: int) -> None:
    """Print a last message, on a copy of standard error where an agent closed that."""
    try:
        print(message, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        with suppress(OSError):
            os.write(spare, f"{message}\n".encode("utf-8", "backslashreplace"))


def _copy_of_stderr() -> int:
    """Return a descriptor of standard error that stays open when an agent closes its own."""
    try:
        return os.dup(2)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)


def _run_command() -> None:
    from mabench.cli.app import app
    from mabench.cli.console import again, in_options
    from mabench.errors import MabenchError, shorten_message
    from mabench.printable import printable
    from mabench.redact import redact, redact_streams

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Windows writes into files and pipes by a code page of 256 characters: others become
            # their codes.
            stream.reconfigure(errors="backslashreplace")
    redact_streams()
    spare = _copy_of_stderr()
    _refuse_silent_ends(spare)
    logger = logging.getLogger("mabench")
    logger.setLevel(logging.INFO)
    logger.handlers = [_Messages()]
    try:
        app()
    except MabenchError as error:
        message = shorten_message(redact(in_options(str(error), error.parameter)))
        _say(f"mabench: {printable(message)}", spare)
        if error.parameter == "fresh":
            _say(f"To run anew: {again('--fresh', without='--retry-errors')}", spare)
        sys.exit(error.exit_code)
    except Exception as error:
        number = error.errno if isinstance(error, OSError) else None
        closed = isinstance(error, ValueError) and getattr(sys.stdout, "closed", False)
        if number == errno.EBADF or closed:
            _say(f"mabench: {_OUTPUT_CLOSED}", spare)
        elif number == errno.ENOSPC:
            _say(f"mabench: {_DISK_FULL}", spare)
        elif number in _OF_NAMES and isinstance(error, OSError):
            problem = f"{error.filename}: {error.strerror}; name another file or folder"
            _say(f"mabench: {printable(shorten_message(redact(problem)))}", spare)
        else:
            _say(printable(redact(traceback.format_exc())), spare)
        sys.exit(1)
