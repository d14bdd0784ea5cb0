"""Options in named groups: those of the settings of a run, and others that several commands take.

``GROUPS`` has their order, which commands keep to.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial, wraps
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import typer

from mabench.cli import completion
from mabench.cli.amounts import agent_settings
from mabench.errors import UsageError
from mabench.settings import Field, build, list_options
from mabench.specs import DataSpec, InjectionSpec, JudgeSpec, RunSpec, SweepSpec
from mabench.suggestions import unknown

GROUPS = ("Data", "Agent", "History", "Models", "Cost", "Parallel", "Limits", "Output", "Help")
data, agent, history, model, cost, parallel, limit, result, about = (
    partial(typer.Option, rich_help_panel=group) for group in GROUPS
)
REQUIRED = inspect.Parameter.empty
_COMPLETIONS = {
    "agent": completion.agents,
    "data": completion.data_sets,
    "source": completion.sources,
}


def make_option(part: type, name: str, help_text: str | None = None) -> Any:
    """Return the option, or the argument, that typer makes of a setting of a part."""
    field = list_options(part)[name]
    setting, words = field.setting, f"--{name.replace('_', '-')}"
    assert setting  # noqa: S101  # It is no part.
    if field.kind is bool and field.optional:
        words += f"/--no-{words.removeprefix('--')}"
    make = partial(typer.Option, words) if setting.group else typer.Argument
    return make(
        help=help_text or setting.sentence,
        metavar=setting.metavar,
        rich_help_panel=setting.group or None,
        autocompletion=_COMPLETIONS.get(name)
        or (completion.of(*setting.choices) if setting.choices else None),
        file_okay=setting.metavar != "FOLDER",
    )


def give_options(
    part: type, *, without: Collection[str] = (), **defaults: object
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a part; its parameter ``spec`` is what they describe.

    Args:
        part: the part, such as ``RunSpec``.
        without: names of options that it does not get.
        defaults: other defaults, by the name of the option; ``REQUIRED`` for none.
    """
    options = {name: field for name, field in list_options(part).items() if name not in without}
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults.get(name, None if _repeats(field) else field.default),
            annotation=Annotated[_type_for_typer(field), make_option(part, name)],
        )
        for name, field in options.items()
    ]

    def group_of(parameter: inspect.Parameter) -> int:
        group = get_args(parameter.annotation)[1].rich_help_panel
        return GROUPS.index(group) if group in GROUPS else -1  # An argument has none.

    def give(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def described(**values: Any) -> None:
            given = {name: _convert(field, values.pop(name)) for name, field in options.items()}
            command(spec=build(part, given), **values)

        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(command, eval_str=True).parameters.values():
            own = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            parameters += added if parameter.name == "spec" else [own]
        parameters.sort(key=group_of)
        described.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        described.__annotations__ = {each.name: each.annotation for each in parameters}
        return described

    return give


def _type_for_typer(field: Field) -> Any:
    kinds = get_args(field.kind) if get_origin(field.kind) in (Union, UnionType) else (field.kind,)
    if _repeats(field):
        return list[int if int in get_args(field.kind) else str] | None  # type: ignore[misc]
    kind = next((kind for kind in (Path, bool, int, float) if kind in kinds), str)
    return kind | None if field.optional else kind


def _repeats(field: Field) -> bool:
    return get_origin(field.kind) in (tuple, Sequence, Mapping)


def _convert(field: Field, value: Any) -> Any:
    """Return what a command line gave, as the part takes it."""
    if get_origin(field.kind) is Mapping:
        return agent_settings(value)
    return (tuple(value) if value else field.default) if _repeats(field) else value


def _known_format(name: str) -> str:
    """Refuse a format that there is not, before anything is done.

    Raises:
        UsageError: when it is none.
    """
    if name not in completion.FORMATS:
        raise UsageError(unknown("unknown format", name, completion.FORMATS), parameter="layout")
    return name


RunData = Annotated[str | None, make_option(JudgeSpec, "data")]
DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help=list_options(DataSpec)["data"].setting.help,
        autocompletion=completion.data_sets,
    ),
]
Sources = Annotated[list[str] | None, make_option(DataSpec, "source")]
Rows = Annotated[list[int] | None, make_option(DataSpec, "row")]
Entities = Annotated[Path | None, make_option(DataSpec, "entities")]
Offline = Annotated[bool, make_option(DataSpec, "offline")]
Source = Annotated[str, make_option(SweepSpec, "source")]
Difficulty = Annotated[str, make_option(SweepSpec, "difficulty")]
RowSeed = Annotated[int, make_option(SweepSpec, "seed")]
Folder = Annotated[
    Path | None,
    data(
        metavar="FOLDER", help="The folder of replies; default: mabench's cache.", file_okay=False
    ),
]
Protocol = Annotated[str, make_option(InjectionSpec, "protocol")]
ChunkTokens = Annotated[int | None, make_option(InjectionSpec, "chunk_tokens")]
MaxCost = Annotated[float | None, make_option(RunSpec, "max_cost")]
Estimate = Annotated[bool, cost("--estimate", help="Send nothing: say what it would cost.")]
FailFast = Annotated[bool, limit("--fail-fast", help="Stop at the first error.")]
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
