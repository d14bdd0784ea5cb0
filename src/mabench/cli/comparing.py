"""Commands about several runs: `mabench runs`, `leaderboard`, `compare` and `plan`.

They list runs, put them beside published scores, compare them, and plan how many histories a
comparison takes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import mabench
from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.cli.results import open_whole
from mabench.errors import UsageError

if TYPE_CHECKING:
    from mabench.races import Race
    from mabench.reports.comparison import Detail
    from mabench.runs import SweepPoint

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
    shown = merge_races(listed) if layout == "table" else listed
    first = [runs_sentence(shown)] if shown else []
    report = Report(first=first, tables=[runs_table(shown)])
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
        beside = con.command_line("report", run, "--beside", "BM25")
        con.print_next(con.again("--full"), beside)


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
    """Compare runs, or all of a sweep or race."""
    from mabench.comparison import find_flips, is_score_table
    from mabench.reports.comparison import Detail, show_comparison
    from mabench.results import find_folder

    is_table = any(map(is_score_table, runs))
    if is_table:
        _check_table(runs, flips, plot)
    held_to = baseline if is_table or baseline is None else find_folder(baseline)
    if plot:
        from mabench.page.pages import check_plot, draw_figures

        check_plot(plot)
    whole = None if is_table else open_whole(runs)
    if whole is not None:
        selects = bool(baseline or common or flips or pairs or equal_within)
        detail = Detail.FULL if full else Detail.BRIEF
        _compare_whole(whole, selects=selects, score=score, plot=plot, layout=layout, detail=detail)
        if layout == "table" and not full:
            full_report = con.command_line("compare", *runs, "--full")
            con.print_next(full_report, con.command_line("page", *runs))
        return
    comparison = mabench.compare(
        runs, baseline=held_to, score=score, common=common, equal_within=equal_within
    )
    listed = None
    if flips:
        listed = {(pair.a, pair.b): [*find_flips(pair, score)] for pair in comparison.pairs}
    detail = Detail.EVERY_PAIR if pairs else Detail.FULL if full else Detail.BRIEF
    show_comparison(comparison, layout, con.output(), listed, _MORE_HISTORIES, detail=detail)
    for file, figure in draw_figures(comparison, plot) if plot else ():
        con.write_page(file, figure)
    races = [run.parent for run in runs if (run.parent / "race.json").exists()]
    if races:
        con.messages().print(
            "These runs were stopped when their race was decided, and these intervals are for "
            "numbers of histories that were fixed before: see "
            f"{con.command_line('compare', races[0])}"
        )
    if layout == "table" and detail is Detail.BRIEF and not (is_table or flips):
        changed = ["compare", *runs, "--flipped"] if not runs[2:] else ["compare", *runs, "--full"]
        con.print_next(con.command_line(*changed), con.command_line("page", *runs))


def _check_table(runs: list[Path], flips: bool, plot: Path | None) -> None:
    """Refuse what a table of scores cannot do."""
    if runs[1:]:
        raise UsageError("give one table of scores alone: it has all agents that are compared")
    if flips or plot:
        name = "--flipped" if flips else "--plot"
        raise UsageError(f"{name} is for runs; a table of scores has no texts and no costs")


def _compare_whole(
    whole: Race | list[SweepPoint],
    *,
    selects: bool,
    score: str,
    plot: Path | None,
    layout: str,
    detail: Detail,
) -> None:
    """Print the comparisons of a sweep, or the result of a race.

    ``selects`` says that an option was given which only makes sense for single runs.
    """
    from mabench.page.pages import draw_figures
    from mabench.reports.experiments.race import show_race
    from mabench.reports.experiments.sweep import show_sweep

    full = detail is detail.FULL
    if not isinstance(whole, list):
        if selects or plot:
            raise UsageError("a page shows one race alone: name only its folder")
        show_race(whole, layout, con.output(), full=full)
        return
    if selects:
        raise UsageError(
            "a sweep is compared as it is; for --baseline, --common, --flipped or --pairs name "
            f"the runs of one value: {whole[0].run.folder.parent}/*"
        )
    if len({point.agent for point in whole}) == 1:
        raise UsageError(
            f"a sweep of {whole[0].agent} alone: `mabench report` prints it, and the command that "
            "made it takes more agents"
        )
    comparisons = {}
    for value in sorted({point.value for point in whole}):
        runs = [point.run for point in whole if point.value == value]
        if len(runs) > 1:
            comparisons[value] = mabench.compare(runs, score=score)
    show_sweep(whole, layout, con.output(), comparisons, full=full)
    for file, figure in draw_figures(whole, plot) if plot else ():
        con.write_page(file, figure)


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

    made = mabench.plan(runs, difference, agents=agents, max_cost=max_cost, max_hours=max_hours)
    show_plan(made, layout, con.output(), full=full)
    if layout == "table" and not full:
        look = "compare" if runs[1:] else "report"
        con.print_next(con.again("--full"), con.command_line(look, *runs))
