"""`mabench compare`: which run is better, and what cannot be told; a gate for CI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import messages, output
from mabench.errors import DataError, UsageError

if TYPE_CHECKING:
    from mabench.runs import SweepPoint

_MORE_HISTORIES = ": mabench generate SOURCE --rows 10 --out FOLDER"


def compare(
    runs: Annotated[
        list[Path],
        opt.run_argument(
            metavar="RUN", help="Runs, a sweep or a race; what --repeat made counts as one run."
        ),
    ],
    baseline: Annotated[
        Path | None,
        opt.run_option(
            metavar="RUN", help="Compare each run with this one only; it may be among them."
        ),
    ] = None,
    common: Annotated[
        bool, opt.data("--common", help="Compare the questions that all were asked.")
    ] = False,
    score: Annotated[
        str,
        opt.data(
            metavar="NAME",
            help="official or corrected.",
            autocompletion=opt.complete("official", "corrected"),
        ),
    ] = "official",
    fail_if_worse: Annotated[
        float | None,
        opt.limit(
            metavar="POINTS", help="Exit 1 if a run is worse than --baseline by more than this."
        ),
    ] = None,
    fail_unless_as_good: Annotated[
        float | None,
        opt.limit(
            metavar="POINTS",
            help="Exit 1 unless each run is shown to be no more than this worse than --baseline.",
        ),
    ] = None,
    on: Annotated[
        str | None,
        opt.limit(
            metavar="SOURCE",
            help="The source that decides whether a run fails; by default all do.",
            autocompletion=opt.complete_source,
        ),
    ] = None,
    flips: Annotated[
        bool, opt.result("--flipped", help="List the questions that only one run got right.")
    ] = False,
    pairs: Annotated[
        bool, opt.result("--pairs", help="Print every pair; of two runs it is printed anyway.")
    ] = False,
    plot: opt.Plot = None,
    layout: opt.Format = "table",
) -> None:
    """Print one table of runs on the same questions, the best first, and what it shows.

    Exit codes: 0 if done, 1 if a run fails --fail-if-worse or --fail-unless-as-good, 2 if the runs
    cannot be compared.
    """
    from mabench.comparison import GateName, apply_gate, flipped
    from mabench.comparison import compare as compare_runs
    from mabench.race import open_race
    from mabench.reports import show_comparison, show_race
    from mabench.runs import open_sweep

    limits = {
        GateName.FAIL_IF_WORSE: fail_if_worse,
        GateName.FAIL_UNLESS_AS_GOOD: fail_unless_as_good,
    }
    gates = {gate: points for gate, points in limits.items() if points is not None}
    if gates and baseline is None:
        name = next(iter(gates))
        raise UsageError(f"--{name} takes --baseline RUN, the run that others are held to")
    if on is not None and not gates:
        raise UsageError(
            "--on names what --fail-if-worse or --fail-unless-as-good looks at; give one of them"
        )
    if plot:
        from mabench.cli.results import write_page
        from mabench.page import check_plot, plot_comparison, plot_sweep

        check_plot(plot)
    if len(runs) == 1 and (standing := open_race(runs[0])):
        if baseline or common or flips or pairs or plot:
            raise UsageError("a race is shown as it is: name its folder alone")
        show_race(standing, layout, output())
        return
    if len(runs) == 1 and (points := open_sweep(runs[0])):
        if baseline or common or flips or pairs:
            raise UsageError(
                "a sweep is compared as it is; for --baseline, --common, --flipped or --pairs name "
                f"the runs of one value: {points[0].run.folder.parent}/*"
            )
        _compare_sweep(points, score, layout)
        for file, content in plot_sweep(points, plot) if plot else ():
            write_page(file, content)
        return
    try:
        comparison = compare_runs(runs, baseline=baseline, score=score, common=common)
        listed = None
        if flips:
            listed = {(pair.a, pair.b): [*flipped(pair, score)] for pair in comparison.pairs}
    except DataError as error:
        raise UsageError(str(error)) from error  # 1 says that a run is worse.
    results = [
        apply_gate(gate, pair, points, on)
        for pair in comparison.pairs
        for gate, points in gates.items()
    ]
    show_comparison(comparison, layout, output(), listed, results, _MORE_HISTORIES, pairs=pairs)
    for file, content in plot_comparison(comparison, plot) if plot else ():
        write_page(file, content)
    if races := [run.parent for run in runs if (run.parent / "race.json").exists()]:
        messages().print(
            "These runs were stopped when their race was decided, and these intervals are for "
            f"numbers of histories that were fixed before: see mabench compare {races[0]}"
        )
    if not all(result.passes for result in results):
        raise typer.Exit(1)


def _compare_sweep(points: Sequence[SweepPoint], score: str, layout: str) -> None:
    from mabench.comparison import compare as compare_runs
    from mabench.reports import show_sweep
    from mabench.runs import by_value

    if len({point.agent for point in points}) == 1:
        raise UsageError(
            f"a sweep of {points[0].agent} alone: `mabench report` prints it, and the command that "
            "made it takes more agents"
        )
    comparisons = {
        value: compare_runs([point.run for point in at], score=score)
        for value, at in by_value(points).items()
        if len(at) > 1
    }
    show_sweep(points, layout, output(), comparisons)
