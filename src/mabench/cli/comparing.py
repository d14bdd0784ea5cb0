"""Commands about several runs: `mabench runs`, `leaderboard`, `compare` and `plan`.

They list runs, put them beside published scores, compare them, and plan how many histories a
comparison takes.

The parameters of a command are its options, which ``commands.toml`` describes. ``layout`` is the
format of what is printed: "table" on a terminal, else a format of files.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import mabench
from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.cli.results import open_experiment
from mabench.errors import UsageError

if TYPE_CHECKING:
    from mabench.comparison import Comparison, Flip
    from mabench.races import Race
    from mabench.runs import SweepPoint

# What the advice to ask more histories ends with on the command line.
_MORE_HISTORIES = ": mabench generate SOURCE --rows 10 --out FOLDER"


@opt.command("runs")
def _runs(folder: Path | None = None, layout: str = "table") -> None:
    """List the runs in a folder."""
    from mabench.reports.report import Report
    from mabench.reports.run_lists import runs_sentence, runs_table
    from mabench.results import list_runs, merge_races

    listed = list_runs(folder)
    if not listed and layout == "table":
        con.messages().print(f"no runs under {folder or 'runs'}; `mabench run` makes one")
        return
    # People see a race as one line; files keep each of its runs.
    shown = merge_races(listed) if layout == "table" else listed
    sentences = [runs_sentence(shown)] if shown else []
    report = Report(first=sentences, tables=[runs_table(shown)])
    con.print_report(report, [run.as_dict() for run in listed], layout)


@opt.command("leaderboard")
def _leaderboard(
    runs: list[Path] | None = None,
    column: str | None = None,
    full: bool = False,
    layout: str = "table",
) -> None:
    """Print runs beside published scores."""
    from mabench.reports.leaderboard import show_leaderboard
    from mabench.results import Run

    opened = [Run(folder) for folder in runs or ()]
    show_leaderboard(opened, layout, con.output(), column, full=full)
    if layout == "table" and not full:
        run = runs[0] if runs else "RUN"
        report_command = con.command_line("report", run, "--beside", "BM25")
        con.print_next(con.again("--full"), report_command)


@opt.command("compare")
def _compare(
    runs: list[Path],
    baseline: str | None = None,
    common: bool = False,
    score: str = "official",
    equal_within: float | None = None,
    flips: bool = False,
    pairs: bool = False,
    plot: Path | None = None,
    full: bool = False,
    layout: str = "table",
) -> None:
    """Compare runs, the agents of a table of scores, or all of a sweep or race."""
    from mabench.comparison import is_score_table
    from mabench.reports.comparison import Detail, show_comparison
    from mabench.results import find_folder

    is_table = any(is_score_table(path) for path in runs)
    if is_table:
        _check_table_options(runs, flips, plot)
    # The baseline of a table is one of its agents; of runs, it is a run.
    reference = baseline if is_table or baseline is None else find_folder(baseline)
    if plot:
        from mabench.page.pages import check_plot

        check_plot(plot)
    experiment = None if is_table else open_experiment(runs)
    if experiment is not None:
        is_for_runs = bool(baseline or common or flips or pairs or equal_within)
        if isinstance(experiment, list):
            _compare_sweep(experiment, score, layout, plot, full=full, is_for_runs=is_for_runs)
        else:
            _print_race(experiment, layout, plot, full=full, is_for_runs=is_for_runs)
        if layout == "table" and not full:
            full_report = con.command_line("compare", *runs, "--full")
            con.print_next(full_report, con.command_line("page", *runs))
        return
    comparison = mabench.compare(
        runs, baseline=reference, score=score, common=common, equal_within=equal_within
    )
    flips_of_pairs = _find_all_flips(comparison, score) if flips else None
    detail = Detail.FULL if full else Detail.BRIEF
    if pairs:
        detail = Detail.EVERY_PAIR
    show_comparison(
        comparison, layout, con.output(), flips_of_pairs, _MORE_HISTORIES, detail=detail
    )
    _write_figures(comparison, plot)
    _warn_of_races(runs)
    if layout == "table" and detail is Detail.BRIEF and not (is_table or flips):
        more = "--full" if len(runs) > 2 else "--flipped"
        con.print_next(con.command_line("compare", *runs, more), con.command_line("page", *runs))


def _find_all_flips(comparison: Comparison, score: str) -> dict[tuple[str, str], list[Flip]]:
    """Return the questions that only one run got right, by the names of the pair of runs."""
    from mabench.comparison import find_flips

    return {(pair.a, pair.b): list(find_flips(pair, score)) for pair in comparison.pairs}


def _check_table_options(paths: list[Path], flips: bool, plot: Path | None) -> None:
    """Refuse other files beside a table of scores, and options that it has no data for."""
    if len(paths) > 1:
        raise UsageError("give one table of scores alone: it has all agents that are compared")
    if flips or plot:
        name = "--flipped" if flips else "--plot"
        raise UsageError(f"{name} is for runs; a table of scores has no texts and no costs")


def _write_figures(subject: Comparison | list[SweepPoint], plot: Path | None) -> None:
    """Write the figures of a comparison or a sweep, if ``--plot`` names a file."""
    if plot is None:
        return
    from mabench.page.pages import draw_figures

    for file, figure in draw_figures(subject, plot):
        con.write_page(file, figure)


def _warn_of_races(runs: list[Path]) -> None:
    """Print a warning if runs are those of a race, whose intervals are computed otherwise."""
    races = [run.parent for run in runs if (run.parent / "race.json").exists()]
    if races:
        con.messages().print(
            "These runs were stopped when their race was decided, and these intervals are for "
            "numbers of histories that were fixed before: see "
            f"{con.command_line('compare', races[0])}"
        )


def _print_race(
    race: Race, layout: str, plot: Path | None, *, full: bool, is_for_runs: bool
) -> None:
    """Print the result of a race.

    ``is_for_runs`` says whether an option was given that only makes sense for single runs: it is
    refused, and so is a plot.
    """
    from mabench.reports.experiments.race import show_race

    if is_for_runs or plot:
        raise UsageError("a page shows one race alone: name only its folder")
    show_race(race, layout, con.output(), full=full)


def _compare_sweep(
    points: list[SweepPoint],
    score: str,
    layout: str,
    plot: Path | None,
    *,
    full: bool,
    is_for_runs: bool,
) -> None:
    """Print the comparison of the agents of a sweep at each value of its knob.

    ``is_for_runs`` says whether an option was given that only makes sense for single runs: it is
    refused, and so is a sweep of one agent.
    """
    from mabench.reports.experiments.sweep import show_sweep

    if is_for_runs:
        raise UsageError(
            "a sweep is compared as it is; for --baseline, --common, --flipped or --pairs name "
            f"the runs of one value: {points[0].run.folder.parent}/*"
        )
    if len({point.agent for point in points}) == 1:
        raise UsageError(
            f"a sweep of {points[0].agent} alone: `mabench report` prints it, and the command that "
            "made it takes more agents"
        )
    comparisons = {}
    for value in sorted({point.value for point in points}):
        runs = [point.run for point in points if point.value == value]
        if len(runs) > 1:  # Of a sweep that was stopped, the last value may have one agent.
            comparisons[value] = mabench.compare(runs, score=score)
    show_sweep(points, layout, con.output(), comparisons, full=full)
    _write_figures(points, plot)


@opt.command("plan")
def _plan(
    runs: list[Path],
    difference: float = 5.0,
    agents: int = 2,
    max_cost: float | None = None,
    max_hours: float | None = None,
    full: bool = False,
    layout: str = "table",
) -> None:
    """Print how many histories it takes to see a difference between runs."""
    from mabench.reports.experiments.plan import show_plan

    plan = mabench.plan(runs, difference, agents=agents, max_cost=max_cost, max_hours=max_hours)
    show_plan(plan, layout, con.output(), full=full)
    if layout == "table" and not full:
        command = "compare" if len(runs) > 1 else "report"
        con.print_next(con.again("--full"), con.command_line(command, *runs))
