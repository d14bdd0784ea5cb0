"""What reports print."""

import io
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from mabench.reports.run_report import ReportOptions, show
from mabench.results import Run


def print_on(width: int, write: Callable[[Console], object]) -> str:
    """Return what is written on a console of a width."""
    stream = io.StringIO()
    write(Console(file=stream, width=width))
    return stream.getvalue()


def print_run(run: Run, layout: str = "table", audit: Path | None = None, width: int = 160) -> str:
    return print_on(
        width, lambda console: show(run, layout, console, audit, options=ReportOptions(full=True))
    )


def markdown(run: Run) -> str:
    return print_run(run, "markdown")
