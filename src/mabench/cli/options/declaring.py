"""Declaring options to typer: from lines of ``commands.toml`` and from settings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import typer

from mabench import specs
from mabench.cli.options.completion import VALUES
from mabench.cli.options.table import SHARED, WORDS
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
        words: its name, if that is not the parameter's, and the placeholder of its value. RUN is a
            run's folder, its number in ``mabench runs``, or a part of its folder's name. FILE.html
            refuses other endings.
        help: what it means; by default its ``choices``.
        choices: the values that it can have.
        settings: what else typer is told.
    """
    names = [word for word in words.split() if word.startswith("--")]
    metavar = " ".join(words.split()[len(names) :])
    if metavar.startswith("RUN") and metavar != "RUN_OR_AGENT":
        settings["callback"] = find_runs
    elif metavar.startswith("FILE."):
        settings["callback"] = check_ending(metavar.removeprefix("FILE"))
    if not help and choices:
        help = f"{', '.join(choices[:-1])} or {choices[-1]}."  # noqa: A001
    if values := (lambda: choices) if choices else VALUES.get(metavar):
        settings["autocompletion"] = lambda incomplete: [
            v for v in values() if v.startswith(incomplete)
        ]
    make: Any = typer.Option if group else typer.Argument
    return make(
        *names, help=help, metavar=metavar or None, rich_help_panel=group or None, **settings
    )


def declare(command: str, parameter: str) -> Any:
    """Return the option of a parameter of a command, as ``commands.toml`` describes it."""
    words: str | Sequence[Any] = {**SHARED, **WORDS[command]}[parameter]
    if not isinstance(words, str):
        return option(*words[:4], **dict(*words[4:]))
    part, _, name = words.partition(".")
    return declare_setting(getattr(specs, part), name)


def declare_setting(part: type, name: str) -> Any:
    """Return the option, or the argument, of a setting of a part of a run."""
    field = list_options(part)[name]
    setting, words = field.setting, f"--{name.replace('_', '-')}"
    assert setting  # noqa: S101  # The option of a setting.
    if field.kind is bool and field.optional:
        words += f"/--no-{words.removeprefix('--')}"
    more: dict[str, Any] = {"file_okay": setting.metavar != "FOLDER"}
    if name == "row":
        more |= {"parser": read_rows, "callback": lambda rows: rows and [*chain(*rows)]}
    elif name == "tokens":
        more["parser"] = read_length
    words = f"{words} {setting.metavar or ''}" if setting.group else setting.metavar or ""
    return option(setting.group, words, setting.sentence, setting.choices, **more)


_data: Any = list_options(specs.DataSpec)["data"].setting
SHARED["path"] = ("", "DATA", _data.help)
SHARED["layout"] = ("Output", "--format NAME", "", FORMATS, {"callback": check_format})
