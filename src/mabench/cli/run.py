"""`mabench run`, `sweep` and `race`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.errors import MabenchError, UsageError
from mabench.outfile import check_writable
from mabench.printable import write_count
from mabench.redact import redact_command
from mabench.specs import AgentSpec, RaceSpec, RunSpec, SweepSpec

if TYPE_CHECKING:
    from mabench.models import Estimate
    from mabench.results import Run

# Options of a run that a sweep reads in its own way, or does not have.
_OWN_OF_SWEEPS = ("agent", "data", "source", "row", "limit_questions", "out")
# Options of a run that a race reads in its own way, or does not have.
_OWN_OF_RACES = ("agent", "source", "row", "limit_questions")
_WITH_SETTINGS = re.compile(r"(.+)\[([^\[\]]+)\]")


@opt.command("run", RunSpec, without=("protocol",), agent="")
def _run(
    spec: RunSpec,
    protocol: str | None = None,
    estimate: bool = False,
    fail_fast: bool = False,
    repeat: int = 1,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    from mabench.runs import default_agent, default_protocol, estimate_run, run_repeatedly

    if repeat < 1:
        raise UsageError(f"--repeat must be at least 1, not {repeat}")
    agent = spec.agent.agent or default_agent(spec.data)
    told = replace(spec.injection, protocol=protocol or default_protocol(spec.data))
    spec = replace(spec, agent=replace(spec.agent, agent=agent), injection=told)
    spec = _complete_spec(spec, fail_fast)
    if estimate:
        estimates = estimate_run(spec)
        _print_estimates(estimates, layout, spec)
        return
    shorten = partial(_from_here, here=Path.cwd())  # An agent may change it.

    def out(folder: Path) -> Path | None:
        return None if repeat > 1 else shorten(folder)

    with _bars(quiet, spec, out=out) as bars:
        runs = run_repeatedly(spec, repeat, bars)
    folders = [shorten(finished.folder) for finished in runs]
    if quiet and layout == "table":
        for folder in folders:
            con.print_written(folder, quiet)
    else:
        _show(runs, folders, layout, quiet)
    failed = [finished for finished in runs if finished.summary.spent.errors]
    if failed:
        line = con.again("--retry-errors", out=out(failed[0].folder) or ...)
        bars.say(f"To ask again what failed: {line}")
        raise typer.Exit(1)


def _print_estimates(
    estimates: Sequence[Estimate], layout: str, spec: RunSpec | None = None
) -> None:
    from mabench.reports.costs.estimates import estimate_report

    content = [each._asdict() for each in estimates]
    report = estimate_report(estimates, spec)
    con.print_tables(report.tables, content, layout, report.remarks)


def _from_here(folder: Path, here: Path) -> Path:
    """Return a folder relative to another one, if it is in that."""
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def _show(runs: Sequence[Run], folders: Sequence[Path], layout: str, quiet: bool) -> None:
    from mabench.reports.formats import print_table
    from mabench.reports.repeats import repeat_table
    from mabench.reports.run_report import show
    from mabench.reports.tables import retitle, titles_of

    several = len(runs) > 1
    if layout == "json" and several:
        con.print_tables([], [run.summary.as_dict() for run in runs], layout)
    for run, folder in zip(runs, folders, strict=True):
        if layout != "json" or not several:
            show(run, layout, con.output())
        if not quiet:
            con.messages().print(f"Run folder: {folder}")
            show_it, draw_it = (con.command_line(verb, folder) for verb in ("show", "page"))
            con.messages().print(f"Next: {show_it}\n      {draw_it}")
    if several and layout == "table":
        titles = titles_of(run.summary for run in runs)
        print_table(retitle(repeat_table(runs), titles), con.output())


@opt.command("sweep", RunSpec, without=_OWN_OF_SWEEPS)
def _sweep(
    agents: list[str],
    source: str,
    knob: list[str],
    spec: RunSpec,
    difficulty: str = "real",
    seed: int = 0,
    estimate: bool = False,
    fail_fast: bool = False,
    out: Path | None = None,
    page: Path | None = None,
    plot: Path | None = None,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    from mabench.page.document import require_packages
    from mabench.page.pages import check_plot, draw_figures, whole_page
    from mabench.reports.experiments.sweep import show_sweep
    from mabench.runs import estimate_sweep
    from mabench.runs import sweep as run_sweep

    name, values, others = _read_knobs(knob)
    out = out or Path("runs") / f"sweep-{source}-{name}"
    spec = replace(_complete_spec(spec, fail_fast), out=out)
    specs = [replace(spec, agent=_read_agent(agent, spec.agent)) for agent in agents]
    rows = SweepSpec(
        source=source, knob=name, values=values, seed=seed, knobs=others, difficulty=difficulty
    )
    # Before anything is run: an agent may change the current folder.
    if page:
        page = page.absolute()
        require_packages()
        check_writable(page)
    if plot:
        plot = plot.absolute()
        check_plot(plot)
    if estimate:
        _print_estimates(estimate_sweep(specs, rows), layout)
        return
    points, shorten = [], partial(_from_here, here=Path.cwd())
    with _bars(quiet, spec, "sweep") as bars:
        for point in run_sweep(specs, rows, bars):
            points.append(point)
            folder = shorten(point.run.folder)
            if quiet:
                con.print_written(folder, layout == "table")
            else:
                bars.say(f"{point.agent}, {name}={point.value}: {folder}")
    if layout != "table" or not quiet:
        show_sweep(points, layout, con.output())
    if page:
        con.write_page(page, whole_page(points))
    for file, figure in draw_figures(points, plot) if plot else ():
        con.write_page(file, figure)
    _end_with_failures([point.run for point in points])


def _read_knobs(
    words: Sequence[str],
) -> tuple[str, tuple[int | float, ...], dict[str, int | float]]:
    """Return the knob that varies, its values, and the one value of each other knob."""
    knobs: dict[str, tuple[int | float, ...]] = {}
    pairs = opt.read_pairs(words, "--knob", "KNOB=V1,V2, such as tokens=6k,32k")
    for name, listed in pairs.items():
        knobs[name] = tuple(opt.read_amount(value, "--knob") for value in listed.split(","))
        if len({*knobs[name]}) < len(knobs[name]):
            raise UsageError(f"--knob {name}={listed}: a value is given twice")
    varied = [name for name, values in knobs.items() if len(values) > 1] or [*knobs][:1]
    if len(varied) > 1:
        listed = " and ".join(varied)
        raise UsageError(f"--knob: one knob has several values in a sweep, not {listed}")
    values = knobs.pop(varied[0])
    return varied[0], values, {name: fixed for name, (fixed,) in knobs.items()}


@opt.command("race", RaceSpec, without=_OWN_OF_RACES, data=...)
def _race(
    agents: list[str],
    spec: RaceSpec,
    fail_fast: bool = False,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    from mabench.races import run_race
    from mabench.reports.experiments.race import show_race

    spec = replace(spec, run=_complete_spec(spec.run, fail_fast))
    named = [_read_agent(agent, spec.run.agent) for agent in agents]
    # Without bars, lines of text would repeat the length of each history.
    bare = quiet or not con.messages().is_terminal
    with _bars(bare, spec.run, "race") as bars:
        for now in run_race(named, spec, bars):
            if now.histories and not quiet:
                bars.say(now.standing)
    show_race(now, layout, con.output())
    if now.limit:
        raised = f". To continue, raise it in: {con.again()}" if "`" in now.limit else ""
        con.messages().print(f"Undecided: {con.in_options(now.limit)}{raised}")
    if not quiet:
        con.messages().print(f"Race folder: {_from_here(now.folder, Path.cwd())}")
    _end_with_failures(now.runs)


def _end_with_failures(runs: Sequence[Run]) -> None:
    """If answers failed, say which command asks them again, and exit with 1."""
    if failed := sum(run.summary.spent.errors for run in runs):
        again = f"{'count' if failed > 1 else 'counts'} as wrong. To ask again:"
        said = f"{write_count(failed, 'answer')} failed, and {again} {con.again('--retry-errors')}"
        con.messages().print(said)
        raise typer.Exit(1)


def _read_agent(word: str, shared: AgentSpec) -> AgentSpec:
    """Return an agent with the settings in brackets after its name, such as ``bm25[k=3]``."""
    match = _WITH_SETTINGS.fullmatch(word)
    if match is None:
        return replace(shared, agent=word)
    own = opt.read_settings(match[2].split(","), f"{word}:")
    return replace(shared, agent=match[1], settings={**shared.settings, **own})


@contextmanager
def _bars(
    quiet: bool,
    spec: RunSpec,
    work: str = "run",
    out: Callable[[Path], Path | None] = lambda folder: None,
) -> Iterator[con.ProgressBars]:
    """Show the progress of a run, a sweep or a race; if it is stopped, say how to resume it.

    ``out`` returns the folder that the commands name for that of a run, if they name one.
    """
    from mabench.runs import RunStoppedError

    def say(stop: Any) -> str:
        return f"Stopped. {con.to_resume(out=out(stop.folder))}"

    try:
        with con.ProgressBars(quiet, say) as bars:
            yield bars
    except RunStoppedError as stop:
        summary, place = stop.run.summary, out(stop.folder)
        lines = [f"the {work} stopped: {stop.reason}"]
        if stop.not_kept and (folder := spec.agent.replies.replay):
            lines.append(con.after_a_miss(folder, place))
        else:
            limit = spec.max_cost if stop.by_cost else None
            lines.append(con.to_resume(limit, summary.dollars or 0.0, place))
            if summary.spent.errors:
                lines.append("To ask again what failed, add --retry-errors.")
        raise MabenchError("\n".join(lines)) from None


def _complete_spec(spec: RunSpec, fail_fast: bool) -> RunSpec:
    """Return the settings of a run with the command that was given and ``fail_fast``."""
    limits = replace(spec.limits, max_errors=1) if fail_fast else spec.limits
    command = redact_command(["mabench", *sys.argv[1:]])
    fit = command.encode("utf-8", "backslashreplace").decode("utf-8")  # A path can be any bytes.
    return replace(spec, limits=limits, command=fit)
