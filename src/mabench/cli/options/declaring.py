"""Makes the options and arguments of commands, as typer takes them.

They are described in ``commands.toml``, or are settings of a part of a run, such as ``RunSpec``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import typer

from mabench import specs
from mabench.cli.options.command_texts import COMMAND_TEXTS, SHARED_OPTIONS
from mabench.cli.options.completion import VALUES
from mabench.cli.options.values import (
    FORMATS,
    check_ending,
    check_format,
    find_runs,
    read_length,
    read_rows,
)
from mabench.settings import list_options


def option(
    group: str,
    words: str = "",
    help: str | None = None,  # noqa: A002
    choices: Sequence[str] = (),
    **settings: Any,
) -> Any:
    """Return an option, or an argument.

    Args:
        group: the group of the help; empty for an argument.
        words: its name, if that is not the parameter's, and the placeholder of its value, such as
            "--out FOLDER". RUN is a run's folder, its number in ``mabench runs``, or a part of its
            folder's name. FILE.html refuses other endings.
        help: what it means; by default its ``choices``.
        choices: the values that it can have.
        settings: further arguments for typer.
    """
    names = [word for word in words.split() if word.startswith("--")]
    placeholder = " ".join(word for word in words.split() if not word.startswith("--"))
    names_runs = placeholder.startswith("RUN") and placeholder != "RUN_OR_AGENT"
    if names_runs:
        settings["callback"] = find_runs
    elif placeholder.startswith("FILE."):
        settings["callback"] = check_ending(placeholder.removeprefix("FILE"))
    if not help and choices:
        help = f"{', '.join(choices[:-1])} or {choices[-1]}."  # noqa: A001

    def complete(incomplete: str) -> list[str]:
        """Return the values that a shell offers after the beginning of one."""
        values = choices or VALUES[placeholder]()
        return [value for value in values if value.startswith(incomplete)]

    if choices or placeholder in VALUES:
        settings["autocompletion"] = complete
    make: Any = typer.Option if group else typer.Argument
    return make(
        *names, help=help, metavar=placeholder or None, rich_help_panel=group or None, **settings
    )


def declare(command: str, parameter: str) -> Any:
    """Return the option of a parameter of a command, as ``commands.toml`` describes it."""
    descriptions = SHARED_OPTIONS | COMMAND_TEXTS[command]
    description: str | Sequence[Any] = descriptions[parameter]
    if isinstance(description, str):  # A setting of a part of a run, such as "RunSpec.seed".
        part_name, _, setting_name = description.partition(".")
        return declare_setting(getattr(specs, part_name), setting_name)
    # A list of the arguments of ``option`` and, at its end, a table of arguments for typer.
    group, words, help_text, choices, settings = _fill_up(description, ("", "", None, (), {}))
    return option(group, words, help_text, choices, **settings)


def _fill_up(values: Sequence[Any], defaults: Sequence[Any]) -> list[Any]:
    """Return values, with defaults in place of those that are missing at the end."""
    return [*values, *defaults[len(values) :]]


def declare_setting(part: type, name: str) -> Any:
    """Return the option of a setting of a part of a run; an argument if it has no group."""
    field = list_options(part)[name]
    setting = field.setting
    assert setting  # noqa: S101  # All fields of a part have one.
    metavar = setting.metavar or ""
    dashed = name.replace("_", "-")
    if not setting.group:
        words = metavar
    elif field.kind is bool and field.optional:  # It can be on, off or not given.
        words = f"--{dashed}/--no-{dashed} {metavar}"
    else:
        words = f"--{dashed} {metavar}"
    for_typer: dict[str, Any] = {"file_okay": metavar != "FOLDER"}
    if name == "row":
        for_typer["parser"] = read_rows
        for_typer["callback"] = _join_ranges
    elif name == "tokens":
        for_typer["parser"] = read_length
    return option(setting.group, words, setting.sentence, setting.choices, **for_typer)


def _join_ranges(ranges: Sequence[range] | None) -> Sequence[object] | None:
    """Return the numbers of the rows in the ranges of --row, unchanged if there is none."""
    if not ranges:
        return ranges
    return list(chain.from_iterable(ranges))


# Options of several commands whose texts are made here, as ``option`` takes them.
_data: Any = list_options(specs.DataSpec)["data"].setting
SHARED_OPTIONS["path"] = ("", "DATA", _data.help)
SHARED_OPTIONS["full"] = ("Output", "--full", "Print all tables and remarks.")
SHARED_OPTIONS["marked"] = (
    "Data",
    "RUN_OR_FILE",
    "Also take marks of golds from here: runs, or saved marks.",
)
SHARED_OPTIONS["layout"] = ("Output", "--format NAME", "", FORMATS, {"callback": check_format})
