"""Keeps standard output for results: whatever else prints there goes to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TextIO

from mabench.redact import redact_stream, redact_values

# The stream for results while a command runs; None means standard output.
_results: TextIO | None = None


def results_alone() -> AbstractContextManager[None]:
    """Print results to standard output, and everything else printed there to standard error.

    Agents and libraries may print in any thread, from C or in other processes, even after the
    command has ended: they do not get standard output back.
    """
    if _is_descriptor_1(sys.stdout):
        return _redirect_descriptor()
    # A test or a notebook has replaced it, so C code and other processes do not use it.
    return _redirect_stream()


def _is_descriptor_1(stream: TextIO) -> bool:
    """Return whether a stream writes to file descriptor 1, where C code prints, too."""
    try:
        return stream.fileno() == 1
    except (AttributeError, OSError):
        return False


@contextmanager
def _redirect_stream() -> Iterator[None]:
    """Keep ``sys.stdout`` for results; what Python code prints goes to standard error."""
    global _results
    standard_output = sys.stdout
    _results, sys.stdout = standard_output, sys.stderr
    try:
        yield
    finally:
        _results, sys.stdout = None, standard_output


@contextmanager
def _redirect_descriptor() -> Iterator[None]:
    """Keep a copy of file descriptor 1 for results, and make 1 itself standard error.

    So everything else that is printed goes to standard error, even after the command has ended.
    """
    global _results
    standard_output = sys.stdout
    standard_output.flush()
    copy_of_1 = os.dup(1)
    os.dup2(2, 1)  # From now on, descriptor 1 is standard error.
    own = os.fdopen(copy_of_1, "w", encoding=standard_output.encoding, errors="backslashreplace")
    _results, sys.stdout = redact_stream(own, redact_values), redact_stream(standard_output)
    try:
        yield
    finally:
        _results = None
        with suppress(BrokenPipeError):
            own.close()


def results_stream() -> TextIO | None:
    """Return where results go; None for standard output, while no command runs."""
    return _results
