"""`mabench sweep`: how an agent's score changes with one setting of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.amounts import amount
from mabench.cli.commands import again, complete_spec, higher
from mabench.cli.console import print_tables, print_written
from mabench.errors import MabenchError, UsageError
from mabench.redact import redact
from mabench.specs import RunSpec, SweepSpec

if TYPE_CHECKING:
    from mabench.runs import RunStoppedError


_OWN = ("data", "source", "row", "limit_questions", "out")  # Rows are made, in a folder each.


@opt.give_options(RunSpec, without=_OWN, agent=opt.REQUIRED)
def sweep(
    source: opt.Source,
    knob: Annotated[
        list[str],
        opt.data(
            "--knob",
            metavar="KNOB=V1,V2,...",
            help="tokens, questions or a difficulty knob; one with a single value is for all rows.",
        ),
    ],
    spec: RunSpec,
    difficulty: opt.Difficulty = "real",
    seed: opt.RowSeed = 0,
    estimate: opt.Estimate = False,
    fail_fast: opt.FailFast = False,
    out: Annotated[
        Path | None,
        opt.result(metavar="FOLDER", help="The folder to put the run folders in.", file_okay=False),
    ] = None,
    page: Annotated[
        Path | None, opt.result(metavar="FILE.html", help="Also draw the curves on a page.")
    ] = None,
    layout: opt.Format = "table",
    quiet: opt.Quiet = False,
) -> None:
    """Make a row for each value, run the agent over it, and print the scores as a table."""
    from mabench.cli.page import write_page
    from mabench.cli.progress import ProgressBars
    from mabench.page import require_packages, sweep_page
    from mabench.reports import estimate_table, sweep_table
    from mabench.runs import RunStoppedError, estimate_sweep
    from mabench.runs import sweep as run_sweep
    from mabench.tasks import RunInterrupt

    name, values, others = _knobs(knob)
    agent = redact(str(spec.agent.agent))
    out = out or Path("runs") / f"sweep-{agent}-{source}-{name}".replace(":", "-")
    spec = replace(complete_spec(spec, fail_fast), out=out)
    rows = SweepSpec(
        source=source, knob=name, values=values, seed=seed, knobs=others, difficulty=difficulty
    )
    if page:
        require_packages()  # Before anything is run.
    if estimate:
        estimates = estimate_sweep(spec, rows)
        listed = [one._asdict() for one in estimates]
        print_tables([estimate_table(estimates)], listed, layout)
        return
    points = []
    with ProgressBars(quiet=quiet) as bars:
        try:
            for point in run_sweep(spec, rows, bars):
                if quiet:
                    print_written(point.run.folder, layout == "table")
                else:
                    bars.say(f"{name}={point.value}: {point.run.folder}")
                points.append(point)
        except RunInterrupt as interrupt:
            bars.say(f"Stopped. To resume: {again()}")
            raise typer.Exit(128 + interrupt.number) from None
        except RunStoppedError as error:
            raise MabenchError(_stopped(error, spec.max_cost)) from None
    if layout != "table" or not quiet:
        content = [{"value": p.value, **p.source.as_dict()} for p in points]
        print_tables([sweep_table(name, points)], content, layout)
    if page:
        write_page(page, sweep_page(name, points))


def _knobs(
    given: Sequence[str],
) -> tuple[str, tuple[int | float, ...], dict[str, int | float]]:
    """Return the knob that varies with its values, and the one value of each other."""
    knobs = [_knob(one) for one in given]
    names = [name for name, _ in knobs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--knob {name} is given twice")
    varied = [one for one in knobs if len(one[1]) > 1] or knobs[:1]
    if len(varied) > 1:
        listed = " and ".join(name for name, _ in varied)
        raise UsageError(f"--knob: one knob has several values in a sweep, not {listed}")
    ((name, values),) = varied
    return name, values, {other: fixed[0] for other, fixed in knobs if other != name}


def _knob(given: str) -> tuple[str, tuple[int | float, ...]]:
    """Return the name and the values of ``KNOB=V1,V2,...``."""
    name, equals, listed = given.partition("=")
    if not name or not equals or not listed:
        raise UsageError(f"--knob {given}: write it as KNOB=V1,V2, such as tokens=6k,32k")
    values = tuple(amount(value, "--knob") for value in listed.split(","))
    if len({*values}) < len(values):
        raise UsageError(f"--knob {given}: a value comes twice")
    return name.strip(), values


def _stopped(error: RunStoppedError, max_cost: float | None) -> str:
    limit, how = None, "To resume"
    if error.by_cost:
        limit = higher(max_cost, error.run.summary.spent.cost)
        how = "To resume with a higher limit"
    return f"the sweep stopped: {error.reason}\n{how}: {again(max_cost=limit)}"
