"""`mabench export`: a run as files that other tools read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import completion
from mabench.cli import options as opt
from mabench.cli.console import messages


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    to: Annotated[
        str,
        opt.result(
            metavar="FORMAT",
            help="inspect, every-eval-ever, csv or parquet.",
            autocompletion=completion.exports,
        ),
    ],
    out: Annotated[
        Path, opt.result(metavar="PATH", help="A new file; for inspect a new or an empty folder.")
    ],
) -> None:
    """Write a run for another tool: Inspect's viewer, Every Eval Ever, a spreadsheet, pandas."""
    from mabench.export import export as export_run
    from mabench.results import Run

    done = Run(run)
    export_run(done, to, out)
    asked, expected = done.summary.spent.n, sum(done.record.questions.values())
    if asked < expected:
        messages().print(f"unfinished: {asked} of {expected} questions so far")
    messages().print(f"written: {out}")
