"""Which agents there are, and their faults: `mabench agents` and `check`."""

from __future__ import annotations

import typer

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.contract.methods import call_of
from mabench.errors import MabenchError
from mabench.specs import AgentSpec

# Settings of an agent that mean nothing to a command that keeps nothing of it.
SETTINGS_OF_RUNS = (
    "keep_memories",
    "same_code",
    "meter",
    "cache",
    "replay",
    "requests_in_flight",
    "prices",
)


@opt.command("agents", AgentSpec, without=SETTINGS_OF_RUNS, agent="")
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
@opt.command("check", AgentSpec, without=SETTINGS_OF_RUNS[:-1], agent=...)
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
