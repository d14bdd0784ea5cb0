"""The commands put together: how arguments are parsed, and how the help is laid out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from mabench._version import __version__
from mabench.cli import (  # noqa: F401 - their commands
    agents,
    comparing,
    data,
    questions,
    results,
    run,
    stress,
)
from mabench.cli import options as opt
from mabench.cli.console import command_line, results_alone
from mabench.errors import EXPECTED, UsageError, nearest, unknown
from mabench.redact import redact_line


def _place_in_help(option: Any) -> Any:
    """Return an option with its group and its text in the help."""
    if getattr(option, "rich_help_panel", None) is None and option.opts[0].startswith("--"):
        option.rich_help_panel = "Help"
    if getattr(option, "is_flag", False) and option.metavar is None:
        option.metavar = ""  # Newer typers would show a type, as if a flag took a value.
    if isinstance(option.default, float) and option.default.is_integer():
        option.default = int(option.default)  # 600 and not 600.0 in the help.
    if not option.opts[0].startswith("--"):
        option.display_type_rich = lambda ctx: None  # Its name and its help say it.
    return option


class _CommandGroup(TyperGroup):
    """Commands with a common first word."""

    def get_params(self, ctx: Any) -> Any:
        return [_place_in_help(option) for option in super().get_params(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            return super().parse_args(ctx, args)  # It prints the help.
        with _rephrase_errors(self, ctx):
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.commands:
            rest = f"{_help_of(ctx)} lists them"
            raise UsageError(unknown("no command", args[0], self.commands, rest))
        return super().resolve_command(ctx, args)


class _Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> Any:
        return [_place_in_help(option) for option in super().get_params(ctx)]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces = super().collect_usage_pieces(ctx)  # Newer typers put required arguments in braces.
        return [piece.lstrip("{").replace("}", "") for piece in pieces]

    def invoke(self, ctx: Any) -> Any:
        with results_alone():
            return super().invoke(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "" in args:  # It would be the current folder, or the default agent.
            raise UsageError("an argument is empty; leave it out, or check the variable it is from")
        with _rephrase_errors(self, ctx):
            return super().parse_args(ctx, args)


@contextmanager
def _rephrase_errors(command: Any, ctx: Any) -> Iterator[None]:
    """Turn typer's errors about arguments into a line of ours."""
    try:
        yield
    except Exception as raised:  # Typer has moved its error classes more than once.
        if not hasattr(raised, "format_message"):
            raise
        error: Any = raised
        kind, see = type(error).__name__, f"; see {_help_of(ctx)}"
        problem = _wrong_value(error)
        if kind == "MissingParameter":
            problem = f"{ctx.info_name} needs {_name_of(error)}"
        elif kind == "NoSuchOption":
            # Without dashes, which would make any two options look alike.
            names = [name for param in command.get_params(ctx) for name in param.opts]
            options = {name.lstrip("-"): name for name in names}
            near = [options[word] for word in nearest(error.option_name.lstrip("-"), options)]
            hint = f": did you mean {' or '.join(near)}? " if near else "; "
            problem, see = f"no option {error.option_name}{hint}", f"{_help_of(ctx)} lists them"
        raise UsageError(f"{problem}{see}") from None


def _help_of(ctx: Any) -> str:
    """Return the command that prints the help of a command."""
    words = ["--help"]
    while ctx.parent is not None:
        words.insert(0, ctx.info_name)
        ctx = ctx.parent
    return f"`{command_line(*words)}`"


def _wrong_value(error: Any) -> str:
    """Return what is wrong with the value of an option or an argument."""
    faults = error.__cause__.errors() if hasattr(error.__cause__, "errors") else []
    if faults and (expected := EXPECTED.get(faults[0]["type"])):
        return f"{_name_of(error)} must be {expected}, not {faults[0]['input']!r}"
    said = re.sub(r"^(dir|file) ", "", error.message.rstrip(".")).replace("directory", "folder")
    if said.startswith("Got unexpected extra argument"):
        others = redact_line(said.partition(" (")[2][:-1])
        if error.ctx.info_name == "run":
            return f"run takes one agent, so not {others}; for several use `mabench race`"
        return f"unexpected argument: {others}"
    if lacking := re.match(r"Option '(.*)' requires an argument", said):
        return f"{lacking[1]} needs a value"
    name = _name_of(error)
    return f"{name}: {said}" if name else said[:1].lower() + said[1:]


def _name_of(error: Any) -> str:
    """Return the name of the option or the argument of an error, if it has one."""
    if not (param := getattr(error, "param", None)):
        return ""
    return str(next((name for name in param.opts if name.startswith("--")), param.metavar))


def _group(help_text: str, **settings: Any) -> typer.Typer:
    return typer.Typer(help=help_text, no_args_is_help=True, cls=_CommandGroup, **settings)


app = _group(
    "Test the memory of an AI agent on long histories, and get scores with honest error bars.",
    epilog="Example: mabench run bm25 --data synthetic:start",
    pretty_exceptions_enable=False,
)
_data = _group("Inspect, validate or export a data set.")
_cache = _group("Look at or delete the stored replies of language models.")
app.add_typer(_data, name="data", rich_help_panel="Data")
app.add_typer(_cache, name="cache", rich_help_panel="Models")
for _words, _about in opt.WORDS.items():
    _before, _, _name = _words.rpartition(" ")
    _paragraphs = (" ".join(_text.split()) for _text in _about["help"].split("\n\n"))
    _lines = (f"mabench {_words} {_example}".rstrip() for _example in _about["examples"])
    {"": app, "data": _data, "cache": _cache}[_before].command(
        _name,
        cls=_Command,
        help="\n\n".join(_paragraphs),
        epilog="\n".join(("Examples:", *_lines)),
        rich_help_panel=_about.get("panel"),
    )(opt.COMMANDS[_words])


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"mabench {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        opt.option(
            "Help", "--version", "Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Read the options before a command."""
