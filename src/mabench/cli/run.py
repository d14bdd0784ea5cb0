"""`mabench run`: examine an agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli.amounts import agent_settings
from mabench.cli.console import output
from mabench.cli.options import BaseUrl, McpMap, Model, Python, Settings

if TYPE_CHECKING:
    from mabench.models import ModelChoice
    from mabench.runs import Run


def run(
    agent: Annotated[
        str,
        typer.Argument(
            help="A built-in, a plugin, package.module:factory, stdio:COMMAND, mcp:SERVER or a URL."
        ),
    ] = "floor",
    data: Annotated[
        str,
        typer.Option(help="A folder or file of rows, 'hub', or 'synthetic:small', :medium, :full."),
    ] = "synthetic:small",
    source: Annotated[
        list[str] | None, typer.Option(help="Run only this source; may be repeated.")
    ] = None,
    protocol: Annotated[str, typer.Option(help="structured, paper or repository.")] = "structured",
    out: Annotated[Path | None, typer.Option(help="The run folder.", file_okay=False)] = None,
    chunk_tokens: Annotated[
        int | None, typer.Option(help="Size of a chunk, instead of the protocol's.", min=1)
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option(help="A TOML file of prompts that replace ours.")
    ] = None,
    entities: Annotated[
        Path | None, typer.Option(help="entity2id.json, to score recommendations.")
    ] = None,
    settings: Settings = None,
    python: Python = None,
    mcp_map: McpMap = None,
    offline: Annotated[bool, typer.Option("--offline", help="Never touch the network.")] = False,
    row: Annotated[
        list[int] | None, typer.Option(help="Only the row of this index in its split; repeatable.")
    ] = None,
    limit_questions: Annotated[
        int | None, typer.Option(help="Ask only so many questions of each row.", min=1)
    ] = None,
    rows_in_parallel: Annotated[int, typer.Option(help="Rows at a time.", min=1)] = 1,
    questions_in_parallel: Annotated[
        int, typer.Option(help="Questions of a row at a time.", min=1)
    ] = 1,
    memorize_timeout: Annotated[
        float | None, typer.Option(help="Seconds that a chunk may take.")
    ] = None,
    answer_timeout: Annotated[
        float | None, typer.Option(help="Seconds that an answer may take.")
    ] = None,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first error.")
    ] = False,
    max_errors: Annotated[
        int | None, typer.Option(help="Stop after so many errors.", min=1)
    ] = None,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Ask again what failed before.")
    ] = False,
    keep_memories: Annotated[
        bool, typer.Option("--keep-memories", help="Keep saved memories for later runs.")
    ] = False,
    repeat: Annotated[int, typer.Option(help="Run so many times, for the spread.", min=1)] = 1,
    model: Model = None,
    base_url: BaseUrl = None,
    temperature: Annotated[float, typer.Option(help="0: the likeliest answer.", min=0)] = 0.0,
    seed: Annotated[int | None, typer.Option(help="Passed on to the model.")] = None,
    requests_in_flight: Annotated[
        int, typer.Option(help="At most; fewer while the server pushes back.", min=1)
    ] = 16,
    window: Annotated[
        int | None, typer.Option(help="The model's context window, in tokens.", min=1)
    ] = None,
    prices: Annotated[Path | None, typer.Option(help="A TOML file of prices by model.")] = None,
    cache: Annotated[
        bool | None,
        typer.Option("--cache/--no-cache", help="Keep replies; default: at temperature 0."),
    ] = None,
    max_cost: Annotated[float | None, typer.Option(help="Stop at so many US dollars.")] = None,
    executor: Annotated[str, typer.Option(help="local, or ray: each row a Ray task.")] = "local",
    ray_address: Annotated[
        str | None, typer.Option(help="The Ray cluster; this machine without it.")
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Ask nothing: say what it would take.")
    ] = False,
) -> None:
    """Examine an agent and print its scores. The same command goes on with a stopped run."""
    from mabench.cli.progress import ProgressBars
    from mabench.models import ModelChoice
    from mabench.reports import print_table, repeat_table, show
    from mabench.runs import Limits, repeated
    from mabench.runs import run as examine

    choice = model and ModelChoice(
        model, base_url, temperature, seed, requests_in_flight, prices, cache, window
    )
    if estimate:
        depth = agent_settings(settings or []).get("k")
        _estimate(agent, data, source, protocol, chunk_tokens, row, limit_questions, choice, depth)
        return
    pace = Limits(
        rows_in_parallel,
        questions_in_parallel,
        memorize_timeout,
        answer_timeout,
        1 if fail_fast else max_errors,
    )

    with ProgressBars() as bars:

        def once(folder: Path | None) -> Run:
            return examine(
                agent,
                data,
                sources=source,
                protocol=protocol,
                out=folder,
                chunk_tokens=chunk_tokens,
                prompts=prompts,
                entities=entities,
                settings=agent_settings(settings or []),
                python=python,
                mcp_map=mcp_map,
                offline=offline,
                rows=row,
                limit_questions=limit_questions,
                retry_errors=retry_errors,
                keep_memories=keep_memories,
                model=choice or None,
                max_cost=max_cost,
                executor=executor,
                ray_address=ray_address,
                pace=pace,
                watch=bars,
            )

        try:
            done = repeated(once, repeat, out)
        except KeyboardInterrupt:
            bars.say(f"Stopped. The same command with --out {bars.folder} goes on from here.")
            raise typer.Exit(1) from None
    for finished in done:
        show(finished, "table", output())
        bars.say(f"Run folder: {finished.folder}")
    if repeat > 1:
        print_table(repeat_table(done), output())
    if any(run.summary.spent.errors for run in done):
        raise typer.Exit(1)


def _estimate(
    agent: str,
    data: str,
    sources: list[str] | None,
    protocol: str,
    chunk_tokens: int | None,
    rows: list[int] | None,
    limit_questions: int | None,
    choice: ModelChoice | str | None,
    depth: object,
) -> None:
    from mabench.lookup.factories import DEPTH
    from mabench.models import ModelChoice
    from mabench.reports import estimate_table, print_table
    from mabench.runs import estimate_run

    found = estimate_run(
        agent,
        data,
        sources=sources,
        protocol=protocol,
        chunk_tokens=chunk_tokens,
        rows=rows,
        limit_questions=limit_questions,
        model=choice if isinstance(choice, ModelChoice) else None,
        depth=depth if isinstance(depth, int) else DEPTH,
    )
    print_table(estimate_table(found), output())
