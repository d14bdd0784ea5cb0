"""Options in named groups: those of settings, and those of commands, which the table describes.

The table is ``commands.toml``; ``GROUPS`` has the order that all keep to. With them stands how
their values are read, and what a shell offers for them, which is found without slow imports.
"""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import wraps
from itertools import chain
from pathlib import Path
from textwrap import shorten
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import typer

from mabench import specs
from mabench.errors import UsageError, unknown
from mabench.settings import Field, build, list_options

GROUPS = (
    *("Data", "Race", "Agent", "History", "Models"),
    *("Cost", "Parallel", "Limits", "Output", "Help"),
)

# What stands for each command, and the commands themselves, by what is typed for them: "data show".
WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))
_SHARED = WORDS.pop("shared")
COMMANDS: dict[str, Callable[..., None]] = {}
_FORMATS = ("table", "markdown", "latex", "csv", "json")
_AMOUNT = re.compile(
    r"(\d{1,18}(?:_\d{1,18})*(?:\.\d{1,18})?(?:e[+-]?\d{1,2})?)([km]?)", re.IGNORECASE
)
_ROWS = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}
_LARGEST_AMOUNT = 10**15


def _sources() -> Iterable[str]:
    """Return the sources, and before them their names without a length."""
    from mabench.data.inventory import BY_NAME, without_length

    return dict.fromkeys([*map(without_length, BY_NAME), *BY_NAME])


def _agents() -> Iterable[str]:
    from mabench.lookup.names import agent_names

    return agent_names()


# By what stands for a value. Files and folders of rows are completed by the shell.
_MADE_UP = ("start", "small", "compare", "medium", "full")
_VALUES: Mapping[str | None, Callable[[], Iterable[str]]] = {
    "AGENT": _agents,
    "DATA": lambda: ["hub", *(f"synthetic:{name}" for name in _MADE_UP)],
    "SOURCE": _sources,
}


def option(
    group: str,
    words: str = "",
    help: str | None = None,  # noqa: A002
    choices: Sequence[str] = (),
    **settings: Any,
) -> Any:
    """Return an option of a group, or an argument where that is empty.

    ``words`` are its name, if that is not the parameter's, and what stands for its value: a RUN is
    named by its folder, its number in ``mabench runs``, or a part of its folder's name; a file that
    ends otherwise than FILE.html is refused. Without ``help`` its ``choices`` are listed.
    """
    names = [word for word in words.split() if word.startswith("--")]
    metavar = " ".join(words.split()[len(names) :])
    if metavar.startswith("RUN"):
        settings["callback"] = _find_runs
    elif metavar.startswith("FILE."):
        settings["callback"] = _check_ending(metavar.removeprefix("FILE"))
    if not help and choices:
        help = f"{', '.join(choices[:-1])} or {choices[-1]}."  # noqa: A001
    if values := (lambda: choices) if choices else _VALUES.get(metavar):
        settings["autocompletion"] = lambda incomplete: [
            v for v in values() if v.startswith(incomplete)
        ]
    make: Any = typer.Option if group else typer.Argument
    return make(
        *names, help=help, metavar=metavar or None, rich_help_panel=group or None, **settings
    )


def _find_runs(value: Any) -> Any:
    from mabench.results import find_folder

    if isinstance(value, list):
        return [find_folder(str(each)) for each in value]
    return value if value is None else find_folder(str(value))


def _check_ending(ending: str) -> Callable[[Path | None], Path | None]:
    """Return what refuses a file to write that ends otherwise: it may be meant to be read."""

    def check(file: Path | None) -> Path | None:
        if file is not None and file.suffix != ending:
            raise UsageError(f"{file}: it would be overwritten; name a file that ends in {ending}")
        return file

    return check


def read_amount(text: str, option: str) -> int | float:
    """Return a number written as 600, 6k, 1.5m or 0.25, whole ones as ints, however written.

    Raises ``UsageError`` for what is no number.
    """
    match = _AMOUNT.fullmatch(text.strip())
    # As decimals, 1.005k is 1005 and no fraction less.
    value = Decimal(match[1]) * _FACTORS[match[2].lower()] if match else None
    if value is None or value > _LARGEST_AMOUNT:
        shown = shorten(text, 40, placeholder="...")
        raise UsageError(f"{option}: {shown!r} is no number; write 600, 6k, 1.5m or 0.25")
    return int(value) if value == value.to_integral_value() else float(value)


