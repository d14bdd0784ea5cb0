"""`mabench sweep`: how an agent's score changes with one setting of the rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.amounts import agent_settings, amount, knob_settings
from mabench.cli.commands import again, higher, typed
from mabench.cli.console import messages, output, print_json
from mabench.cli.flags import renamed
from mabench.errors import MabenchError, UsageError
from mabench.redact import redact

if TYPE_CHECKING:
    from mabench.runs import RunStoppedError


def sweep(
    agent: Annotated[str, typer.Argument(help="As for `run`.")],
    source: Annotated[str, typer.Option(help="A source, or a stem such as factconsolidation_mh.")],
    knob: Annotated[
        str, typer.Option(metavar="KNOB=V1,V2,...", help="tokens, questions or a difficulty knob.")
    ],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KNOB=VALUE", help="Another setting, for all rows."),
    ] = None,
    difficulty: opt.Difficulty = "real",
    seed: Annotated[int, typer.Option(help="The seed of the rows.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Where the run folders go.", file_okay=False)
    ] = None,
    protocol: opt.Protocol = "structured",
    chunk_tokens: opt.ChunkTokens = None,
    prompts: opt.Prompts = None,
    settings: opt.AgentSettings = None,
    python: opt.Python = None,
    mcp_map: opt.McpMap = None,
    env: opt.Env = None,
    offline: opt.Offline = False,
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    temperature: opt.Temperature = 0.0,
    requests_in_flight: opt.RequestsInFlight = 16,
    window: opt.Window = None,
    prices: opt.Prices = None,
    max_cost: opt.MaxCost = None,
    rows_in_parallel: opt.RowsInParallel = None,
    questions_in_parallel: opt.QuestionsInParallel = 1,
    memorize_timeout: opt.MemorizeTimeout = None,
    answer_timeout: opt.AnswerTimeout = None,
    max_errors: opt.MaxErrors = None,
    executor: opt.Executor = "local",
    page: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Also write the curves as a page.")
    ] = None,
    as_json: opt.Json = False,
) -> None:
    """Make a row for each value, run the agent over it, and print the scores as a table."""
    from mabench.cli.page import write_page
    from mabench.cli.progress import ProgressBars
    from mabench.page import require_packages, sweep_page
    from mabench.reports import print_table, sweep_table
    from mabench.runs import (
        AgentSpec,
        DataSpec,
        InjectionSpec,
        Limits,
        RunInterrupt,
        RunSpec,
        RunStoppedError,
        SweepSpec,
    )
    from mabench.runs import sweep as run_sweep
    from mabench.runs.spec import executor_named

    name, values = _knob(knob)
    spec = RunSpec(
        agent=AgentSpec(
            agent=agent,
            settings=agent_settings(settings, "--agent-set"),
            python=python,
            mcp_map=mcp_map,
            env=tuple(env or ()),
            model=opt.model_spec(
                model,
                base_url=base_url,
                temperature=temperature,
                requests_in_flight=requests_in_flight,
                prices=prices,
                window=window,
            ),
        ),
        data=DataSpec(offline=offline),
        injection=InjectionSpec(protocol=protocol, chunk_tokens=chunk_tokens, prompts=prompts),
        limits=Limits(
            rows_in_parallel, questions_in_parallel, memorize_timeout, answer_timeout, max_errors
        ),
        max_cost=max_cost,
        executor=executor_named(executor),
        out=out or Path("runs") / f"sweep-{redact(agent)}-{source}-{name}".replace(":", "-"),
        command=typed(),
    )
    rows = SweepSpec(
        source=source,
        knob=name,
        values=values,
        seed=seed,
        knobs=knob_settings(set_),
        difficulty=difficulty,
    )
    if page:
        require_packages()  # Before anything is run.
    points = []
    with ProgressBars() as bars, renamed(settings="agent_settings"):
        try:
            for point in run_sweep(spec, rows, bars):
                messages().print(f"{name}={point.value}: {point.run.folder}")
                points.append(point)
        except RunInterrupt as interrupt:
            bars.say(f"Stopped. To resume: {again()}")
            raise typer.Exit(128 + interrupt.number) from None
        except RunStoppedError as error:
            raise MabenchError(_stopped(error, max_cost)) from None
    if as_json:
        print_json([{"value": p.value, **p.source.as_dict()} for p in points])
    else:
        print_table(sweep_table(name, points), output())
    if page:
        write_page(page, sweep_page(name, points))


def _knob(given: str) -> tuple[str, tuple[int | float, ...]]:
    """Return the name and the values of ``KNOB=V1,V2,...``."""
    name, equals, listed = given.partition("=")
    if not name or not equals or not listed:
        raise UsageError(f"--knob {given}: write it as KNOB=V1,V2, such as tokens=6k,32k")
    values = tuple(amount(value, "--knob") for value in listed.split(","))
    if len({*values}) < len(values):
        raise UsageError(f"--knob {given}: a value comes twice")
    return name.strip(), values


def _stopped(error: RunStoppedError, max_cost: float | None) -> str:
    from mabench.runs import Run

    limit, how = None, "To resume"
    if error.by_cost:
        limit = higher(max_cost, Run(error.folder).summary.spent.cost)
        how = "To resume with a higher limit"
    return f"the sweep stopped: {error.reason}\n{how}: {again(max_cost=limit)}"
