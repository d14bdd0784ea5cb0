"""Options that several commands take: one name, one type and one help everywhere.

Each stands in a named group; ``GROUPS`` has their order, which commands keep to.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mabench.cli import completion
from mabench.errors import UsageError
from mabench.suggestions import unknown

if TYPE_CHECKING:
    from mabench.models import ModelSpec

GROUPS = ("Data", "Agent", "History", "Models", "Cost", "Parallel", "Limits", "Output", "Help")
data, agent, history, model, cost, parallel, limit, result, about = (
    partial(typer.Option, rich_help_panel=group) for group in GROUPS
)


def _known_format(name: str) -> str:
    """Refuse a format that there is not, before anything is done.

    Raises:
        UsageError: when it is none.
    """
    if name not in completion.FORMATS:
        raise UsageError(unknown("unknown format", name, completion.FORMATS), parameter="layout")
    return name


_data = partial(data, metavar="DATA", autocompletion=completion.data_sets)
Data = Annotated[
    str, _data(help="A folder or file of rows, 'hub', or 'synthetic:small' and its like.")
]
RunData = Annotated[str | None, _data(help="The run's data set, if it has moved.")]
DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A folder or file of rows, 'hub', or 'synthetic:small' and its like.",
        autocompletion=completion.data_sets,
    ),
]
_source = partial(data, metavar="SOURCE", autocompletion=completion.sources)
Sources = Annotated[
    list[str] | None,
    _source("--source", help="Only this source, with or without its length; repeatable."),
]
Source = Annotated[
    str, _source("--source", help="A source, with or without its length; the nearest is taken.")
]
Rows = Annotated[
    list[int] | None,
    data("--row", metavar="N", help="Only the row of this index in its split; repeatable."),
]
Entities = Annotated[
    Path | None, data(metavar="FILE", help="entity2id.json, for rows of recommendations.")
]
Offline = Annotated[bool, data("--offline", help="Never touch the network.")]
Difficulty = Annotated[
    str,
    data(
        metavar="NAME",
        help="easy, real or hard rows; --knob takes precedence.",
        autocompletion=completion.difficulties,
    ),
]
RowSeed = Annotated[int, data("--seed", metavar="N", help="The seed of the rows.")]
Folder = Annotated[
    Path | None,
    data(
        metavar="FOLDER", help="The folder of replies; mabench's cache without it.", file_okay=False
    ),
]

Agent = Annotated[
    str,
    typer.Argument(
        help="A built-in, a plugin, package.module:factory, stdio:COMMAND, mcp:SERVER or a URL.",
        metavar="AGENT",
        autocompletion=completion.agents,
    ),
]
_settings = partial(agent, metavar="NAME=VALUE", help="A setting of the agent; repeatable.")
Settings = Annotated[list[str] | None, _settings("--set", "--agent-set")]
AgentSettings = Annotated[list[str] | None, _settings("--agent-set")]
Python = Annotated[
    Path | None, agent(metavar="PATH", help="The interpreter that the agent lives in.")
]
McpMap = Annotated[
    str | None,
    agent(metavar="FILE", help="How an MCP server's tools are used: a TOML file or a name."),
]
Env = Annotated[
    list[str] | None,
    agent(metavar="NAME", help="An environment variable that a process of its own may see."),
]

Protocol = Annotated[
    str,
    history(
        metavar="NAME",
        help="structured, paper or repository.",
        autocompletion=completion.protocols,
    ),
]
ChunkTokens = Annotated[
    int | None, history(metavar="N", help="Size of a chunk, instead of the protocol's.", min=1)
]
Prompts = Annotated[
    Path | None, history(metavar="FILE", help="A TOML file of prompts that replace ours, or paper.")
]

Model = Annotated[
    str | None, model(metavar="NAME", help="The language model: openai/NAME, or provider/NAME.")
]
BaseUrl = Annotated[
    str | None, model(metavar="URL", help="The model's server; else OPENAI_BASE_URL.")
]
Temperature = Annotated[float, model(metavar="T", help="0: the likeliest answer.", min=0)]
ModelSeed = Annotated[
    int | None, model("--model-seed", metavar="N", help="A seed that is passed on to the model.")
]
Window = Annotated[
    int | None, model(metavar="N", help="The model's context window, in tokens.", min=1)
]
Meter = Annotated[
    str | None,
    model(metavar="URL", help="The server that the memory's own calls go to, to count them."),
]

Prices = Annotated[Path | None, cost(metavar="FILE", help="A TOML file of prices by model.")]
MaxCost = Annotated[float | None, cost(metavar="DOLLARS", help="Stop at so many US dollars.")]
Cache = Annotated[
    bool | None,
    cost(
        "--cache/--no-cache",
        help="Keep replies, to the memory, too; default: the reader's at temperature 0.",
    ),
]
Replay = Annotated[
    Path | None,
    cost(metavar="FOLDER", help="Send nothing: use the replies kept there.", file_okay=False),
]
Estimate = Annotated[bool, cost("--estimate", help="Ask nothing: say what it would take.")]

RowsInParallel = Annotated[
    int | None,
    parallel(metavar="N", help="Rows at a time; default: 1, with processes one a core.", min=1),
]
QuestionsInParallel = Annotated[
    int, parallel(metavar="N", help="Questions of a row at a time.", min=1)
]
RequestsInFlight = Annotated[
    int,
    parallel(metavar="N", help="Requests at a time; fewer while the server pushes back.", min=1),
]
Executor = Annotated[
    str,
    parallel(
        metavar="NAME",
        help="local; processes: the cores of this machine; ray: a cluster.",
        autocompletion=completion.executors,
    ),
]
RayAddress = Annotated[
    str | None, parallel(metavar="ADDRESS", help="The Ray cluster; this machine without it.")
]

MemorizeTimeout = Annotated[
    float | None, limit(metavar="SECONDS", help="How long a chunk may take.")
]
AnswerTimeout = Annotated[
    float | None, limit(metavar="SECONDS", help="How long an answer may take.")
]
FailFast = Annotated[bool, limit("--fail-fast", help="Stop at the first error.")]
MaxErrors = Annotated[int | None, limit(metavar="N", help="Stop after so many errors.", min=1)]
RetryErrors = Annotated[bool, limit("--retry-errors", help="Ask again what failed before.")]

Format = Annotated[
    str,
    result(
        "--format",
        metavar="NAME",
        help="table, markdown, csv or json.",
        callback=_known_format,
        autocompletion=completion.formats,
    ),
]
Quiet = Annotated[
    bool, result("--quiet", help="No progress and no tables: print where the result is.")
]


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
    for option in ("base_url", "temperature", "seed", "prices", "cache", "replay", "window"):
        if metered and option in ("prices", "cache", "replay"):
            continue
        if how.get(option) is not None and (option, how[option]) != ("temperature", 0.0):
            named = "model_seed" if option == "seed" else option
            raise UsageError(f"`{named}` is about a model that reads: name one with `model`")
    return None
