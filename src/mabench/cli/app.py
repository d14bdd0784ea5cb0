"""Assembles the commands into one program, with its help and its errors about arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from mabench._version import __version__
from mabench.cli import (  # noqa: F401 - their commands
    agents,
    citing,
    comparing,
    data,
    demo,
    gating,
    judging,
    observing,
    questions,
    results,
    run,
    stress,
    viewing,
)
from mabench.cli import options as opt
from mabench.cli.console import command_line, results_alone
from mabench.errors import EXPECTED, UsageError, nearest, unknown
from mabench.redact import names_secret, redact_line

# What people type for an option of the whole program.
_OTHER_WORDS = {"help": "--help", "version": "--version"}


def _place_in_help(option: Any) -> Any:
    """Return an option with its group and layout in the help."""
    if getattr(option, "rich_help_panel", None) is None and option.opts[0].startswith("--"):
        option.rich_help_panel = "Help"
    if getattr(option, "is_flag", False) and option.metavar is None:
        option.metavar = ""  # Newer versions of typer show a type, as if a flag took a value.
    if isinstance(option.default, float) and option.default.is_integer():
        option.default = int(option.default)  # 600 and not 600.0 in the help.
    if not option.opts[0].startswith("--"):
        option.display_type_rich = lambda ctx: None  # No type: name and help are enough.
    return option


class _CommandGroup(TyperGroup):
    """A group of commands; it prints its help if no command is named."""

    def get_params(self, ctx: Any) -> Any:
        return [_place_in_help(option) for option in super().get_params(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            return super().parse_args(ctx, args)  # This prints the help.
        is_whole_program = ctx.parent is None
        if is_whole_program and args[0] in _OTHER_WORDS:
            args = [*args[1:], _OTHER_WORDS[args[0]]]
        with _rephrase_errors(self, ctx):
            return super().parse_args(ctx, _with_long_help(args))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.commands:
            rest = f"{_help_of(ctx)} lists them"
            raise UsageError(unknown("no command", args[0], self.commands, rest))
        return super().resolve_command(ctx, args)


class _Command(TyperCommand):
    """A command whose results alone go to standard output."""

    def get_params(self, ctx: Any) -> Any:
        return [_place_in_help(option) for option in super().get_params(ctx)]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        # Newer versions of typer put required arguments in braces.
        pieces = super().collect_usage_pieces(ctx)
        return [piece.lstrip("{").replace("}", "") for piece in pieces]

    def invoke(self, ctx: Any) -> Any:
        with results_alone():
            return super().invoke(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "" in args:  # It would mean the current folder, or the default agent.
            raise UsageError("an argument is empty; leave it out, or check the variable it is from")
        with _rephrase_errors(self, ctx):
            return super().parse_args(ctx, _with_long_help(args))


def _with_long_help(args: Iterable[str]) -> list[str]:
    """Return arguments with ``--help`` for ``-h``."""
    return ["--help" if arg == "-h" else arg for arg in args]


@contextmanager
def _rephrase_errors(command: Any, ctx: Any) -> Iterator[None]:
    """Turn typer's errors about arguments into a ``UsageError`` of one line."""
    try:
        yield
    except Exception as raised:  # Typer has moved its error classes more than once.
        if not hasattr(raised, "format_message"):
            raise
        error: Any = raised
        kind = type(error).__name__
        problem, hint = _describe_wrong_value(error), f"; see {_help_of(ctx)}"
        if kind == "MissingParameter":
            problem = f"{ctx.info_name} needs {_name_of(error)}"
        elif kind == "NoSuchOption":
            similar = _similar_options(error.option_name, command.get_params(ctx))
            if not similar and names_secret(error.option_name.lstrip("-")):
                raise UsageError(_key_remedy(error.option_name)) from None
            suggestion = f": did you mean {' or '.join(similar)}? " if similar else "; "
            problem = f"no option {error.option_name}{suggestion}"
            hint = f"{_help_of(ctx)} lists them"
        raise UsageError(f"{problem}{hint}") from None


def _key_remedy(option: str) -> str:
    """Return where a key is to be put that somebody wants to give as an option."""
    return (
        f"no option {option}: a key is read from the environment, where no list of processes and "
        "no history of commands shows it: set OPENAI_API_KEY"
    )


def _similar_options(name: str, parameters: Iterable[Any]) -> list[str]:
    """Return the options whose names resemble a name, the most similar first."""
    # Compared without dashes, which would make any two options look alike.
    options = {option.lstrip("-"): option for each in parameters for option in each.opts}
    return [options[word] for word in nearest(name.lstrip("-"), options)]


def _help_of(ctx: Any) -> str:
    """Return the command line that prints the help of a command, in backquotes."""
    words = ["--help"]
    while ctx.parent is not None:
        words.insert(0, ctx.info_name)
        ctx = ctx.parent
    return f"`{command_line(*words)}`"


def _describe_wrong_value(error: Any) -> str:
    """Return what is wrong with the value of an option or an argument."""
    if hasattr(error.__cause__, "errors"):  # An error of pydantic.
        first = error.__cause__.errors()[0]
        expected = EXPECTED.get(first["type"])
        if expected:
            return f"{_name_of(error)} must be {expected}, not {first['input']!r}"
    said = re.sub(r"^(dir|file) ", "", error.message.rstrip(".")).replace("directory", "folder")
    if said.startswith("Got unexpected extra argument"):
        others = redact_line(said.partition(" (")[2][:-1])
        if error.ctx.info_name == "run":
            return f"run takes one agent, so not {others}; for several use `mabench race`"
        return f"unexpected argument: {others}"
    without_value = re.match(r"Option '(.*)' requires an argument", said)
    if without_value:
        return f"{without_value[1]} needs a value"
    name = _name_of(error)
    return f"{name}: {said}" if name else said[:1].lower() + said[1:]


def _name_of(error: Any) -> str:
    """Return the name of the option or the argument of an error, if it has one."""
    parameter = getattr(error, "param", None)
    if not parameter:
        return ""
    options = [name for name in parameter.opts if name.startswith("--")]
    return str(options[0] if options else parameter.metavar)


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


def _add_command(words: str, about: Mapping[str, Any]) -> None:
    """Add a command, such as "data show", with its help from ``commands.toml``."""
    group, _, name = words.rpartition(" ")
    paragraphs = [" ".join(text.split()) for text in about["help"].split("\n\n")]
    examples = [f"mabench {words} {example}".rstrip() for example in about["examples"]]
    add = {"": app, "data": _data, "cache": _cache}[group].command(
        name,
        cls=_Command,
        help="\n\n".join(paragraphs),
        epilog="\n".join(("Examples:", *examples)),
        rich_help_panel=about.get("panel"),
    )
    add(opt.COMMANDS[words])


for _words, _about in opt.COMMAND_TEXTS.items():
    _add_command(_words, _about)


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
    """Read the options that come before a command."""
