"""`mabench report`: print a run's table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli.console import output


def report(
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    verified: Annotated[
        Path | None, typer.Option(metavar="AUDIT.json", help="Also score what the audit passed.")
    ] = None,
    layout: Annotated[str, typer.Option("--format", help="table, markdown or json.")] = "table",
) -> None:
    """Print the table of a run, from what its folder holds."""
    from mabench.reports import show
    from mabench.runs import Run

    show(Run(run), layout, output(), verified)
