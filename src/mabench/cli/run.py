"""`mabench run`: examine an agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mabench.cli.console import output
from mabench.errors import UsageError


def run(
    agent: Annotated[
        str, typer.Argument(help="A built-in, a plugin, or package.module:factory.")
    ] = "bm25",
    data: Annotated[
        str, typer.Option(help="A folder or file of rows, 'hub', or 'synthetic:small'.")
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
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the agent; may be repeated."),
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Never touch the network.")] = False,
) -> None:
    """Examine an agent and print its scores. The same command goes on with a stopped run."""
    from mabench.cli.progress import ProgressBars
    from mabench.reports import show
    from mabench.runs import run as examine

    with ProgressBars() as bars:
        try:
            done = examine(
                agent,
                data,
                sources=source,
                protocol=protocol,
                out=out,
                chunk_tokens=chunk_tokens,
                prompts=prompts,
                entities=entities,
                settings=_settings(settings or []),
                offline=offline,
                watch=bars,
            )
        except KeyboardInterrupt:
            bars.say(f"Stopped. The same command with --out {bars.folder} goes on from here.")
            raise typer.Exit(1) from None
    show(done, "table", output())
    bars.say(f"Run folder: {done.folder}")
    if any(source["errors"] for source in done.summary["sources"].values()):
        raise typer.Exit(1)


def _settings(given: list[str]) -> dict[str, object]:
    """Read ``key=value``; a value that is a number, true, false or null in JSON becomes one."""
    settings: dict[str, object] = {}
    for setting in given:
        key, equals, value = setting.partition("=")
        if not key.isidentifier() or not equals:
            raise UsageError(f"--set {setting}: write it as key=value")
        settings[key] = _value(value)
    return settings


def _value(text: str) -> object:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if value is None or isinstance(value, int | float) else text
