"""`mabench race`, until it is plain who is better, and `plan`: what a comparison will take."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.commands import again, complete_spec, explain_stop, in_options, to_resume
from mabench.cli.console import messages, output
from mabench.cli.run import from_here
from mabench.printable import write_count
from mabench.specs import AgentSpec, RaceSpec

# Rows come whole, one after the other; and a length is written as 8k.
_OWN = ("agent", "source", "row", "limit_questions", "tokens")
_WITH_SETTINGS = re.compile(r"(.+)\[([^\[\]]+)\]")


@opt.give_options(RaceSpec, without=_OWN, data=...)
def race(
    agents: Annotated[list[str], opt.agents],
    spec: RaceSpec,
    tokens: Annotated[str | None, opt.option_of(RaceSpec, "tokens")] = None,
    fail_fast: opt.FailFast = False,
    layout: opt.Format = "table",
    quiet: opt.Quiet = False,
) -> None:
    """Run agents on the same histories, one by one, until it is clear which is better.

    Put settings of a single agent in brackets after its name, as in reports. With --data
    synthetic:SOURCE, histories are generated as needed. The same command resumes a race, or
    extends it with higher limits; compare, report and page take its folder.
    """
    from mabench.cli.progress import ProgressBars
    from mabench.races import run_race
    from mabench.reports.experiments import look_line, show_race
    from mabench.runs import RunStoppedError

    length = None if tokens is None else round(opt.read_amount(tokens, "--tokens"))
    spec = replace(spec, run=complete_spec(spec.run, fail_fast), tokens=length)
    named = [_read_agent(agent, spec.run.agent) for agent in agents]
    # Lines of text would say of each history again how long it is.
    bare = quiet or not messages().is_terminal
    with ProgressBars(bare, lambda _: f"Stopped. {to_resume()}") as bars:
        try:
            for now in run_race(named, spec, bars):
                if now.histories and not quiet:
                    bars.say(look_line(now))
        except RunStoppedError as stop:
            raise explain_stop(stop, spec.run, "race") from None
    show_race(now, layout, output())
    if now.limit:
        raised = f". To go on, raise it in: {again()}" if "`" in now.limit else ""
        messages().print(f"Given up: {in_options(now.limit)}{raised}")
    if not quiet:
        messages().print(f"Race folder: {from_here(now.folder, Path.cwd())}")
    if failed := sum(run.summary.spent.errors for run in now.runs):
        again_all = again("--retry-errors")
        messages().print(
            f"{write_count(failed, 'answer')} failed, and count as wrong. To ask again: {again_all}"
        )
        raise typer.Exit(1)


def plan(
    names: Annotated[
        list[str], opt.argument("A [B]", "Two runs, one run, or two agents.", show_default=False)
    ],
    difference: Annotated[
        float | None,
        opt.data("POINTS", "The difference to detect; default: the one between the two runs."),
    ] = None,
    max_cost: Annotated[
        float | None, opt.cost("DOLLARS", "A budget: print the difference that it can detect.")
    ] = None,
    max_hours: Annotated[float | None, opt.limit("HOURS", "A budget of time.")] = None,
    layout: opt.Format = "table",
) -> None:
    """Print how many histories, questions and builds it takes to detect a difference, and the cost.

    What differences vary by, and what a history and a question cost, are taken from the runs; for
    agents that have not run yet, typical values stand for it.
    """
    from mabench.comparison import plan as make_plan
    from mabench.reports.experiments import show_plan

    made = make_plan(names, difference, max_cost=max_cost, max_hours=max_hours)
    show_plan(made, layout, output())


def _read_agent(word: str, shared: AgentSpec) -> AgentSpec:
    """Return an agent with the settings that stand behind its name, such as ``bm25[k=3]``."""
    match = _WITH_SETTINGS.fullmatch(word)
    if match is None:
        return replace(shared, agent=word)
    own = opt.read_settings(match[2].split(","), f"{word}:")
    return replace(shared, agent=match[1], settings={**shared.settings, **own})
