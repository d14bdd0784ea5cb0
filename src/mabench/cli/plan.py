"""`mabench plan`: what a comparison will take, before it is begun."""

from __future__ import annotations

from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import output


def plan(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="A [B]", help="Two runs, one run, or two agents.", show_default=False
        ),
    ],
    difference: Annotated[
        float | None,
        opt.data(
            metavar="POINTS",
            help="The difference to detect; default: the one between the two runs.",
        ),
    ] = None,
    max_cost: Annotated[
        float | None,
        opt.cost(metavar="DOLLARS", help="A budget: print the difference that it can detect."),
    ] = None,
    max_hours: Annotated[float | None, opt.limit(metavar="HOURS", help="A budget of time.")] = None,
    layout: opt.Format = "table",
) -> None:
    """Print how many histories, questions and builds it takes to detect a difference, and the cost.

    What differences vary by, and what a history and a question cost, are taken from the runs; for
    agents that have not run yet, typical values stand for it.
    """
    from mabench.comparison import plan as make_plan
    from mabench.reports import show_plan

    made = make_plan(names, difference, max_cost=max_cost, max_hours=max_hours)
    show_plan(made, layout, output())
