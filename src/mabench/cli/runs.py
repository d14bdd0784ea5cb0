"""`mabench runs`: the run folders beneath a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import messages, print_tables

_WRITTEN = Path("runs")


def runs(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="FOLDER", help="Where to look; default: runs, where runs are written."
        ),
    ] = None,
    layout: opt.Format = "table",
) -> None:
    """List the run folders beneath a folder: agent, data, date, score and state, newest first.

    The score is the official one: overall, or, where columns of the paper are missing, the mean
    over the run's sources.
    """
    from mabench.reports import runs_table
    from mabench.results import list_runs

    begun = folder is not None or _WRITTEN.exists()
    listed = list_runs(folder or _WRITTEN) if begun else []
    if not listed and layout == "table":
        messages().print(f"no runs under {folder or _WRITTEN}; `mabench run` makes one")
        return
    print_tables([runs_table(listed)], [run.as_dict() for run in listed], layout)
