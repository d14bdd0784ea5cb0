"""Keeps standard output for results: whatever else prints there goes to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from mabench.redact import redact_stream, redact_values

# The stream for results while a command runs; None means standard output.
_results: TextIO | None = None


@contextmanager
def results_alone() -> Iterator[None]:
    """Print results to standard output, and everything else printed there to standard error.

    Agents and libraries may print in any thread, from C or in other processes, even after the
    command has ended: they do not get standard output back.
    """
    global _results
    standard = sys.stdout
    try:
        is_own_file = standard.fileno() == 1
    except (AttributeError, OSError):
        is_own_file = False
    if not is_own_file:  # A test or a notebook has replaced it, so other processes do not use it.
        _results, sys.stdout = standard, sys.stderr
        try:
            yield
        finally:
            _results, sys.stdout = None, standard
        return
    standard.flush()
    own = os.fdopen(os.dup(1), "w", encoding=standard.encoding, errors="backslashreplace")
    os.dup2(2, 1)
    _results, sys.stdout = redact_stream(own, redact_values), redact_stream(standard)
    try:
        yield
    finally:
        _results = None
        with suppress(BrokenPipeError):
            own.close()


def results_stream() -> TextIO | None:
    """Return where results go; None for standard output."""
    return _results
