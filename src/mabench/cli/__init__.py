"""The command line: its commands read options, call the library and print."""

from __future__ import annotations

import errno
import io
import logging
import os
import signal
import sys
import traceback
from pathlib import Path

from mabench.cli.ending import no_silent_end

_OUTPUT_CLOSED = (
    "standard output was closed, by the agent or from outside, so nothing can be printed; what was "
    "run is kept, and `mabench runs` lists it"
)
# Errors of paths that no file can have.
_BAD_PATHS = (errno.ENAMETOOLONG, errno.ELOOP)
_DISK_FULL = "no space is left on the device; make room and give the same command again"


def main() -> None:
    """Run the command that the arguments name.

    Exit codes: 0 done, 1 problems, 2 wrong usage, 130 stopped by Ctrl-C and 143 by SIGTERM.
    Secrets are removed from everything that is printed, by us, an agent or a library.
    """
    if sys.stdout is None:  # It is closed: the next file that is opened would take its place.
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    try:
        _run_command()
    except KeyboardInterrupt:  # While modules are imported; later typer handles it.
        sys.exit(128 + signal.SIGINT)


class _Messages(logging.Handler):
    """Prints what the library logs: what takes long."""

    def emit(self, record: logging.LogRecord) -> None:
        from mabench.cli.console import messages

        messages().print(record.getMessage())


def _run_command() -> None:
    from mabench.cli.app import app
    from mabench.cli.console import again, in_options
    from mabench.errors import MabenchError, shorten_message
    from mabench.printable import printable
    from mabench.redact import redact, redact_streams

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # On Windows, files and pipes have a code page of 256 characters: others are escaped.
            stream.reconfigure(errors="backslashreplace")
    redact_streams()
    logger = logging.getLogger("mabench")
    logger.setLevel(logging.INFO)
    logger.handlers = [_Messages()]
    with no_silent_end() as say:
        try:
            app()
        except MabenchError as error:
            message = shorten_message(redact(in_options(str(error), error.parameter)))
            say(f"mabench: {printable(message)}")
            if error.parameter == "fresh":
                say(f"To run anew: {again('--fresh', without='--retry-errors')}")
            sys.exit(error.exit_code)
        except Exception as error:
            number = error.errno if isinstance(error, OSError) else None
            closed = isinstance(error, ValueError) and getattr(sys.stdout, "closed", False)
            if number == errno.EBADF or closed:
                say(f"mabench: {_OUTPUT_CLOSED}")
            elif number == errno.ENOSPC:
                say(f"mabench: {_DISK_FULL}")
            elif number in _BAD_PATHS and isinstance(error, OSError):
                problem = f"{error.filename}: {error.strerror}; name another file or folder"
                say(f"mabench: {printable(shorten_message(redact(problem)))}")
            else:
                say(printable(redact(traceback.format_exc())))
            sys.exit(1)
