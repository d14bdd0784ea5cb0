"""`mabench agents` lists agents and what they take; `mabench check` looks for faults of one.

The parameters of a command are its options, which ``commands.toml`` describes. ``layout`` is the
format of what is printed: "table" on a terminal, else a format of files.
"""

from __future__ import annotations

import typer

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.contract.methods import call_of
from mabench.errors import MabenchError
from mabench.specs import AgentSpec

# Settings of an agent that have no meaning in a command that stores nothing.
_SETTINGS_OF_RUNS = (
    "keep_memories",
    "same_code",
    "meter",
    "cache",
    "replay",
    "requests_in_flight",
)


@opt.command("agents", AgentSpec, without=(*_SETTINGS_OF_RUNS, "prices"), agent="")
def _agents(spec: AgentSpec, layout: str = "table") -> None:
    """List all agents, or describe what one agent takes."""
    from mabench.lookup import available
    from mabench.reports.tables import plain_table
    from mabench.runs.conversation import Conversation

    if spec.agent:
        agent = Conversation.look_at(spec)
        sentences = [
            f"{agent['agent']}, {agent['kind']}: gets conversations one {agent['unit']} at a time."
        ]
        # Methods that are misspelled, or lack an argument.
        sentences += [f"{near_miss}." for near_miss in agent["near_misses"]]
        fields_by_method = agent["takes"]
        methods = [
            (call_of(method), ", ".join(fields) or None)
            for method, fields in fields_by_method.items()
        ]
        table = plain_table(("Method", "Passed, if known"), methods)
        con.print_tables([table], agent, layout, sentences)
        return
    agents = available()
    content = [
        {"name": agent.name, "from": agent.origin, "summary": agent.summary} for agent in agents
    ]
    rows = [(agent.name, agent.origin, agent.summary) for agent in agents]
    table = plain_table(("Agent", "From", "What it is"), rows)
    own_agents = "An agent of your own is named package.module:factory."
    con.print_tables([table], content, layout, [own_agents])


# Without options to cache replies: with cached replies, any agent would look deterministic.
@opt.command("check", AgentSpec, without=_SETTINGS_OF_RUNS, agent=...)
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

    after_signal = f"Stopped. Nothing of the check is kept. To check again: {con.again()}"
    try:
        with con.ProgressBars(quiet, lambda _: after_signal) as bars:
            report = check_agent(spec, timeout=timeout, max_cost=max_cost, progress=bars)
    except CheckStoppedError as error:
        advice = con.to_resume(max_cost, spent=error.spent, verb="check")
        raise MabenchError(f"{error}\n{advice}") from None
    # The findings name parameters of the library; here they are options.
    findings = [
        finding._replace(message=con.in_options(finding.message)) for finding in report.findings
    ]
    report = report._replace(findings=findings)
    if quiet:
        shown = Report(first=[check_sentence(report)])
    else:
        shown = full_check(report) if full or layout != "table" else brief_check(report)
    con.print_report(shown, report.as_dict(), layout)
    if layout == "table" and not quiet:
        _print_next(str(spec.agent), is_valid=report.valid)
    if not report.valid:
        raise typer.Exit(1)


def _print_next(agent: str, *, is_valid: bool) -> None:
    """Print the commands to go on with after a check; ``is_valid`` says that scores would count."""
    if is_valid:
        con.print_next(con.command_line("run", agent), con.command_line("stress", agent))
    else:
        con.print_next(con.again("--full"), con.command_line("agents", agent))
