"""Options that several verbs take: how an agent is found and made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting of the agent; may be repeated."),
]
Python = Annotated[
    Path | None, typer.Option(help="The interpreter that the agent lives in.", metavar="PATH")
]
McpMap = Annotated[
    str | None, typer.Option(help="How an MCP server's tools are used: a TOML file or a name.")
]
Model = Annotated[
    str | None, typer.Option(help="The model that reads: openai/NAME, or provider/NAME.")
]
BaseUrl = Annotated[str | None, typer.Option(help="Its server; else OPENAI_BASE_URL.")]
