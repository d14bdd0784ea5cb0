"""`mabench check`: can scores of an agent mean anything?"""

from __future__ import annotations

from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.commands import again, higher
from mabench.cli.console import messages, print_tables
from mabench.cli.flags import in_options
from mabench.errors import MabenchError
from mabench.specs import AgentSpec


# Kept replies would make any agent look deterministic.
@opt.give_options(
    AgentSpec,
    without=("keep_memories", "meter", "cache", "replay", "requests_in_flight"),
    agent=opt.REQUIRED,
)
def check(
    spec: AgentSpec,
    max_cost: opt.MaxCost = None,
    timeout: Annotated[
        float, opt.limit(metavar="SECONDS", help="The longest that a call may take.")
    ] = 120.0,
    layout: opt.Format = "table",
    quiet: opt.Quiet = False,
) -> None:
    """Check an agent or a memory for faults; exit 1 if one would invalidate its scores."""
    from mabench.check import CheckInterrupt, CheckStoppedError, check_agent
    from mabench.cli.progress import ProgressBars
    from mabench.reports import check_table, conclusion

    try:
        with ProgressBars(quiet=quiet) as bars:
            report = check_agent(spec, timeout=timeout, max_cost=max_cost, progress=bars)
    except CheckInterrupt as interrupt:
        messages().print(f"Stopped. Nothing of the check is kept. To check again: {again()}")
        raise typer.Exit(128 + interrupt.number) from None
    except CheckStoppedError as error:
        more = again(max_cost=higher(max_cost, error.spent))
        raise MabenchError(f"{error}\nTo check with a higher limit: {more}") from None
    findings = [one._replace(message=in_options(one.message)) for one in report.findings]
    report = report._replace(findings=findings)
    tables = [] if quiet else [check_table(report)]
    print_tables(tables, report.as_dict(), layout, [conclusion(report)])
    if not report.valid:
        raise typer.Exit(1)
