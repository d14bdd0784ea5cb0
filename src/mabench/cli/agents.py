"""`mabench agents` lists agents and what they take; `mabench check` looks for faults of one."""

from __future__ import annotations

import typer

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.contract.methods import call_of
from mabench.errors import MabenchError
from mabench.specs import AgentSpec

# Settings of an agent that have no meaning in a command that stores nothing.
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
    """List all agents, or describe what one agent takes."""
    from mabench.lookup import available
    from mabench.reports.tables import plain_table
    from mabench.runs.conversation import Conversation

    if spec.agent:
        found = Conversation.look_at(spec)
        summary = (
            f"{found['agent']}, {found['kind']}: gets conversations one {found['unit']} at a time."
        )
        sentences = [summary, *(f"{miss}." for miss in found["near_misses"])]
        rows = [(call_of(name), ", ".join(takes) or None) for name, takes in found["takes"].items()]
        table = plain_table(("Method", "Passed, if known"), rows)
        con.print_tables([table], found, layout, sentences)
        return
    listed = available()
    content = [{"name": a.name, "from": a.origin, "summary": a.summary} for a in listed]
    own = "An agent of your own is named package.module:factory."
    named = [(a.name, a.origin, a.summary) for a in listed]
    table = plain_table(("Agent", "From", "What it is"), named)
    con.print_tables([table], content, layout, [own])


# With cached replies, any agent would look deterministic.
@opt.command("check", AgentSpec, without=SETTINGS_OF_RUNS[:-1], agent=...)
def _check(
    spec: AgentSpec,
    max_cost: float | None = None,
    timeout: float = 120.0,
    full: bool = False,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    """Check an agent for faults; exit with 1 if any invalidates its scores."""
    from mabench.check import CheckStoppedError, check_agent
    from mabench.reports.brief.check import brief_check, check_sentence, full_check
    from mabench.reports.report import Report

    stopped = f"Stopped. Nothing of the check is kept. To check again: {con.again()}"
    try:
        with con.ProgressBars(quiet, lambda _: stopped) as bars:
            report = check_agent(spec, timeout=timeout, max_cost=max_cost, progress=bars)
    except CheckStoppedError as error:
        how = con.to_resume(max_cost, error.spent, verb="check")
        raise MabenchError(f"{error}\n{how}") from None
    findings = [each._replace(message=con.in_options(each.message)) for each in report.findings]
    report = report._replace(findings=findings)
    if quiet:
        shown = Report(first=[check_sentence(report)])
    else:
        shown = full_check(report) if full or layout != "table" else brief_check(report)
    con.print_report(shown, report.as_dict(), layout)
    if layout == "table" and not quiet:
        _print_next(f"{spec.agent}", is_valid=report.valid)
    if not report.valid:
        raise typer.Exit(1)


def _print_next(agent: str, *, is_valid: bool) -> None:
    """Print what to do after a check."""
    if is_valid:
        con.print_next(con.command_line("run", agent), con.command_line("stress", agent))
    else:
        con.print_next(con.again("--full"), con.command_line("agents", agent))
