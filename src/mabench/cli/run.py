"""`mabench run`: run an agent over a data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.commands import again, complete_spec, explain_stop, to_resume
from mabench.cli.console import messages, output, print_tables, print_written
from mabench.specs import RunSpec

if TYPE_CHECKING:
    from mabench.results import Run


@opt.give_options(RunSpec)
def run(
    spec: RunSpec,
    estimate: opt.Estimate = False,
    fail_fast: opt.FailFast = False,
    repeat: Annotated[
        int, opt.result(metavar="N", help="Run this many times, to see how scores vary.", min=1)
    ] = 1,
    layout: opt.Format = "table",
    quiet: opt.Quiet = False,
) -> None:
    """Run an agent over a data set and print its scores. The same command resumes a stopped run."""
    from mabench.cli.progress import ProgressBars
    from mabench.reports import estimate_table, run_assumptions
    from mabench.runs import RunStoppedError, estimate_run, run_repeatedly

    spec = complete_spec(spec, fail_fast)
    if estimate:
        estimates = estimate_run(spec)
        content = [each._asdict() for each in estimates]
        print_tables([estimate_table(estimates)], content, layout, run_assumptions(spec, estimates))
        return
    here = Path.cwd()  # An agent may change it.

    def shorten(folder: Path) -> Path:
        return folder.relative_to(here) if folder.is_relative_to(here) else folder

    def out(folder: Path) -> Path | None:
        return None if repeat > 1 else shorten(folder)

    with ProgressBars(quiet, lambda stop: f"Stopped. {to_resume(out=out(stop.folder))}") as bars:
        try:
            runs = run_repeatedly(spec, repeat, bars)
        except RunStoppedError as stop:
            raise explain_stop(stop, spec, out=out(stop.folder)) from None
    folders = [shorten(finished.folder) for finished in runs]
    if quiet and layout == "table":
        for folder in folders:
            print_written(folder, quiet)
    else:
        _show(runs, folders, layout, quiet)
    failed = [finished for finished in runs if finished.summary.spent.errors]
    if failed:
        bars.say(f"To ask again what failed: {again('--retry-errors', out=out(failed[0].folder))}")
        raise typer.Exit(1)


def _show(runs: Sequence[Run], folders: Sequence[Path], layout: str, quiet: bool) -> None:
    from mabench.reports import print_table, repeat_table, show

    several = len(runs) > 1
    if layout == "json" and several:
        print_tables([], [run.summary.as_dict() for run in runs], layout)
    for run, folder in zip(runs, folders, strict=True):
        if layout != "json" or not several:
            show(run, layout, output())
        if not quiet:
            messages().print(f"Run folder: {folder}")
    if several and layout == "table":
        print_table(repeat_table(runs), output())
