"""`mabench check`: can scores of an agent mean anything?"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.commands import again, in_options, to_resume
from mabench.cli.console import print_tables
from mabench.errors import MabenchError, UsageError
from mabench.specs import AgentSpec


# Kept replies would make any agent look deterministic.
@opt.give_options(
    AgentSpec,
    without=("keep_memories", "meter", "cache", "replay", "requests_in_flight", "prices"),
    agent=opt.REQUIRED,
)
def check(
    spec: AgentSpec,
    prices: opt.Prices = None,
    max_cost: opt.MaxCost = None,
    timeout: Annotated[
        float, opt.limit(metavar="SECONDS", help="The longest that a call may take.")
    ] = 120.0,
    layout: opt.Format = "table",
    quiet: opt.Quiet = False,
) -> None:
    """Check an agent or a memory for faults; exit 1 if one would invalidate its scores."""
    from mabench.check import CheckStoppedError, check_agent
    from mabench.cli.progress import ProgressBars
    from mabench.reports import check_table, conclusion

    if prices is not None:
        if spec.model is None:
            raise UsageError("`prices` is about `model`: give that, too", parameter="prices")
        spec = replace(spec, prices=prices, model=replace(spec.model, prices=prices))
    stopped = f"Stopped. Nothing of the check is kept. To check again: {again()}"
    try:
        with ProgressBars(quiet, lambda _: stopped) as bars:
            report = check_agent(spec, timeout=timeout, max_cost=max_cost, progress=bars)
    except CheckStoppedError as error:
        how = to_resume(max_cost, error.spent, verb="check")
        raise MabenchError(f"{error}\n{how}") from None
    findings = [each._replace(message=in_options(each.message)) for each in report.findings]
    report = report._replace(findings=findings)
    tables = [] if quiet else [check_table(report)]
    print_tables(tables, report.as_dict(), layout, [conclusion(report)])
    if not report.valid:
        raise typer.Exit(1)
