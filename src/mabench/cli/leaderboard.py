"""`mabench leaderboard`: what others published, and runs of one's own among it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import output


def leaderboard(
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="RUN...", help="Run folders to add.")
    ] = None,
    layout: opt.Format = "table",
) -> None:
    """Print the published figures by reader and judge, with runs of your own among them."""
    from mabench.reports import show_leaderboard
    from mabench.results import Run

    show_leaderboard([Run(folder) for folder in runs or ()], layout, output())
