"""`mabench page`: a run, or several, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import messages
from mabench.errors import DataError


def page(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="A run folder, or several to compare.")
    ],
    out: Annotated[Path, opt.result(metavar="FILE.html", help="The file to write.")],
) -> None:
    """Write one HTML file with scores, charts and every question; it needs no server or network.

    Several runs are compared on the same questions, as by mabench compare.
    """
    from mabench.page import comparison_page, run_page
    from mabench.results import Run

    opened = [Run(folder) for folder in runs]
    write_page(out, run_page(opened[0]) if len(opened) == 1 else comparison_page(opened))


def write_page(file: Path, content: str) -> None:
    """Write a page, and say where it is.

    Raises:
        DataError: when it cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    except OSError as error:
        raise DataError(f"{file}: the page cannot be written: {error.strerror}") from error
    messages().print(f"written: {file} ({file.stat().st_size / 1e6:.2f} MB)")
