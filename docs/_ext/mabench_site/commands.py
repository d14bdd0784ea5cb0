"""The command line in Markdown, from the functions that typer makes commands of."""

from __future__ import annotations

import enum
import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from mabench_site.markdown import code, sentence, slug, table

_REPEATED = "May be repeated"
_METAVARS = {int: "INTEGER", float: "NUMBER", Path: "PATH", str: "TEXT"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument or option of a command.

    Attributes:
        names: the spellings of an option; the metavar of an argument.
        value: the metavar of an option's value; empty for a flag.
        help: what it does, as the program says it.
        panel: the heading under which the program lists it; None for none.
        facts: its default, bounds, choices, and whether it can be repeated, in words.
        is_option: whether it is an option.
    """

    names: tuple[str, ...]
    value: str
    help: str
    panel: str | None
    facts: tuple[str, ...]
    is_option: bool


@dataclass(frozen=True, slots=True)
class Command:
    """A command with all that it takes: ``words`` are what is typed, such as ``data show``.

    ``group`` is the heading under which the program lists it.
    """

    words: str
    help: str
    group: str
    parameters: tuple[Parameter, ...]

    @property
    def options(self) -> tuple[Parameter, ...]:
        """The parameters that are options."""
        return tuple(one for one in self.parameters if one.is_option)


def commands(app: typer.Typer | None = None, words: str = "", heading: str = "") -> list[Command]:
    """Return every command of an application, those of its groups included.

    Args:
        app: the application; mabench's by default.
        words: what is typed before its commands.
        heading: the heading of those that have none.
    """
    app = app or _ours()
    found = []
    for info in app.registered_commands:
        function = info.callback
        if function is None or info.hidden:
            continue
        name = info.name or function.__name__.rstrip("_").replace("_", "-")
        text = info.help or inspect.getdoc(function) or ""
        group = _text(info.rich_help_panel) or heading
        found.append(Command(f"{words}{name}", text, group, tuple(_parameters(function))))
    for part in app.registered_groups:
        if part.typer_instance is not None:
            panel = _text(part.rich_help_panel) or heading
            found += commands(part.typer_instance, f"{words}{part.name} ", panel)
    return found


def global_options(app: typer.Typer | None = None) -> list[Parameter]:
    """Return the options that stand before a command."""
    callback = (app or _ours()).registered_callback
    found = list(_parameters(callback.callback)) if callback and callback.callback else []
    return [one for one in found if one.is_option]


def _ours() -> typer.Typer:
    from mabench.cli.app import app

    return app


def undocumented(app: typer.Typer | None = None) -> list[str]:
    """Return what the program says nothing about: commands and parameters without a help text."""
    named = [f"mabench {one.words}" for one in commands(app) if not one.help.strip()]
    named += [
        f"mabench {command.words}: {parameter.names[0]}"
        for command in commands(app)
        for parameter in command.parameters
        if not parameter.help.strip()
    ]
    named += [f"mabench: {one.names[0]}" for one in global_options(app) if not one.help.strip()]
    return [f"{name} has no description" for name in named]


def list_in_markdown() -> str:
    """Return a table of what each command does, with a link to its section."""
    rows = [
        (
            f"[{code(f'mabench {one.words}')}](commands/{slug(one.group)}.md#{anchor(one)})",
            sentence(_brief(one.help)),
        )
        for one in commands()
    ]
    return table(("Command", "What it does"), rows)


def commands_in_markdown(group: str) -> str:
    """Return a section for each command of a group, which is named as in an address."""
    return "\n".join(_section(one) for one in commands() if slug(one.group) == group)


def global_options_in_markdown() -> str:
    """Return the options that stand before a command."""
    return _options("mabench", global_options())


def anchor(command: Command) -> str:
    """Return the anchor of a command's section, that of its heading."""
    return f"mabench-{command.words.replace(' ', '-')}"


def _section(command: Command) -> str:
    arguments = [one for one in command.parameters if not one.is_option]
    usage = " ".join(
        [f"mabench {command.words}", *(_usage(one) for one in arguments), "[OPTIONS]"]
        if command.options
        else [f"mabench {command.words}", *(_usage(one) for one in arguments)]
    )
    paragraphs = "\n\n".join(
        sentence(part) for part in inspect.cleandoc(command.help).split("\n\n")
    )
    parts = [f"## mabench {command.words}\n", f"{paragraphs}\n", f"```console\n{usage}\n```\n"]
    if arguments:
        rows = [(code(one.names[0]), _described(one)) for one in arguments]
        parts.append(table(("Argument", "What it is"), rows))
    if command.options:
        parts.append(_options(f"mabench {command.words}", command.options))
    return "\n".join(parts)


def _options(program: str, options: tuple[Parameter, ...] | list[Parameter]) -> str:
    """Return options under the headings that the program gives them, each with an anchor."""
    parts = [f"```{{program}} {program}\n```\n"]
    panels = dict.fromkeys(one.panel for one in options)
    for panel in sorted(panels, key=lambda name: name is not None):
        if panel is not None and program != "mabench":
            parts.append(f"### {panel}\n")
        for one in options:
            if one.panel == panel:
                names = ", ".join(f"{name} {one.value}".rstrip() for name in one.names)
                parts.append(f"````{{option}} {names}\n{_described(one)}\n````\n")
    return "\n".join(parts)


def _described(parameter: Parameter) -> str:
    repeats = "repeat" in parameter.help  # Then nothing need be added.
    facts = " ".join(f"{one}." for one in parameter.facts if not (repeats and one == _REPEATED))
    begins = parameter.help.split(maxsplit=1)[0].rstrip(",:;")
    # A help that begins with the default, as "structured, paper or repository", names values.
    is_value = f"Default: {code(begins)}" in parameter.facts
    told = f"One of {parameter.help}" if is_value else parameter.help
    return f"{sentence(told)} {facts}".strip()


def _usage(argument: Parameter) -> str:
    several = "..." if "One or more" in argument.facts or "Any number" in argument.facts else ""
    needed = argument.facts and argument.facts[0] in ("Required", "One or more")
    name = argument.names[0].removesuffix("...")
    return f"{name}{several}" if needed else f"[{name}]{several}"


def _brief(text: str) -> str:
    """Return the first paragraph of a help text."""
    return inspect.cleandoc(text).partition("\n\n")[0]


def _parameters(function: Callable[..., Any]) -> Iterator[Parameter]:
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints.get(name)
        info = next((o for o in _metadata(hint) if isinstance(o, OptionInfo | ArgumentInfo)), None)
        if info is None or info.hidden:
            continue
        kind, several = _kind(get_args(hint)[0])
        default = parameter.default
        facts = tuple(_facts(info, kind, several, default))
        metavar = _text(info.metavar)
        if isinstance(info, ArgumentInfo):
            shown = metavar or name.upper()
            yield Parameter((shown,), "", info.help or "", _panel(info), facts, is_option=False)
        else:
            names = _names(info, name)
            value = "" if kind is bool else metavar or _metavar(kind)
            yield Parameter(names, value, info.help or "", _panel(info), facts, is_option=True)


def _names(info: OptionInfo, parameter: str) -> tuple[str, ...]:
    """Return the spellings of an option; of two that switch it on and off, both."""
    # In `Annotated`, typer takes the first name for the default.
    given = [name for name in (info.default, *(info.param_decls or ())) if isinstance(name, str)]
    names = tuple(part for name in given for part in name.split("/") if part.startswith("-"))
    return names or (f"--{parameter.replace('_', '-')}",)


def _facts(
    info: OptionInfo | ArgumentInfo, kind: type, several: bool, default: object
) -> Iterator[str]:
    is_argument = isinstance(info, ArgumentInfo)
    if default is inspect.Parameter.empty or default is ...:
        yield "One or more" if several else "Required"
    elif several:
        yield "Any number" if is_argument else _REPEATED
    choices = _choices(kind)
    if choices:
        yield f"One of {', '.join(map(code, choices))}"
    if info.min is not None and info.max is not None:
        yield f"From {info.min:g} to {info.max:g}"
    elif info.min is not None:
        yield f"At least {info.min:g}"
    elif info.max is not None:
        yield f"At most {info.max:g}"
    plain = default.value if isinstance(default, enum.Enum) else default
    if isinstance(plain, str | int | float | Path) and not isinstance(plain, bool) and plain != "":
        yield f"Default: {code(str(plain))}"


def _kind(hint: Any) -> tuple[type, bool]:
    """Return the type of a value, and whether several can be given."""
    if get_origin(hint) in (Union, types.UnionType):
        (hint, *_) = [part for part in get_args(hint) if part is not type(None)]
    if get_origin(hint) in (list, tuple):
        return _kind(get_args(hint)[0])[0], True
    return hint, False


def _metavar(kind: type) -> str:
    if _choices(kind):
        return "NAME"
    return _METAVARS.get(kind, "TEXT")


def _choices(kind: Any) -> list[str]:
    if get_origin(kind) is Literal:
        return [str(one) for one in get_args(kind)]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return [str(one.value) for one in kind]
    return []


def _metadata(hint: Any) -> tuple[Any, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def _panel(info: OptionInfo | ArgumentInfo) -> str | None:
    return _text(info.rich_help_panel)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
