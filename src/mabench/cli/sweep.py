"""`mabench sweep`: how an agent's score changes with one setting of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from mabench.cli import options as opt
from mabench.cli.commands import complete_spec, explain_stop, to_resume
from mabench.cli.console import print_tables, print_written
from mabench.errors import UsageError
from mabench.redact import redact
from mabench.specs import RunSpec, SweepSpec

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
    from mabench.cli.progress import ProgressBars
    from mabench.cli.results import write_page
    from mabench.page import require_packages, sweep_page
    from mabench.reports import estimate_table, sweep_table
    from mabench.runs import RunStoppedError, estimate_sweep
    from mabench.runs import sweep as run_sweep

    name, values, others = _read_knobs(knob)
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
        content = [each._asdict() for each in estimates]
        print_tables([estimate_table(estimates)], content, layout)
        return
    points = []
    with ProgressBars(quiet, lambda _: f"Stopped. {to_resume()}") as bars:
        try:
            for point in run_sweep(spec, rows, bars):
                if quiet:
                    print_written(point.run.folder, layout == "table")
                else:
                    bars.say(f"{name}={point.value}: {point.run.folder}")
                points.append(point)
        except RunStoppedError as stop:
            raise explain_stop(stop, spec, "sweep") from None
    if layout != "table" or not quiet:
        content = [{"value": p.value, **p.source.as_dict()} for p in points]
        print_tables([sweep_table(name, points)], content, layout)
    if page:
        write_page(page, sweep_page(name, points))


def _read_knobs(
    words: Sequence[str],
) -> tuple[str, tuple[int | float, ...], dict[str, int | float]]:
    """Return the knob that varies with its values, and the one value of each other."""
    knobs: dict[str, tuple[int | float, ...]] = {}
    pairs = opt.read_pairs(words, "--knob", "KNOB=V1,V2, such as tokens=6k,32k")
    for name, listed in pairs.items():
        knobs[name] = tuple(opt.read_amount(value, "--knob") for value in listed.split(","))
        if len({*knobs[name]}) < len(knobs[name]):
            raise UsageError(f"--knob {name}={listed}: a value comes twice")
    varied = [name for name, values in knobs.items() if len(values) > 1] or [*knobs][:1]
    if len(varied) > 1:
        listed = " and ".join(varied)
        raise UsageError(f"--knob: one knob has several values in a sweep, not {listed}")
    values = knobs.pop(varied[0])
    return varied[0], values, {name: fixed for name, (fixed,) in knobs.items()}
