"""`mabench race`: the same histories for several agents, until it is plain who is better."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from mabench.cli import options as opt
from mabench.cli.commands import again, complete_spec, explain_stop, in_options, to_resume
from mabench.cli.console import messages, output
from mabench.specs import AgentSpec, RaceSpec, RunSpec

# Rows come one after the other, whole.
_OWN = ("agent", "source", "row", "limit_questions")
_WITH_SETTINGS = re.compile(r"(.+)\[([^\[\]]+=[^\[\]]*)\]")


@opt.give_options(RunSpec, without=_OWN, data=...)
def race(
    agents: Annotated[list[str], opt.agents],
    spec: RunSpec,
    over: Annotated[list[str] | None, opt.option_of(RaceSpec, "over")] = None,
    tokens: Annotated[str | None, opt.option_of(RaceSpec, "tokens")] = None,
    questions: Annotated[int | None, opt.option_of(RaceSpec, "questions")] = None,
    difficulty: Annotated[str, opt.option_of(RaceSpec, "difficulty")] = "real",
    seed: Annotated[int, opt.option_of(RaceSpec, "seed")] = 0,
    margin: Annotated[float | None, opt.option_of(RaceSpec, "margin")] = None,
    builds: Annotated[int, opt.option_of(RaceSpec, "builds")] = 1,
    max_histories: Annotated[int, opt.option_of(RaceSpec, "max_histories")] = 100,
    max_hours: Annotated[float | None, opt.option_of(RaceSpec, "max_hours")] = None,
    fail_fast: opt.FailFast = False,
    layout: opt.Format = "table",
    quiet: opt.Quiet = False,
) -> None:
    """Tell agents the same histories one by one, and stop once it is plain who is better.

    Settings of one agent alone stand behind its name: 'bm25[k=3]'. With synthetic:SOURCE histories
    are made as they are needed. The same command resumes a race, and with higher limits extends it;
    compare, report and page take its folder.
    """
    from mabench.cli.progress import ProgressBars
    from mabench.race import race as run_race
    from mabench.reports import show_race
    from mabench.reports.race import look_line
    from mabench.runs import RunStoppedError

    spec = complete_spec(spec, fail_fast)
    specs = [replace(spec, agent=_read_agent(agent, spec.agent)) for agent in agents]
    plan = RaceSpec(
        over=tuple(over or ()),
        tokens=None if tokens is None else round(opt.read_amount(tokens, "--tokens")),
        questions=questions,
        difficulty=difficulty,
        seed=seed,
        margin=margin,
        builds=builds,
        max_histories=max_histories,
        max_hours=max_hours,
    )
    with ProgressBars(quiet, lambda _: f"Stopped. {to_resume()}") as bars:
        try:
            for look in run_race(specs, plan, bars):
                if look.race.histories and not quiet:
                    bars.say(look_line(look.race))
        except RunStoppedError as stop:
            raise explain_stop(stop, spec, "race") from None
    show_race(look.race, layout, output())
    if look.reason:
        messages().print(f"Given up: {in_options(look.reason)}. To go on, raise it: {again()}")
    if not quiet:
        folder, here = look.race.folder, Path.cwd()
        folder = folder.relative_to(here) if folder.is_relative_to(here) else folder
        messages().print(f"Race folder: {folder}")


def _read_agent(word: str, shared: AgentSpec) -> AgentSpec:
    """Return an agent with the settings that stand behind its name, such as ``bm25[k=3]``."""
    match = _WITH_SETTINGS.fullmatch(word)
    if match is None:
        return replace(shared, agent=word)
    own = opt.read_settings(match[2].split(","), word)
    return replace(shared, agent=match[1], settings={**shared.settings, **own})
