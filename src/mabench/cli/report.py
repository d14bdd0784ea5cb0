"""`mabench report`: print a run's tables."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import output
from mabench.errors import UsageError


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN", help="A run folder; compare takes several.")
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
    """Print the tables of a run from what its folder holds."""
    from mabench.reports import show
    from mabench.results import Run

    if len(runs) > 1:
        command = shlex.join(["mabench", "compare", *map(str, runs)])
        raise UsageError(f"a report is of one run; to compare these: {command}")
    show(Run(runs[0]), layout, output(), verified, published=published)
