"""Options that several verbs take, and what they describe together."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.errors import UsageError

if TYPE_CHECKING:
    from mabench.models import ModelSpec

_agent = partial(typer.Option, rich_help_panel="The agent")
_model = partial(typer.Option, rich_help_panel="The model")
_telling = partial(typer.Option, rich_help_panel="How it is told")
_limits = partial(typer.Option, rich_help_panel="Limits")

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Offline = Annotated[bool, typer.Option("--offline", help="Never touch the network.")]
Estimate = Annotated[bool, typer.Option("--estimate", help="Ask nothing: say what it would take.")]
EstimateByRow = Annotated[
    bool,
    typer.Option(
        "--estimate-by-row", help="Run one row, metered, and say what the rest would take."
    ),
]
Entities = Annotated[Path | None, typer.Option(help="entity2id.json, to score recommendations.")]

Settings = Annotated[
    list[str] | None, _agent("--set", metavar="NAME=VALUE", help="A setting of the agent.")
]
AgentSettings = Annotated[
    list[str] | None, _agent("--agent-set", metavar="NAME=VALUE", help="A setting of the agent.")
]
Python = Annotated[
    Path | None, _agent(help="The interpreter that the agent lives in.", metavar="PATH")
]
McpMap = Annotated[
    str | None, _agent(help="How an MCP server's tools are used: a TOML file or a name.")
]
Env = Annotated[
    list[str] | None,
    _agent(help="An environment variable that a process of its own may see.", metavar="NAME"),
]

Model = Annotated[str | None, _model(help="The model that reads: openai/NAME, or provider/NAME.")]
BaseUrl = Annotated[str | None, _model(help="Its server; else OPENAI_BASE_URL.")]
Meter = Annotated[
    str | None, _model(help="The server that the memory's own calls go to, to count them.")
]
Temperature = Annotated[float, _model(help="0: the likeliest answer.", min=0)]
ModelSeed = Annotated[int | None, _model("--seed", help="Passed on to the model.")]
RequestsInFlight = Annotated[
    int, _model(help="At most; fewer while the server pushes back.", min=1)
]
Window = Annotated[int | None, _model(help="The model's context window, in tokens.", min=1)]
Prices = Annotated[Path | None, _model(help="A TOML file of prices by model.")]
Cache = Annotated[
    bool | None,
    _model(
        "--cache/--no-cache",
        help="Keep replies, to the memory, too; default: the reader's at temperature 0.",
    ),
]
Replay = Annotated[
    Path | None,
    _model(metavar="FOLDER", help="Send nothing: use the replies kept there.", file_okay=False),
]
MaxCost = Annotated[float | None, _model(help="Stop at so many US dollars.")]

Difficulty = Annotated[str, typer.Option(help="easy, real or hard rows; --set goes before it.")]

Protocol = Annotated[str, _telling(help="structured, paper or repository.")]
ChunkTokens = Annotated[
    int | None, _telling(help="Size of a chunk, instead of the protocol's.", min=1)
]
Prompts = Annotated[
    Path | None, _telling(help="A TOML file of prompts that replace ours, or paper.")
]

RowsInParallel = Annotated[
    int | None, _limits(help="Rows at a time; default: 1, with processes one a core.", min=1)
]
QuestionsInParallel = Annotated[int, _limits(help="Questions of a row at a time.", min=1)]
MemorizeTimeout = Annotated[float | None, _limits(help="Seconds that a chunk may take.")]
AnswerTimeout = Annotated[float | None, _limits(help="Seconds that an answer may take.")]
FailFast = Annotated[bool, _limits("--fail-fast", help="Stop at the first error.")]
MaxErrors = Annotated[int | None, _limits(help="Stop after so many errors.", min=1)]
Executor = Annotated[
    str, _limits(help="local; processes: the cores of this machine; ray: a cluster.")
]
RayAddress = Annotated[str | None, _limits(help="The Ray cluster; this machine without it.")]


def model_spec(name: str | None, *, metered: bool = False, **how: object) -> ModelSpec | None:
    """Return the model that the options describe; None without a name.

    Args:
        name: its name.
        metered: whether prices and kept replies may be about what a memory calls.
        how: the other options.

    Raises:
        UsageError: when something is said of a model, and none is named.
    """
    from mabench.models import ModelSpec

    if name is not None:
        return ModelSpec(name, **how)  # type: ignore[arg-type]
    for option in ("base_url", "seed", "prices", "cache", "replay", "window"):
        if metered and option in ("prices", "cache", "replay"):
            continue
        if how.get(option) is not None:
            raise UsageError(f"`{option}` is about a model that reads: name one with `model`")
    return None
