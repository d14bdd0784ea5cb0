"""`mabench compare`: which run is better, and what cannot be told; a gate for CI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli import completion
from mabench.cli import options as opt
from mabench.cli.console import messages, output
from mabench.errors import DataError, UsageError

if TYPE_CHECKING:
    from mabench.comparison import Comparison

_MORE_HISTORIES = ": mabench generate SOURCE --rows 10 --out FOLDER"


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...", help="Run folders; one made with --repeat counts as one run."
        ),
    ],
    baseline: Annotated[
        Path | None, opt.data(metavar="RUN", help="Compare each run with this one only.")
    ] = None,
    score: Annotated[
        str,
        opt.data(metavar="NAME", help="official or corrected.", autocompletion=completion.scores),
    ] = "official",
    fail_if_worse: Annotated[
        float | None,
        opt.limit(
            metavar="POINTS", help="Exit 1 if a run is worse than --baseline by more than this."
        ),
    ] = None,
    on: Annotated[
        str | None,
        opt.limit(
            metavar="SOURCE",
            help="With --fail-if-worse: look at this source only.",
            autocompletion=completion.sources,
        ),
    ] = None,
    flips: Annotated[
        bool, opt.result("--flipped", help="List the questions that only one run got right.")
    ] = False,
    layout: opt.Format = "table",
) -> None:
    """Compare runs on the same questions: paired differences, intervals, and what they show.

    Exit codes: 0 if done, 1 if worse (with --fail-if-worse), 2 if the runs cannot be compared.
    """
    from mabench.comparison import compare as compare_runs
    from mabench.comparison import flipped
    from mabench.reports import show_comparison

    if fail_if_worse is not None and baseline is None:
        raise UsageError("--fail-if-worse takes --baseline RUN, the run that others are held to")
    if on is not None and fail_if_worse is None:
        raise UsageError("--on names what --fail-if-worse looks at; give both")
    try:
        comparison = compare_runs(runs, baseline=baseline, score=score)
        listed = (
            {(pair.a, pair.b): list(flipped(pair, score)) for pair in comparison.pairs}
            if flips
            else None
        )
    except DataError as error:
        # 1 says that a run is worse.
        raise UsageError(str(error)) from error
    show_comparison(comparison, layout, output(), listed, _MORE_HISTORIES)
    if fail_if_worse is not None and not _passes(comparison, fail_if_worse, on):
        raise typer.Exit(1)


def _passes(comparison: Comparison, points: float, on: str | None) -> bool:
    """Say of each run whether it is worse than the baseline; return whether none is."""
    from mabench.comparison import gated_score, is_worse
    from mabench.reports import interval_of

    passes = True
    for pair in comparison.pairs:
        name, difference = gated_score(pair, on)
        worse = is_worse(difference, points)
        passes = passes and not worse
        verdict = "WORSE" if worse else "not worse"
        messages().print(
            f"{pair.a}: {verdict} than {pair.b} by more than {points:g} points on {name}: "
            f"{difference.difference:+.1f} ({interval_of(difference)})"
        )
    return passes
