"""`mabench run`: run an agent over a data set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.commands import after_a_miss, again, complete_spec, higher
from mabench.cli.console import messages, output, print_tables, print_written
from mabench.errors import MabenchError
from mabench.specs import RunSpec

if TYPE_CHECKING:
    from mabench.cli.progress import ProgressBars
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
    from mabench.reports import estimate_table, run_assumptions
    from mabench.runs import estimate_run

    spec = complete_spec(spec, fail_fast)
    if estimate:
        estimates = estimate_run(spec)
        listed = [one._asdict() for one in estimates]
        print_tables([estimate_table(estimates)], listed, layout, run_assumptions(spec, estimates))
    else:
        _run(spec, repeat, layout, quiet)


def _run(spec: RunSpec, repeat: int, layout: str, quiet: bool) -> None:
    from mabench.cli.progress import ProgressBars
    from mabench.runs import run_repeatedly

    here = Path.cwd()  # An agent may change it.
    with ProgressBars(quiet=quiet) as bars, _resumable(spec, bars, here, repeat):
        runs = run_repeatedly(spec, repeat, bars)
    folders = [_near(finished.folder, here) for finished in runs]
    if quiet and layout == "table":
        for folder in folders:
            print_written(folder, quiet)
    else:
        _show(runs, folders, layout, quiet)
    failed = [run for run in runs if run.summary.spent.errors]
    if failed:
        out = None if repeat > 1 else _near(failed[0].folder, here)
        bars.say(f"To ask again what failed: {again('--retry-errors', out=out)}")
        raise typer.Exit(1)


def _show(runs: Sequence[Run], folders: Sequence[Path], layout: str, quiet: bool) -> None:
    """Print what runs came to, and where they are kept."""
    from mabench.reports import print_table, repeat_table, show
    from mabench.reports.layout import print_json

    if layout == "json" and len(runs) > 1:
        print_json([run.summary.as_dict() for run in runs], output())
    for run, folder in zip(runs, folders, strict=True):
        if layout != "json" or len(runs) == 1:
            show(run, layout, output())
        if not quiet:
            messages().print(f"Run folder: {folder}")
    if len(runs) > 1 and layout == "table":
        print_table(repeat_table(runs), output())


@contextmanager
def _resumable(spec: RunSpec, bars: ProgressBars, here: Path, repeat: int = 1) -> Iterator[None]:
    """Print the command that resumes a run that is stopped."""
    from mabench.runs import RunStoppedError
    from mabench.tasks import RunInterrupt

    try:
        yield
    except RunInterrupt as interrupt:
        bars.say(f"Stopped. To resume: {_resuming(interrupt.folder, here, repeat)}")
        raise typer.Exit(128 + interrupt.number) from None
    except RunStoppedError as error:
        limit, how, summary = None, "To resume", error.run.summary
        if error.by_cost:
            by_memory = summary.calls.by_memory.cost if summary.calls else None
            spent = (summary.spent.cost or 0.0) + (by_memory or 0.0)
            limit, how = higher(spec.max_cost, spent), "To resume with a higher limit"
        if error.not_kept and spec.agent.replayed:
            out = None if repeat > 1 else _near(error.folder, here)
            resumed = after_a_miss(spec.agent.replayed, out)
            raise MabenchError(f"the run stopped: {error.reason}\n{resumed}") from None
        lines = [
            f"the run stopped: {error.reason}",
            f"{how}: {_resuming(error.folder, here, repeat, limit)}",
        ]
        if summary.spent.errors:
            lines.append("To ask again what failed, add --retry-errors.")
        raise MabenchError("\n".join(lines)) from None


def _resuming(folder: Path, here: Path, repeat: int, limit: float | None = None) -> str:
    return again(out=None if repeat > 1 else _near(folder, here), max_cost=limit)


def _near(folder: Path, here: Path) -> Path:
    """Return a folder as it is named from the working directory of the command."""
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
