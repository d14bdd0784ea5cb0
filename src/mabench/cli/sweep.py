"""`mabench sweep`: how an agent's score changes with one setting of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.amounts import agent_settings, amount
from mabench.cli.commands import again, higher, typed
from mabench.cli.console import print_tables, print_written
from mabench.errors import MabenchError, UsageError
from mabench.redact import redact

if TYPE_CHECKING:
    from mabench.runs import RunStoppedError


def sweep(
    agent: opt.Agent,
    source: opt.Source,
    knob: Annotated[
        list[str],
        opt.data(
            "--knob",
            metavar="KNOB=V1,V2,...",
            help="tokens, questions or a difficulty knob; one with a single value is for all rows.",
        ),
    ],
    difficulty: opt.Difficulty = "real",
    seed: opt.RowSeed = 0,
    offline: opt.Offline = False,
    settings: opt.Settings = None,
    python: opt.Python = None,
    mcp_map: opt.McpMap = None,
    env: opt.Env = None,
    protocol: opt.Protocol = "structured",
    chunk_tokens: opt.ChunkTokens = None,
    prompts: opt.Prompts = None,
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    temperature: opt.Temperature = 0.0,
    model_seed: opt.ModelSeed = None,
    window: opt.Window = None,
    meter: opt.Meter = None,
    prices: opt.Prices = None,
    max_cost: opt.MaxCost = None,
    cache: opt.Cache = None,
    replay: opt.Replay = None,
    estimate: opt.Estimate = False,
    rows_in_parallel: opt.RowsInParallel = None,
    questions_in_parallel: opt.QuestionsInParallel = 1,
    requests_in_flight: opt.RequestsInFlight = 16,
    executor: opt.Executor = "local",
    ray_address: opt.RayAddress = None,
    memorize_timeout: opt.MemorizeTimeout = None,
    answer_timeout: opt.AnswerTimeout = None,
    fail_fast: opt.FailFast = False,
    max_errors: opt.MaxErrors = None,
    max_same_errors: opt.MaxSameErrors = 20,
    out: Annotated[
        Path | None,
        opt.result(metavar="FOLDER", help="The folder to put the run folders in.", file_okay=False),
    ] = None,
    fresh: opt.Fresh = False,
    page: Annotated[
        Path | None, opt.result(metavar="FILE.html", help="Also draw the curves on a page.")
    ] = None,
    layout: opt.Format = "table",
    quiet: opt.Quiet = False,
) -> None:
    """Make a row for each value, run the agent over it, and print the scores as a table."""
    from mabench.cli.page import write_page
    from mabench.cli.progress import ProgressBars
    from mabench.page import require_packages, sweep_page
    from mabench.reports import estimate_table, sweep_table
    from mabench.runs import (
        AgentSpec,
        DataSpec,
        InjectionSpec,
        Limits,
        RunInterrupt,
        RunSpec,
        RunStoppedError,
        SweepSpec,
        estimate_sweep,
    )
    from mabench.runs import sweep as run_sweep
    from mabench.runs.spec import executor_named

    name, values, others = _knobs(knob)
    spec = RunSpec(
        agent=AgentSpec(
            agent=agent,
            settings=agent_settings(settings),
            python=python,
            mcp_map=mcp_map,
            env=tuple(env or ()),
            meter=meter,
            prices=prices,
            cache=cache,
            replay=replay,
            model=opt.model_spec(
                model,
                metered=meter is not None,
                base_url=base_url,
                temperature=temperature,
                seed=model_seed,
                requests_in_flight=requests_in_flight,
                prices=prices,
                cache=cache,
                replay=replay,
                window=window,
            ),
        ),
        data=DataSpec(offline=offline),
        injection=InjectionSpec(protocol=protocol, chunk_tokens=chunk_tokens, prompts=prompts),
        limits=Limits(
            rows_in_parallel,
            questions_in_parallel,
            memorize_timeout,
            answer_timeout,
            1 if fail_fast else max_errors,
            max_same_errors,
        ),
        max_cost=max_cost,
        executor=executor_named(executor),
        ray_address=ray_address,
        out=out or Path("runs") / f"sweep-{redact(agent)}-{source}-{name}".replace(":", "-"),
        fresh=fresh,
        command=typed(),
    )
    rows = SweepSpec(
        source=source,
        knob=name,
        values=values,
        seed=seed,
        knobs=others,
        difficulty=difficulty,
    )
    if page:
        require_packages()  # Before anything is run.
    if estimate:
        estimates = estimate_sweep(spec, rows)
        listed = [one._asdict() for one in estimates]
        print_tables([estimate_table(estimates)], listed, layout)
        return
    points = []
    with ProgressBars(quiet=quiet) as bars:
        try:
            for point in run_sweep(spec, rows, bars):
                if quiet:
                    print_written(point.run.folder, layout == "table")
                else:
                    bars.say(f"{name}={point.value}: {point.run.folder}")
                points.append(point)
        except RunInterrupt as interrupt:
            bars.say(f"Stopped. To resume: {again()}")
            raise typer.Exit(128 + interrupt.number) from None
        except RunStoppedError as error:
            raise MabenchError(_stopped(error, max_cost)) from None
    if layout != "table" or not quiet:
        content = [{"value": p.value, **p.source.as_dict()} for p in points]
        print_tables([sweep_table(name, points)], content, layout)
    if page:
        write_page(page, sweep_page(name, points))


def _knobs(
    given: Sequence[str],
) -> tuple[str, tuple[int | float, ...], dict[str, int | float]]:
    """Return the knob that varies with its values, and the one value of each other."""
    knobs = [_knob(one) for one in given]
    names = [name for name, _ in knobs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--knob {name} is given twice")
    varied = [one for one in knobs if len(one[1]) > 1] or knobs[:1]
    if len(varied) > 1:
        listed = " and ".join(name for name, _ in varied)
        raise UsageError(f"--knob: one knob has several values in a sweep, not {listed}")
    ((name, values),) = varied
    return name, values, {other: fixed[0] for other, fixed in knobs if other != name}


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
    limit, how = None, "To resume"
    if error.by_cost:
        limit = higher(max_cost, error.run.summary.spent.cost)
        how = "To resume with a higher limit"
    return f"the sweep stopped: {error.reason}\n{how}: {again(max_cost=limit)}"
