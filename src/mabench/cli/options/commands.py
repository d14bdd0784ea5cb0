"""Turns functions into commands, with options from settings and from ``commands.toml``."""

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

# The groups of options in a help text, in their order.
GROUPS = (
    *("Gate", "Data", "Race", "Agent", "History", "Models", "Judge yourself", "Calibrate"),
    *("Stages", "Cost", "Parallel", "Limits", "Output", "Help"),
)
# The functions of the commands, by what is typed for them, such as "data show".
COMMANDS: dict[str, Callable[..., None]] = {}


def command(
    words: str, part: Any = None, *, without: Collection[str] = (), **defaults: object
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that makes a function a command.

    Args:
        words: what is typed for it, such as ``data show``.
        part: a part of a run, whose settings become options; the function gets the part as its
            parameter ``spec``. ``commands.toml`` describes its other parameters.
        without: options that the command does not have.
        defaults: other defaults of options; ``...`` makes one required.
    """
    fields = list_options(part) if part else {}
    options = {name: field for name, field in fields.items() if name not in without}
    of_settings = [
        _setting_parameter(part, name, field, defaults) for name, field in options.items()
    ]

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        """Register the function as the command."""

        @wraps(function)
        def run_with_settings(**values: Any) -> None:
            """Run the command with its settings in ``spec``."""
            settings = {
                name: _read_setting(values.pop(name), field) for name, field in options.items()
            }
            if part:
                values["spec"] = build(part, settings)
            function(**values)

        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(function, eval_str=True).parameters.values():
            if parameter.name == "spec":
                parameters += of_settings
            else:
                kind, declared = parameter.annotation, declare(words, parameter.name)
                parameters.append(
                    parameter.replace(
                        kind=inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[kind, declared]
                    )
                )
        parameters.sort(key=_place_of_group)
        # typer reads the options of a command from its signature.
        run_with_settings.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run_with_settings.__annotations__ = {each.name: each.annotation for each in parameters}
        COMMANDS[words] = run_with_settings
        return run_with_settings

    return decorate


def _setting_parameter(
    part: Any, name: str, field: Field, defaults: Mapping[str, object]
) -> inspect.Parameter:
    """Return the parameter of a command that takes the option of a setting."""
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=defaults.get(name, None if _may_repeat(field) else field.default),
        annotation=Annotated[_type_for_typer(field), declare_setting(part, name)],
    )


def _read_setting(value: Any, field: Field) -> Any:
    """Return the value of a setting from what typer read for its option."""
    if get_origin(field.kind) is Mapping:
        return read_settings(value, "--set")
    if _may_repeat(field):
        return tuple(value) if value else field.default
    return value


def _place_of_group(parameter: inspect.Parameter) -> int:
    """Return the place of an option's group in the help; arguments, which have none, come first."""
    _, declared = get_args(parameter.annotation)
    group = declared.rich_help_panel
    return GROUPS.index(group) if group in GROUPS else -1


def _type_for_typer(field: Field) -> Any:
    """Return the type that typer reads for a setting."""
    if _may_repeat(field):
        return list[int if int in get_args(field.kind) else str] | None  # type: ignore[misc]
    is_union = get_origin(field.kind) in (Union, UnionType)
    alternatives = get_args(field.kind) if is_union else (field.kind,)
    for kind in (Path, bool, int, float):
        if kind in alternatives:
            return kind | None if field.optional else kind
    return str | None if field.optional else str


def _may_repeat(field: Field) -> bool:
    """Return whether an option may be given several times."""
    return get_origin(field.kind) in (tuple, Sequence, Mapping)
