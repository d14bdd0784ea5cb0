"""The command line: its commands read options, call the library and print.

All decisions about agents, data and scores are the library's. Secrets are removed from all that is
printed.
"""

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
# Error numbers of paths that no file can have: too long, or with links in a circle.
_BAD_PATHS = (errno.ENAMETOOLONG, errno.ELOOP)
_DISK_FULL = "no space is left on the device; make room and give the same command again"


def main() -> None:
    """Run the command that the arguments name.

    Exit codes: 0 done, 1 problems, 2 wrong usage, 130 stopped by Ctrl-C and 143 by SIGTERM.
    Secrets are removed from everything that is printed, by us, an agent or a library.
    """
    # Python sets this to None if the program was started with standard output closed. The next
    # file to be opened would take its place, so open the null device.
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    try:
        _run_command()
    except KeyboardInterrupt:  # During imports; later typer handles it.
        sys.exit(128 + signal.SIGINT)  # The exit code by which shells know a signal.


class _LogPrinter(logging.Handler):
    """Prints the library's log to standard error: notes about work that takes long."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one entry of the log."""
        from mabench.cli.console import messages

        messages().print(record.getMessage())


def _run_command() -> None:
    """Run the command and turn its errors into messages and exit codes.

    An expected error becomes one line, anything else a traceback, on standard error.
    """
    from mabench.cli.app import app
    from mabench.cli.console import again, in_options
    from mabench.errors import MabenchError, shorten_message
    from mabench.printable import printable
    from mabench.redact import redact

    _prepare_printing()
    with no_silent_end() as print_even_if_closed:
        try:
            app()
        except MabenchError as error:
            message = shorten_message(redact(in_options(str(error), error.parameter)))
            print_even_if_closed(f"mabench: {printable(message)}")
            if error.parameter == "fresh":  # The run's folder holds results of other settings.
                print_even_if_closed(f"To run anew: {again('--fresh', without='--retry-errors')}")
            sys.exit(error.exit_code)
        except Exception as error:
            problem = _describe_os_problem(error)
            if problem is None:
                print_even_if_closed(printable(redact(traceback.format_exc())))
            else:
                print_even_if_closed(f"mabench: {printable(shorten_message(redact(problem)))}")
            sys.exit(1)


def _prepare_printing() -> None:
    """Make printing safe: no encoding error, no secret, and the library's log is printed."""
    from mabench.redact import redact_streams

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Escape characters that the encoding lacks, such as that of a pipe on Windows.
            stream.reconfigure(errors="backslashreplace")
    redact_streams()
    logger = logging.getLogger("mabench")
    logger.setLevel(logging.INFO)
    logger.handlers = [_LogPrinter()]


def _describe_os_problem(error: Exception) -> str | None:
    """Return a message if the user's system is at fault: closed output, full disk, bad path.

    Return None for any other error, whose traceback is needed.
    """
    if isinstance(error, ValueError) and getattr(sys.stdout, "closed", False):
        return _OUTPUT_CLOSED  # Printing to a closed stream raises a ValueError.
    if not isinstance(error, OSError):
        return None
    if error.errno == errno.EBADF:
        return _OUTPUT_CLOSED
    if error.errno == errno.ENOSPC:
        return _DISK_FULL
    if error.errno in _BAD_PATHS:
        return f"{error.filename}: {error.strerror}; name another file or folder"
    return None
