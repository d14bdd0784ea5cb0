"""`mabench report`: print a run's table, or several runs beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import output
from mabench.errors import UsageError


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="A run folder, or several to compare.")
    ],
    verified: Annotated[
        Path | None,
        opt.data(metavar="FILE", help="An audit: also score the questions it finds no fault with."),
    ] = None,
    published: Annotated[
        bool, opt.result("--published", help="Add the best published figure of each column.")
    ] = False,
    layout: opt.Format = "table",
) -> None:
    """Print the table of a run from what its folder holds, or several runs beside each other."""
    from mabench.reports import show, show_beside
    from mabench.runs import Run

    if len(runs) == 1:
        show(Run(runs[0]), layout, output(), verified, published=published)
        return
    if verified:
        raise UsageError("--verified takes one run; report the runs one after the other")
    if published:
        raise UsageError("--published takes one run; for several see mabench leaderboard RUN...")
    show_beside([Run(folder) for folder in runs], layout, output())
