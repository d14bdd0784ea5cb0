"""The command line: its commands read options, call the library and print.

They decide nothing about agents, data or scores. Secrets are removed from all that is printed.
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
# Error numbers of paths that cannot exist.
_BAD_PATHS = (errno.ENAMETOOLONG, errno.ELOOP)
_DISK_FULL = "no space is left on the device; make room and give the same command again"


def main() -> None:
    """Run the command that the arguments name.

    Exit codes: 0 done, 1 problems, 2 wrong usage, 130 stopped by Ctrl-C and 143 by SIGTERM.
    Secrets are removed from everything that is printed, by us, an agent or a library.
    """
    # If standard output is closed, the next file to be opened would take its place.
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    try:
        _run_command()
    except KeyboardInterrupt:  # During imports; later typer handles it.
        sys.exit(128 + signal.SIGINT)


class _LogPrinter(logging.Handler):
    """Prints the library's log: notes about work that takes long."""

    def emit(self, record: logging.LogRecord) -> None:
        from mabench.cli.console import messages

        messages().print(record.getMessage())


def _run_command() -> None:
    """Run the command and turn its errors into messages and exit codes."""
    from mabench.cli.app import app
    from mabench.cli.console import again, in_options
    from mabench.errors import MabenchError, shorten_message
    from mabench.printable import printable
    from mabench.redact import redact, redact_streams

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Escape characters that the encoding lacks, such as that of a pipe on Windows.
            stream.reconfigure(errors="backslashreplace")
    redact_streams()
    logger = logging.getLogger("mabench")
    logger.setLevel(logging.INFO)
    logger.handlers = [_LogPrinter()]
    with no_silent_end() as print_last:
        try:
            app()
        except MabenchError as error:
            message = shorten_message(redact(in_options(str(error), error.parameter)))
            print_last(f"mabench: {printable(message)}")
            if error.parameter == "fresh":
                print_last(f"To run anew: {again('--fresh', without='--retry-errors')}")
            sys.exit(error.exit_code)
        except Exception as error:
            problem = _describe_os_problem(error)
            if problem is None:
                print_last(printable(redact(traceback.format_exc())))
            else:
                print_last(f"mabench: {printable(shorten_message(redact(problem)))}")
            sys.exit(1)


def _describe_os_problem(error: Exception) -> str | None:
    """Return a message about an error that no traceback is needed for; None for any other."""
    number = error.errno if isinstance(error, OSError) else None
    was_closed = isinstance(error, ValueError) and getattr(sys.stdout, "closed", False)
    if number == errno.EBADF or was_closed:
        return _OUTPUT_CLOSED
    if number == errno.ENOSPC:
        return _DISK_FULL
    if number in _BAD_PATHS and isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}; name another file or folder"
    return None
