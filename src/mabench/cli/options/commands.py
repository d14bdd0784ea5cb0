"""Turns functions into commands, whose parameters become options and arguments.

typer reads the options of a command from the signature of its function. Here that signature is
made: from the function's own parameters, which ``commands.toml`` describes, and from the settings
of a part of a run.
"""

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
    name: str, part: Any = None, *, without: Collection[str] = (), **defaults: object
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that makes a function a command.

    Args:
        name: what is typed for it, such as ``data show``.
        part: a class of settings, such as ``RunSpec``, each of which becomes an option; the
            function gets an object of the class as its parameter ``spec``. ``commands.toml``
            describes its other parameters.
        without: settings that the command does not have.
        defaults: other defaults of settings; ``...`` makes one required.
    """
    all_fields = list_options(part) if part else {}
    fields = {option: field for option, field in all_fields.items() if option not in without}
    setting_parameters = [
        _make_parameter(part, option, field, defaults) for option, field in fields.items()
    ]

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        """Register the function as the command."""

        @wraps(function)
        def run_with_settings(**values: Any) -> None:
            """Run the command with the values of its options, those of settings in ``spec``."""
            settings = {
                option: _read_setting(values.pop(option), field) for option, field in fields.items()
            }
            if part:
                values["spec"] = build(part, settings)
            function(**values)

        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(function, eval_str=True).parameters.values():
            if parameter.name == "spec":
                parameters += setting_parameters
            else:
                parameters.append(_declare_parameter(name, parameter))
        parameters.sort(key=_place_of_group)
        # What typer reads the options and arguments from, and shows in this order.
        run_with_settings.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run_with_settings.__annotations__ = {
            parameter.name: parameter.annotation for parameter in parameters
        }
        COMMANDS[name] = run_with_settings
        return run_with_settings

    return decorate


def _declare_parameter(command_name: str, parameter: inspect.Parameter) -> inspect.Parameter:
    """Return a function's own parameter with its option, as ``commands.toml`` describes it."""
    declared = declare(command_name, parameter.name)
    return parameter.replace(
        kind=inspect.Parameter.KEYWORD_ONLY,
        annotation=Annotated[parameter.annotation, declared],
    )


def _make_parameter(
    part: Any, option: str, field: Field, defaults: Mapping[str, object]
) -> inspect.Parameter:
    """Return the parameter of a command for the option of a setting of ``part``.

    ``defaults`` come before the default of the setting.
    """
    own_default = None if _may_repeat(field) else field.default
    return inspect.Parameter(
        option,
        inspect.Parameter.KEYWORD_ONLY,
        default=defaults.get(option, own_default),
        annotation=Annotated[_type_for_typer(field), declare_setting(part, option)],
    )


def _read_setting(value: Any, field: Field) -> Any:
    """Return the value of a setting from what typer read for its option.

    Of an option that may repeat, that is a list of words, or None if it is not given.
    """
    if get_origin(field.kind) is Mapping:
        return read_settings(value, "--set")
    if _may_repeat(field):
        return tuple(value) if value else field.default
    return value


def _place_of_group(parameter: inspect.Parameter) -> int:
    """Return the place of an option's group in the help; arguments, which have none, come first."""
    _, declared = get_args(parameter.annotation)  # Of Annotated[type, option].
    group = declared.rich_help_panel
    return GROUPS.index(group) if group in GROUPS else -1


def _type_for_typer(field: Field) -> Any:
    """Return the type as which typer reads the option of a setting.

    Of a union it is the first of Path, bool, int and float that the union has. All other settings
    are read as text.
    """
    if _may_repeat(field):
        kind_of_each = int if int in get_args(field.kind) else str
        return list[kind_of_each] | None  # type: ignore[valid-type]
    is_union = get_origin(field.kind) in (Union, UnionType)
    alternatives = get_args(field.kind) if is_union else (field.kind,)
    for kind in (Path, bool, int, float):
        if kind in alternatives:
            return kind | None if field.optional else kind
    return str | None if field.optional else str


def _may_repeat(field: Field) -> bool:
    """Return whether the option of a setting may be given several times."""
    return get_origin(field.kind) in (tuple, Sequence, Mapping)
