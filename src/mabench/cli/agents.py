"""`mabench agents`, `check`, `stress`, `runs`, `leaderboard`, `compare` and `plan`.

Which agents there are, and their faults, also in use; which runs there are, beside what was
published; which is better, a gate for CI, and what it takes to tell.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import mabench
from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.cli.results import open_whole
from mabench.contract.methods import call_of
from mabench.errors import DataError, MabenchError, UsageError
from mabench.outfile import check_writable
from mabench.settings import RunPart
from mabench.specs import AgentSpec, StressSpec

if TYPE_CHECKING:
    from mabench.races import Race
    from mabench.runs import SweepPoint

_MORE_HISTORIES = ": mabench generate SOURCE --rows 10 --out FOLDER"
# Settings of an agent that say nothing where nothing is kept of it.
_OF_RUNS = (
    "keep_memories",
    "same_code",
    "meter",
    "cache",
    "replay",
    "requests_in_flight",
    "prices",
)


@opt.command("agents", AgentSpec, without=_OF_RUNS, agent="")
def _agents(spec: AgentSpec, layout: str = "table") -> None:
    from mabench.lookup import AgentInfo, available
    from mabench.reports.listings import list_table
    from mabench.reports.tables import plain_table
    from mabench.runs.conversation import Conversation

    if spec.agent:
        look = Conversation.look_at(spec)
        told = f"{look['agent']}, {look['kind']}: gets conversations one {look['unit']} at a time."
        sentences = [told, *(f"{miss}." for miss in look["near_misses"])]
        rows = [(call_of(name), ", ".join(takes) or None) for name, takes in look["takes"].items()]
        table = plain_table(("Method", "Passed, if known"), rows)
        con.print_tables([table], look, layout, sentences)
        return
    listed = available()
    content = [{"name": a.name, "from": a.origin, "summary": a.summary} for a in listed]
    own = "An agent of your own is named package.module:factory."
    con.print_tables([list_table(AgentInfo, listed)], content, layout, [own])


# Kept replies would make any agent look deterministic.
@opt.command("check", AgentSpec, without=_OF_RUNS[:-1], agent=...)
def _check(
    spec: AgentSpec,
    max_cost: float | None = None,
    timeout: float = 120.0,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    from mabench.check import CheckStoppedError, Finding, check_agent
    from mabench.reports.listings import list_table

    stopped = f"Stopped. Nothing of the check is kept. To check again: {con.again()}"
    try:
        with con.ProgressBars(quiet, lambda _: stopped) as bars:
            report = check_agent(spec, timeout=timeout, max_cost=max_cost, progress=bars)
    except CheckStoppedError as error:
        how = con.to_resume(max_cost, error.spent, verb="check")
        raise MabenchError(f"{error}\n{how}") from None
    findings = [each._replace(message=con.in_options(each.message)) for each in report.findings]
    report = report._replace(findings=[*findings])
    first: dict[str, str] = {}
    for place, (check, status, message, *_) in enumerate(findings):
        if status == "failed" and (same := first.setdefault(message, check)) != check:
            findings[place] = findings[place]._replace(message=f"the same as in {same!r}")
    tables = [] if quiet else [list_table(Finding, findings)]
    fatal = [finding.check for finding in findings if finding.invalidates]
    conclusion = "nothing was found that would invalidate its scores"
    if fatal:
        conclusion = f"its scores would mean nothing; failed: {', '.join(fatal)}"
    con.print_tables(tables, report.as_dict(), layout, [f"{report.agent}: {conclusion}."])
    if not report.valid:
        raise typer.Exit(1)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Command(RunPart):
    agent: AgentSpec
    stress: StressSpec


# Some are read in ways of their own.
_NOT_OF_STRESS = ["for", "clients", "faults", *(name for name in _OF_RUNS if name != "meter")]


@opt.command("stress", _Command, without=_NOT_OF_STRESS, agent=...)
def _stress(
    spec: _Command,
    seconds: float = StressSpec().seconds,
    clients: str = "1,8,64",
    faults: list[str] | None = None,
    replay: Path | None = None,
    baseline: Path | None = None,
    out: Path | None = None,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    from mabench.reports.experiments.stress import conclude_stress, stress_tables
    from mabench.stressing import stress as run_stress

    if out is not None:
        place = out.absolute()  # The memory's code may change the current folder.
        check_writable(out)
    rates = opt.read_pairs(faults, "--faults", "model=RATE, such as model=0.1")
    settings = replace(
        spec.stress,
        seconds=seconds,
        clients=tuple(int(n) if n.strip().isdecimal() else 0 for n in clients.split(",")),
        faults={each: float(opt.read_amount(rate, "--faults")) for each, rate in rates.items()},
    )
    for number in (signal.SIGINT, signal.SIGTERM):  # So that no process or folder is left.
        signal.signal(number, _stop)
    stopped = f"Stopped. Nothing of it is kept. To begin again: {con.again()}"
    with con.ProgressBars(quiet, lambda _: stopped) as bars:
        report = run_stress(spec.agent, settings, replay=replay, baseline=baseline, progress=bars)
    tables = [] if quiet else [each for of in stress_tables([report]).values() for each in of]
    con.print_tables(tables, report.as_dict(), layout, conclude_stress(report, quiet))
    if out is not None:
        report.write(place)
    if out is not None and not quiet:
        con.print_written(out)
    if report.findings and not (replay or quiet):
        con.messages().print(_to_play_again(report.seed, out))
    if not report.passed:
        raise typer.Exit(1)


def _to_play_again(seed: int, out: Path | None) -> str:
    """Return the command that carries the histories of findings out again, in a sentence."""
    if out is None:
        line = con.again(seed=seed, out="report.json")
        return f"To find these histories again, and keep them for --replay: {line}"
    needless: dict[str, Any] = dict.fromkeys(("out", "seed", "for", "clients", "baseline"))
    return f"To play these histories again: {con.again(**needless, replay=out)}"


def _stop(number: int, frame: object) -> None:
    for each in (signal.SIGINT, signal.SIGTERM):  # The second ends it at once.
        signal.signal(each, signal.SIG_DFL)
    from mabench.tasks.stopping import RunInterrupt

    sys.unraisablehook = _stop_again
    raise RunInterrupt(None, number)


def _stop_again(lost: Any) -> None:
    """Repeat a signal whose exception a callback of garbage collection lost, as Hypothesis's."""
    if isinstance(stop := lost.exc_value, KeyboardInterrupt):
        number = getattr(stop, "number", signal.SIGINT)
        signal.signal(number, _stop)
        threading.Timer(0.1, os.kill, (os.getpid(), number)).start()


