"""Making functions commands, with the options of their settings and of ``commands.toml``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from mabench.cli.options.declaring import declare, declare_setting
from mabench.cli.options.values import read_settings
from mabench.settings import Field, build, list_options

# The groups of options in a help, in their order.


GROUPS = (
    *("Data", "Race", "Agent", "History", "Models"),
    *("Cost", "Parallel", "Limits", "Output", "Help"),
)
# The commands, by what is typed for them, such as "data show".
COMMANDS: dict[str, Callable[..., None]] = {}


def command(
    words: str, part: Any = None, *, without: Collection[str] = (), **defaults: object
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function the command of some words.

    Args:
        words: what is typed for it, such as ``data show``.
        part: a part of a run, whose settings become options; the function gets the part as its
            parameter ``spec``. ``commands.toml`` describes its other parameters.
        without: options that the command does not have.
        defaults: other defaults of options; ``...`` makes one required.
    """
    fields = list_options(part) if part else {}
    options = {name: field for name, field in fields.items() if name not in without}
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults.get(name, None if _repeats(field) else field.default),
            annotation=Annotated[_type_for_typer(field), declare_setting(part, name)],
        )
        for name, field in options.items()
    ]

    def group_of(parameter: inspect.Parameter) -> int:
        group = get_args(parameter.annotation)[1].rich_help_panel
        return GROUPS.index(group) if group in GROUPS else -1  # An argument has none.

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def run_with_settings(**values: Any) -> None:
            settings: dict[str, Any] = {}
            for name, field in options.items():
                value = values.pop(name)
                if get_origin(field.kind) is Mapping:
                    value = read_settings(value, "--set")
                elif _repeats(field):
                    value = tuple(value) if value else field.default
                settings[name] = value
            if part:
                values["spec"] = build(part, settings)
            function(**values)

        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(function, eval_str=True).parameters.values():
            own = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            if own.name != "spec":
                declared = declare(words, own.name)
                own = own.replace(annotation=Annotated[own.annotation, declared])
            parameters += added if own.name == "spec" else [own]
        parameters.sort(key=group_of)
        run_with_settings.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run_with_settings.__annotations__ = {each.name: each.annotation for each in parameters}
        COMMANDS[words] = run_with_settings
        return run_with_settings

    return decorate


def _type_for_typer(field: Field) -> Any:
    kinds = get_args(field.kind) if get_origin(field.kind) in (Union, UnionType) else (field.kind,)
    if _repeats(field):
        return list[int if int in get_args(field.kind) else str] | None  # type: ignore[misc]
    kind = next((kind for kind in (Path, bool, int, float) if kind in kinds), str)
    return kind | None if field.optional else kind


def _repeats(field: Field) -> bool:
    return get_origin(field.kind) in (tuple, Sequence, Mapping)
