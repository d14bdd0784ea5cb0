"""Options that several verbs take, and what they describe together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mabench.models import ModelSpec

_AGENT, _MODEL, _TELLING, _LIMITS = "The agent", "The model", "How it is told", "Limits"

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A setting of the agent.", rich_help_panel=_AGENT
    ),
]
AgentSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--agent-set", metavar="NAME=VALUE", help="A setting of the agent.", rich_help_panel=_AGENT
    ),
]
Python = Annotated[
    Path | None,
    typer.Option(
        help="The interpreter that the agent lives in.", metavar="PATH", rich_help_panel=_AGENT
    ),
]
McpMap = Annotated[
    str | None,
    typer.Option(
        help="How an MCP server's tools are used: a TOML file or a name.", rich_help_panel=_AGENT
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        help="The model that reads: openai/NAME, or provider/NAME.", rich_help_panel=_MODEL
    ),
]
BaseUrl = Annotated[
    str | None, typer.Option(help="Its server; else OPENAI_BASE_URL.", rich_help_panel=_MODEL)
]
Temperature = Annotated[
    float, typer.Option(help="0: the likeliest answer.", min=0, rich_help_panel=_MODEL)
]
ModelSeed = Annotated[
    int | None, typer.Option("--seed", help="Passed on to the model.", rich_help_panel=_MODEL)
]
RequestsInFlight = Annotated[
    int,
    typer.Option(
        help="At most; fewer while the server pushes back.", min=1, rich_help_panel=_MODEL
    ),
]
Window = Annotated[
    int | None,
    typer.Option(help="The model's context window, in tokens.", min=1, rich_help_panel=_MODEL),
]
Prices = Annotated[
    Path | None, typer.Option(help="A TOML file of prices by model.", rich_help_panel=_MODEL)
]
Cache = Annotated[
    bool | None,
    typer.Option(
        "--cache/--no-cache",
        help="Keep replies; default: at temperature 0.",
        rich_help_panel=_MODEL,
    ),
]
MaxCost = Annotated[
    float | None, typer.Option(help="Stop at so many US dollars.", rich_help_panel=_MODEL)
]
Protocol = Annotated[
    str, typer.Option(help="structured, paper or repository.", rich_help_panel=_TELLING)
]
ChunkTokens = Annotated[
    int | None,
    typer.Option(
        help="Size of a chunk, instead of the protocol's.", min=1, rich_help_panel=_TELLING
    ),
]
Prompts = Annotated[
    Path | None,
    typer.Option(help="A TOML file of prompts that replace ours.", rich_help_panel=_TELLING),
]
Offline = Annotated[bool, typer.Option("--offline", help="Never touch the network.")]
RowsInParallel = Annotated[
    int | None,
    typer.Option(
        help="Rows at a time; default: 1, with processes one a core.",
        min=1,
        rich_help_panel=_LIMITS,
    ),
]
QuestionsInParallel = Annotated[
    int, typer.Option(help="Questions of a row at a time.", min=1, rich_help_panel=_LIMITS)
]
MemorizeTimeout = Annotated[
    float | None, typer.Option(help="Seconds that a chunk may take.", rich_help_panel=_LIMITS)
]
AnswerTimeout = Annotated[
    float | None, typer.Option(help="Seconds that an answer may take.", rich_help_panel=_LIMITS)
]
FailFast = Annotated[
    bool, typer.Option("--fail-fast", help="Stop at the first error.", rich_help_panel=_LIMITS)
]
MaxErrors = Annotated[
    int | None, typer.Option(help="Stop after so many errors.", min=1, rich_help_panel=_LIMITS)
]
Executor = Annotated[
    str,
    typer.Option(
        help="local; processes: the cores of this machine; ray: a cluster.",
        rich_help_panel=_LIMITS,
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(help="The Ray cluster; this machine without it.", rich_help_panel=_LIMITS),
]


def model_spec(name: str | None, **how: object) -> ModelSpec | None:
    """Return the model that the options describe; None without a name."""
    from mabench.models import ModelSpec

    return None if name is None else ModelSpec(name, **how)  # type: ignore[arg-type]
