"""`mabench plan`: what a comparison will take, before it is begun."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import output
from mabench.errors import UsageError
from mabench.suggestions import unknown


def plan(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="A [B]", help="Two runs, one run, or two agents.", show_default=False
        ),
    ],
    difference: Annotated[
        float | None,
        opt.data(metavar="POINTS", help="To be told; by default what the two runs show."),
    ] = None,
    max_cost: Annotated[
        float | None, opt.cost(metavar="DOLLARS", help="A budget: what can be told for it.")
    ] = None,
    max_hours: Annotated[float | None, opt.limit(metavar="HOURS", help="A budget of time.")] = None,
    layout: opt.Format = "table",
) -> None:
    """Print how many histories, questions and builds tell a difference, and what that costs.

    What differences vary by, and what a history and a question cost, are taken from the runs; for
    agents that have not run yet, typical values stand for it.
    """
    from mabench.comparison import Pilot, read_pilots
    from mabench.comparison import plan as make_plan
    from mabench.lookup.names import agent_names
    from mabench.reports import show_plan
    from mabench.results import find_folder
    from mabench.uncertainty.power import TYPICAL

    if len(names) > 2:
        raise UsageError(f"a plan is of two runs or agents, or of one run, and not of {len(names)}")
    titles: dict[str, str] = {}
    known = agent_names()
    are_agents = all(n.partition("[")[0] in known and not Path(n).exists() for n in names)
    folders = [] if are_agents and len(names) == 2 else [find_folder(name) for name in names]
    for name in (name for name in names if not find_folder(name).exists() and ":" not in name):
        if name.partition("[")[0] not in known:
            raise UsageError(unknown("neither a run nor an agent:", name, known))
    if not any(folder.exists() for folder in folders):
        if len(names) == 1:
            raise UsageError(f"name another agent beside {names[0]}, or a run of it alone")
        pilots, agents = [Pilot("any source", TYPICAL)], names
    else:
        pilots, agents, titles = read_pilots(folders)
    budget = {2: max_cost, 3: max_hours}
    limits = {place: most for place, most in budget.items() if most is not None}
    show_plan(make_plan(pilots, difference, limits, agents, titles), layout, output())
