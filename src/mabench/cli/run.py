"""`mabench run`: examine an agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli.console import output

if TYPE_CHECKING:
    from mabench.runs import Run


def run(
    agent: Annotated[
        str, typer.Argument(help="A built-in, a plugin, or package.module:factory.")
    ] = "bm25",
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
) -> None:
    """Examine an agent and print its scores. The same command goes on with a stopped run."""
    from mabench.cli.progress import ProgressBars
    from mabench.reports import print_table, repeat_table, show
    from mabench.runs import Pace, repeated
    from mabench.runs import run as examine

    pace = Pace(
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
                offline=offline,
                rows=row,
                limit_questions=limit_questions,
                retry_errors=retry_errors,
                keep_memories=keep_memories,
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
    if any(s["errors"] for run in done for s in run.summary["sources"].values()):
        raise typer.Exit(1)