def read_pairs(
    words: Iterable[str] | None, option: str, form: str = "name=value"
) -> dict[str, str]:
    """Return settings that are written as ``name=value``; raises ``UsageError`` for others."""
    settings: dict[str, str] = {}
    for word in words or ():
        name, equals, value = word.partition("=")
        name = name.strip()
        if not equals or not name.replace("-", "_").isidentifier():
            shown = f"{name}=..." if equals else name  # The value may be a secret.
            raise UsageError(f"{option} {shown}: write it as {form}")
        if name in settings:
            raise UsageError(f"{option} {name} is given twice")
        settings[name] = value
    return settings


def read_settings(words: Iterable[str] | None, option: str) -> dict[str, object]:
    """Return settings of an agent, each written as ``name=value``; raises ``UsageError``.

    What is a number, true, false or null in JSON becomes one.
    """
    settings: dict[str, object] = {**read_pairs(words, option)}
    for name, text in settings.items():
        with suppress(ValueError, RecursionError):
            value = json.loads(str(text))
            if value is None or isinstance(value, int | float):
                settings[name] = value
    return settings


def _read_rows(text: str) -> range:
    """Return numbers of rows that are written as one, or as a range with both ends: 0-5."""
    match = _ROWS.fullmatch(text.strip())
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if last < first:
        raise UsageError(f"--row {text}: write a number, such as 3, or a range, such as 0-5")
    return range(first, last + 1)


def _read_length(text: str) -> int:
    """Return a length in tokens that may be written as 8k."""
    length = read_amount(text, "--tokens")
    if isinstance(length, float):
        raise UsageError(f"--tokens must be a whole number, not {text}")
    return length


def _declare(words: str | Sequence[Any]) -> Any:
    """Return the option that a line of the table describes: its words, or its setting."""
    if not isinstance(words, str):
        return option(*words[:4], **dict(*words[4:]))
    part, _, name = words.partition(".")
    return _option_of(getattr(specs, part), name)


def _option_of(part: type, name: str) -> Any:
    """Return the option of a setting of a part, or its argument where it is one."""
    field = list_options(part)[name]
    setting, words = field.setting, f"--{name.replace('_', '-')}"
    assert setting  # noqa: S101  # It is no part.
    if field.kind is bool and field.optional:
        words += f"/--no-{words.removeprefix('--')}"
    more: dict[str, Any] = {"file_okay": setting.metavar != "FOLDER"}
    if name == "row":
        more |= {"parser": _read_rows, "callback": lambda rows: rows and [*chain(*rows)]}
    elif name == "tokens":
        more["parser"] = _read_length
    words = f"{words} {setting.metavar or ''}" if setting.group else setting.metavar or ""
    return option(setting.group, words, setting.sentence, setting.choices, **more)


def command(
    words: str, part: Any = None, *, without: Collection[str] = (), **defaults: object
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function the command of some words, with the options of a part.

    Its parameter ``spec`` is what these describe; its others stand in the table. It does not get
    those ``without``; ``defaults`` has other defaults, ``...`` for none.
    """
    fields = list_options(part) if part else {}
    options = {name: field for name, field in fields.items() if name not in without}
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults.get(name, None if _repeats(field) else field.default),
            annotation=Annotated[_type_for_typer(field), _option_of(part, name)],
        )
        for name, field in options.items()
    ]

    def group_of(parameter: inspect.Parameter) -> int:
        group = get_args(parameter.annotation)[1].rich_help_panel
        return GROUPS.index(group) if group in GROUPS else -1  # An argument has none.

    def give(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def described(**values: Any) -> None:
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
                declared = _declare({**_SHARED, **WORDS[words]}[own.name])
                own = own.replace(annotation=Annotated[own.annotation, declared])
            parameters += added if own.name == "spec" else [own]
        parameters.sort(key=group_of)
        described.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        described.__annotations__ = {each.name: each.annotation for each in parameters}
        COMMANDS[words] = described
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


def _check_format(name: str) -> str:
    if name not in _FORMATS:
        raise UsageError(unknown("unknown format", name, _FORMATS), parameter="layout")
    return name


_data: Any = list_options(specs.DataSpec)["data"].setting
_SHARED["path"] = ("", "DATA", _data.help)
_SHARED["layout"] = ("Output", "--format NAME", "", _FORMATS, {"callback": _check_format})