@opt.command("runs")
def _runs(folder: Path | None = None, layout: str = "table") -> None:
    from mabench.reports.listings import list_table
    from mabench.results import ListedRun, list_runs

    listed = list_runs(folder)
    if not listed and layout == "table":
        con.messages().print(f"no runs under {folder or 'runs'}; `mabench run` makes one")
        return
    con.print_tables([list_table(ListedRun, listed)], [run.as_dict() for run in listed], layout)


@opt.command("leaderboard")
def _leaderboard(
    runs: list[Path] | None = None, column: str | None = None, layout: str = "table"
) -> None:
    from mabench.reports.leaderboard import show_leaderboard
    from mabench.results import Run

    show_leaderboard([Run(folder) for folder in runs or ()], layout, con.output(), column)


@opt.command("compare")
def _compare(
    runs: list[Path],
    baseline: Path | None = None,
    common: bool = False,
    score: str = "official",
    fail_if_worse: float | None = None,
    fail_unless_as_good: float | None = None,
    on: str | None = None,
    flips: bool = False,
    pairs: bool = False,
    plot: Path | None = None,
    layout: str = "table",
) -> None:
    from mabench.comparison import GateName, apply_gate, find_flips
    from mabench.reports.comparison import show_comparison

    limits = dict(zip(GateName, (fail_if_worse, fail_unless_as_good), strict=True))
    gates = {gate: points for gate, points in limits.items() if points is not None}
    if gates and baseline is None:
        name = next(iter(gates))
        raise UsageError(f"--{name} needs --baseline RUN, the run to compare with")
    if on is not None and not gates:
        raise UsageError(f"--on needs --{' or --'.join(limits)}; give one of them")
    if plot:
        from mabench.page.pages import check_plot, draw_figures

        check_plot(plot)
    whole = open_whole(runs)
    if whole is not None:
        _compare_whole(whole, bool(baseline or common or flips or pairs), score, plot, layout)
        return
    try:
        comparison = mabench.compare(runs, baseline=baseline, score=score, common=common)
        listed = None
        if flips:
            listed = {(pair.a, pair.b): [*find_flips(pair, score)] for pair in comparison.pairs}
    except DataError as error:
        raise UsageError(str(error)) from error  # 1 says that a run is worse.
    results = [
        apply_gate(gate, pair, points, on)
        for pair in comparison.pairs
        for gate, points in gates.items()
    ]
    show_comparison(comparison, layout, con.output(), listed, results, _MORE_HISTORIES, pairs=pairs)
    for file, figure in draw_figures(comparison, plot) if plot else ():
        con.write_page(file, figure)
    if races := [run.parent for run in runs if (run.parent / "race.json").exists()]:
        con.messages().print(
            "These runs were stopped when their race was decided, and these intervals are for "
            "numbers of histories that were fixed before: see "
            f"{con.command_line('compare', races[0])}"
        )
    if not all(result.passes for result in results):
        raise typer.Exit(1)


def _compare_whole(
    whole: Race | list[SweepPoint], chosen: bool, score: str, plot: Path | None, layout: str
) -> None:
    from mabench.page.pages import draw_figures
    from mabench.reports.experiments.race import show_race
    from mabench.reports.experiments.sweep import show_sweep

    if not isinstance(whole, list):
        if chosen or plot:
            raise UsageError("a page shows one race alone: name only its folder")
        show_race(whole, layout, con.output())
        return
    if chosen:
        raise UsageError(
            "a sweep is compared as it is; for --baseline, --common, --flipped or --pairs name "
            f"the runs of one value: {whole[0].run.folder.parent}/*"
        )
    if len({point.agent for point in whole}) == 1:
        raise UsageError(
            f"a sweep of {whole[0].agent} alone: `mabench report` prints it, and the command that "
            "made it takes more agents"
        )
    comparisons = {
        value: mabench.compare(at, score=score)
        for value in sorted({point.value for point in whole})
        if len(at := [point.run for point in whole if point.value == value]) > 1
    }
    show_sweep(whole, layout, con.output(), comparisons)
    for file, figure in draw_figures(whole, plot) if plot else ():
        con.write_page(file, figure)


@opt.command("plan")
def _plan(
    runs: list[Path],
    difference: float | None = None,
    max_cost: float | None = None,
    max_hours: float | None = None,
    layout: str = "table",
) -> None:
    from mabench.reports.experiments.plan import show_plan

    made = mabench.plan(runs, difference, max_cost=max_cost, max_hours=max_hours)
    show_plan(made, layout, con.output())
