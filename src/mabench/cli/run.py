"""Commands that run agents: `mabench run`, `sweep` and `race`.

It also has what other commands that run agents need: reading an agent's name with its settings,
and showing progress with advice on how to resume.

The parameters of a command are its options, which ``commands.toml`` describes. ``layout`` is the
format of what is printed: "table" on a terminal, else a format of files.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
    from mabench.models import CostEstimate
    from mabench.results import Run
    from mabench.runs import SweepPoint

# Options of a run that a sweep lacks or reads differently.
_NOT_IN_SWEEPS = ("agent", "data", "source", "row", "limit_questions", "out")
# Options of a run that a race lacks or reads differently.
_NOT_IN_RACES = ("agent", "source", "row", "limit_questions")
# An agent with settings in brackets, such as ``bm25[k=3]``.
_WITH_SETTINGS = re.compile(r"(.+)\[([^\[\]]+)\]")


@opt.command("run", RunSpec, without=("protocol",), agent="")
def _run(
    spec: RunSpec,
    protocol: str | None = None,
    estimate: bool = False,
    fail_fast: bool = False,
    repeat: int = 1,
    drafts: bool = False,
    full: bool = False,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    """Run an agent over a data set, once or several times."""
    from mabench.runs import estimate_run, run_repeatedly

    if repeat < 1:
        raise UsageError(f"--repeat must be at least 1, not {repeat}")
    if drafts:
        from mabench.data.sheets import with_drafts

        spec = replace(spec, data=replace(spec.data, data=with_drafts(spec.data.data)))
    spec = complete_spec(_with_defaults(spec, protocol), fail_fast)
    if estimate:
        _print_estimates(estimate_run(spec), layout, spec)
        return
    # The current folder is looked up now: an agent may change it.
    shorten = partial(relative_to, here=Path.cwd())

    def out_to_resume(folder: Path) -> Path | None:
        # Of a repeated run, --out is not the folder of one repetition: the command stays as it is.
        return None if repeat > 1 else shorten(folder)

    with progress_bars(quiet, spec, out_to_resume=out_to_resume) as bars:
        runs = run_repeatedly(spec, repeat, bars)
    folders = [shorten(run.folder) for run in runs]
    if quiet and layout == "table":
        for folder in folders:
            con.print_written(folder, quiet)
    else:
        _print_runs(runs, folders, layout, quiet=quiet, full=full, drafts=drafts)
    with_errors = [run for run in runs if run.summary.spent.errors]
    if with_errors:
        line = con.again("--retry-errors", out=out_to_resume(with_errors[0].folder) or ...)
        bars.say(f"To ask again what failed: {line}")
        raise typer.Exit(1)


def _with_defaults(spec: RunSpec, protocol: str | None) -> RunSpec:
    """Return settings with the agent and the protocol that suit the data where none is given."""
    from mabench.runs import default_agent, default_protocol

    agent = replace(spec.agent, agent=spec.agent.agent or default_agent(spec.data))
    injection = replace(spec.injection, protocol=protocol or default_protocol(spec.data))
    return replace(spec, agent=agent, injection=injection)


def _print_estimates(
    estimates: Sequence[CostEstimate], layout: str, spec: RunSpec | None = None
) -> None:
    """Print what runs would take and cost; ``spec`` has the settings of a single run."""
    from mabench.reports.costs.estimates import estimate_report

    content = [estimate._asdict() for estimate in estimates]
    report = estimate_report(estimates, spec)
    con.print_report(report, content, layout)


def relative_to(folder: Path, here: Path) -> Path:
    """Return a folder relative to ``here`` if it is inside, else unchanged."""
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def _print_runs(
    runs: Sequence[Run],
    folders: Sequence[Path],
    layout: str,
    *,
    quiet: bool,
    full: bool,
    drafts: bool,
) -> None:
    """Print the report of each repetition of a run, and the commands to go on with.

    ``folders`` are the folders of ``runs``, as they are shown.
    """
    from mabench.reports.formats import print_table
    from mabench.reports.repeats import repeat_table
    from mabench.reports.run_report import ReportOptions, show
    from mabench.reports.tables import retitle, titles_of

    several = len(runs) > 1
    is_one_list = several and layout == "json"  # Several JSON documents in a row are no JSON.
    if is_one_list:
        con.print_tables([], [run.summary.as_dict() for run in runs], layout)
    for run, folder in zip(runs, folders, strict=True):
        if not is_one_list:
            show(run, layout, con.output(), options=ReportOptions(full=full, drafts=drafts))
        if not quiet:
            con.messages().print(f"Run folder: {folder}")
            con.print_next(con.command_line("show", folder), con.command_line("page", folder))
    if several and layout == "table":
        titles = titles_of(run.summary for run in runs)
        print_table(retitle(repeat_table(runs), titles), con.output())


@opt.command("sweep", RunSpec, without=_NOT_IN_SWEEPS)
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
    full: bool = False,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    """Run agents over rows that differ in one knob."""
    from mabench.page.pages import check_plot, draw_figures, whole_page
    from mabench.reports.experiments.sweep import show_sweep
    from mabench.runs import estimate_sweep

    knobs = _read_knobs(knob)
    out = out or Path("runs") / f"sweep-{source}-{knobs.varied}"
    spec = replace(complete_spec(spec, fail_fast), out=out)
    specs = [replace(spec, agent=read_agent(agent, spec.agent)) for agent in agents]
    rows = SweepSpec(
        source=source,
        knob=knobs.varied,
        values=knobs.values,
        seed=seed,
        knobs=knobs.fixed,
        difficulty=difficulty,
    )
    # Before anything is run: an agent may change the current folder.
    if page:
        page = page.absolute()
        check_page(page)
    if plot:
        plot = plot.absolute()
        check_plot(plot)
    if estimate:
        _print_estimates(estimate_sweep(specs, rows), layout)
        return
    with progress_bars(quiet, spec, "sweep") as bars:
        points = _run_sweep(specs, rows, bars, layout, quiet=quiet)
    if layout != "table" or not quiet:
        show_sweep(points, layout, con.output(), full=full)
    if page:
        con.write_page(page, whole_page(points))
    for file, figure in draw_figures(points, plot) if plot else ():
        con.write_page(file, figure)
    if not quiet:
        command = "compare" if len(agents) > 1 else "report"
        con.print_next(con.command_line(command, out), con.command_line("page", out))
    end_with_failures([point.run for point in points])


def check_page(page: Path) -> None:
    """Refuse a page that cannot be made or written, before anything is run for it."""
    from mabench.page.document import require_packages

    require_packages()
    check_writable(page)


def _run_sweep(
    specs: Sequence[RunSpec],
    rows: SweepSpec,
    bars: con.ProgressBars,
    layout: str,
    *,
    quiet: bool,
) -> list[SweepPoint]:
    """Run a sweep, and print the folder of each run once it is done; return all points."""
    from mabench.runs import sweep

    here = Path.cwd()  # Looked up now: an agent may change the current folder.
    points = []
    for point in sweep(specs, rows, bars):
        points.append(point)
        folder = relative_to(point.run.folder, here)
        if not quiet:
            bars.say(f"{point.agent}, {rows.knob}={point.value}: {folder}")
        elif layout == "table":
            con.print_written(folder, quiet=True)
        else:  # The results are the report, so the folder is a message.
            con.print_written(folder)
    return points


@dataclass(frozen=True, slots=True)
class _SweepKnobs:
    """The knobs of the generator of rows that a sweep sets."""

    varied: str  # The name of the knob that varies.
    values: tuple[int | float, ...]  # Its values, one for each point of the sweep.
    fixed: dict[str, int | float]  # The one value of each other knob, by its name.


def _read_knobs(words: Sequence[str]) -> _SweepKnobs:
    """Return the knobs that are written as ``KNOB=V1,V2``.

    The knob with several values varies; if each has one value, the first knob does.

    Raises:
        UsageError: when a value is given twice, or several knobs have several values.
    """
    values: dict[str, tuple[int | float, ...]] = {}
    pairs = opt.read_pairs(words, "--knob", "KNOB=V1,V2, such as tokens=6k,32k")
    for name, listed in pairs.items():
        values[name] = tuple(opt.read_amount(value, "--knob") for value in listed.split(","))
        if len(set(values[name])) < len(values[name]):
            raise UsageError(f"--knob {name}={listed}: a value is given twice")
    names = list(values)
    with_several = [name for name in names if len(values[name]) > 1]
    if len(with_several) > 1:
        listed = " and ".join(with_several)
        raise UsageError(f"--knob: one knob has several values in a sweep, not {listed}")
    varied = with_several[0] if with_several else names[0]
    fixed = {name: values[name][0] for name in names if name != varied}
    return _SweepKnobs(varied=varied, values=values[varied], fixed=fixed)


@opt.command("race", RaceSpec, without=_NOT_IN_RACES, data=...)
def _race(
    agents: list[str],
    spec: RaceSpec,
    fail_fast: bool = False,
    full: bool = False,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    """Run agents over the same histories until one is better."""
    from mabench.races import run_race
    from mabench.reports.experiments.race import show_race

    spec = replace(spec, run=complete_spec(spec.run, fail_fast))
    agent_specs = [read_agent(agent, spec.run.agent) for agent in agents]
    # Without a terminal, the progress of each history would be printed as lines of text.
    hides_progress = quiet or not con.messages().is_terminal
    with progress_bars(hides_progress, spec.run, "race") as bars:
        # The race as it is after each history; the last one is its result.
        for race in run_race(agent_specs, spec, bars):
            if race.histories and not quiet:
                bars.say(race.standing)
    show_race(race, layout, con.output(), full=full)
    if race.limit:  # Why it ended undecided. A limit that is a setting is named in backquotes.
        is_setting = "`" in race.limit
        advice = f". To continue, raise it in: {con.again()}" if is_setting else ""
        con.messages().print(f"Undecided: {con.in_options(race.limit)}{advice}")
    if not quiet:
        folder = relative_to(race.folder, Path.cwd())
        con.messages().print(f"Race folder: {folder}")
        con.print_next(
            con.command_line("report", folder, "--full"), con.command_line("page", folder)
        )
    end_with_failures(race.runs)


def end_with_failures(runs: Sequence[Run]) -> None:
    """If answers failed, print the command that asks again, and exit with 1."""
    failed = sum(run.summary.spent.errors for run in runs)
    if failed:
        verb = "count" if failed > 1 else "counts"
        con.messages().print(
            f"{write_count(failed, 'answer')} failed, and {verb} as wrong. To ask again: "
            f"{con.again('--retry-errors')}"
        )
        raise typer.Exit(1)


def read_agent(word: str, shared: AgentSpec) -> AgentSpec:
    """Return an agent with the settings in brackets after its name, such as ``bm25[k=3]``.

    ``shared`` has the settings of all agents of the command; those in brackets come before them.
    """
    match = _WITH_SETTINGS.fullmatch(word)
    if match is None:
        return replace(shared, agent=word)
    name, in_brackets = match.groups()
    own = opt.read_settings(in_brackets.split(","), f"{word}:")
    return replace(shared, agent=name, settings={**shared.settings, **own})


@contextmanager
def progress_bars(
    quiet: bool,
    spec: RunSpec,
    work: str = "run",
    out_to_resume: Callable[[Path], Path | None] = lambda folder: None,
) -> Iterator[con.ProgressBars]:
    """Show progress; if the work is stopped, say how to resume it.

    Args:
        quiet: whether only failures are shown.
        spec: the settings of the runs.
        work: the noun for the work in the message about its end.
        out_to_resume: returns what ``--out`` must be in the command that resumes the run in a
            folder; None if the command needs no other ``--out`` than it has.

    Raises:
        MabenchError: when a limit stopped the work; the message says how to resume it.
    """
    from mabench.runs import RunStoppedError

    def describe_stop(interrupt: Any) -> str:
        """Return what is printed after Ctrl-C or another signal."""
        if interrupt.folder is None:  # It came before the run had one.
            return f"Stopped; nothing of it is kept. {con.to_resume(verb='start')}"
        return f"Stopped. {con.to_resume(out=out_to_resume(interrupt.folder))}"

    try:
        with con.ProgressBars(quiet, describe_stop) as bars:
            yield bars
    except RunStoppedError as stop:
        summary = stop.run.summary
        out = out_to_resume(stop.folder)
        lines = [f"the {work} stopped: {stop.reason}"]
        replay_folder = spec.agent.replies.replay
        if stop.not_kept and replay_folder:  # A reply that was to be replayed is not there.
            lines.append(con.after_a_miss(replay_folder, out))
        else:
            max_cost = spec.max_cost if stop.by_cost else None
            lines.append(con.to_resume(max_cost, spent=summary.dollars or 0.0, out=out))
            if summary.spent.errors:
                lines.append("To ask again what failed, add --retry-errors.")
        raise MabenchError("\n".join(lines)) from None


def complete_spec(spec: RunSpec, fail_fast: bool) -> RunSpec:
    """Return the settings of a run with the command line, which is stored without secrets.

    With ``fail_fast``, the run stops at the first error.
    """
    limits = replace(spec.limits, max_errors=1) if fail_fast else spec.limits
    command = redact_command(["mabench", *sys.argv[1:]])
    # A path can be any bytes, but the command is stored as UTF-8.
    storable = command.encode("utf-8", "backslashreplace").decode("utf-8")
    return replace(spec, limits=limits, command=storable)
