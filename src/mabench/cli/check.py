"""`mabench check`: can scores of an agent mean anything?"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from mabench.cli.amounts import agent_settings
from mabench.cli.console import messages, output


def check(
    agent: Annotated[str, typer.Argument(help="As for `run`.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the agent; may be repeated."),
    ] = None,
    python: Annotated[
        Path | None, typer.Option(help="The interpreter that the agent lives in.", metavar="PATH")
    ] = None,
    mcp_map: Annotated[
        str | None, typer.Option(help="How an MCP server's tools are used: a TOML file or a name.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The model that reads: openai/NAME, or provider/NAME.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="Its server; else OPENAI_BASE_URL.")] = None,
    timeout: Annotated[float, typer.Option(help="Seconds that a call may take.")] = 120.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Check an agent or a memory for faults; exits with 1 when one would invalidate its scores."""
    from mabench.check import check_agent
    from mabench.models import ModelChoice
    from mabench.reports import check_table, conclusion, print_table

    console = messages()

    def begun(name: str, number: int, of: int) -> None:
        console.print(f"{number} of {of}: {name}", markup=False, highlight=False)

    # What the agent prints is no part of the report.
    with contextlib.redirect_stdout(sys.stderr):
        report = check_agent(
            agent,
            settings=agent_settings(settings or []),
            python=python,
            mcp_map=mcp_map,
            model=ModelChoice(model, base_url) if model else None,
            limit=timeout,
            watch=begun,
        )
    if as_json:
        print(json.dumps(report.as_dict(), indent=2))
    else:
        print_table(check_table(report), output())
        output().print(conclusion(report), markup=False, highlight=False)
    if not report.valid:
        raise typer.Exit(1)
