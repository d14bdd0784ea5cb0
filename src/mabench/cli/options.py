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
    data("--row", metavar="N", help="Only the row with this number in its split; repeatable."),
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
        metavar="FOLDER", help="The folder of replies; default: mabench's cache.", file_okay=False
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
Settings = Annotated[
    list[str] | None,
    agent("--set", metavar="NAME=VALUE", help="A setting of the agent; repeatable."),
]
Python = Annotated[
    Path | None, agent(metavar="PATH", help="The Python in which the agent is installed.")
]
McpMap = Annotated[
    str | None,
    agent(metavar="FILE", help="How to use an MCP server's tools: a TOML file or a name."),
]
Env = Annotated[
    list[str] | None,
    agent(metavar="NAME", help="Pass this environment variable to the agent's own process."),
]

Protocol = Annotated[
    str,
    history(
        metavar="NAME",
        help="structured, paper, repository, paper-unmarked, repository-unmarked.",
        autocompletion=completion.protocols,
    ),
]
ChunkTokens = Annotated[
    int | None, history(metavar="N", help="Size of a chunk; default: the protocol's.", min=1)
]
Prompts = Annotated[
    Path | None,
    history(metavar="FILE", help="A TOML file of prompts to use instead of ours, or paper."),
]

Model = Annotated[
    str | None, model(metavar="NAME", help="The language model: openai/NAME, or provider/NAME.")
]
BaseUrl = Annotated[
    str | None, model(metavar="URL", help="The model's server; default: OPENAI_BASE_URL.")
]
Temperature = Annotated[
    float, model(metavar="T", help="How random the answers are; 0: the likeliest one.", min=0)
]
ModelSeed = Annotated[
    int | None, model("--model-seed", metavar="N", help="A seed for the model to use.")
]
Window = Annotated[
    int | None, model(metavar="N", help="The model's context window, in tokens.", min=1)
]
Meter = Annotated[
    str | None,
    model(metavar="URL", help="Count the memory's own calls, which go to this server."),
]

Prices = Annotated[Path | None, cost(metavar="FILE", help="A TOML file of prices by model.")]
MaxCost = Annotated[
    float | None, cost(metavar="DOLLARS", help="Stop when this many US dollars are spent.")
]
Cache = Annotated[
    bool | None,
    cost(
        "--cache/--no-cache",
        help="Keep all replies of models; default: the reader's, at temperature 0.",
    ),
]
Replay = Annotated[
    Path | None,
    cost(
        metavar="FOLDER", help="Send nothing: use the replies kept in this folder.", file_okay=False
    ),
]
Estimate = Annotated[bool, cost("--estimate", help="Send nothing: say what it would cost.")]

RowsInParallel = Annotated[
    int | None,
    parallel(
        metavar="N", help="Rows at a time; default: 1, or with processes one per core.", min=1
    ),
]
QuestionsInParallel = Annotated[
    int, parallel(metavar="N", help="Questions of a row at a time.", min=1)
]
RequestsInFlight = Annotated[
    int,
    parallel(metavar="N", help="Requests at a time; fewer while the server is overloaded.", min=1),
]
Executor = Annotated[
    str,
    parallel(
        metavar="NAME",
        help="local, processes (all cores of this machine) or ray (a cluster).",
        autocompletion=completion.executors,
    ),
]
RayAddress = Annotated[
    str | None, parallel(metavar="ADDRESS", help="The Ray cluster; default: this machine.")
]

MemorizeTimeout = Annotated[
    float, limit(metavar="SECONDS", help="The longest that a chunk may take.")
]
AnswerTimeout = Annotated[
    float, limit(metavar="SECONDS", help="The longest that an answer may take.")
]
ReplyTimeout = Annotated[
    float, limit(metavar="SECONDS", help="The longest that a reply of a model may take.")
]
FailFast = Annotated[bool, limit("--fail-fast", help="Stop at the first error.")]
MaxErrors = Annotated[int | None, limit(metavar="N", help="Stop after this many errors.", min=1)]
MaxSameErrors = Annotated[
    int,
    limit(metavar="N", help="Stop when the first N answers fail alike; 0: continue.", min=0),
]
RetryErrors = Annotated[bool, limit("--retry-errors", help="Ask the questions again that failed.")]
Fresh = Annotated[
    bool,
    result("--fresh", help="Set aside the answers that the folder holds, and run anew."),
]

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
Quiet = Annotated[bool, result("--quiet", help="Print only where the result is.")]


def model_spec(name: str | None, *, metered: bool = False, **how: object) -> ModelSpec | None:
    """Return the model that the options describe; None without a name.

    Args:
        name: its name.
        metered: whether prices and kept replies may be about what a memory calls.
        how: the other options.

    Raises:
        UsageError: when something is said of a model, and none is named.
    """
    from mabench.models import ModelSpec, RetryPolicy

    if name is not None:
        return ModelSpec(name, **how)  # type: ignore[arg-type]
    usual = {"temperature": 0.0, "reply_seconds": RetryPolicy.timeout}
    for option in (
        *("base_url", "temperature", "seed", "prices", "cache", "replay", "window"),
        "reply_seconds",
    ):
        if metered and option in ("prices", "cache", "replay"):
            continue
        if how.get(option) not in (None, usual.get(option)):
            named = "model_seed" if option == "seed" else option
            raise UsageError(f"`{named}` is about a model that reads: name one with `model`")
    return None
