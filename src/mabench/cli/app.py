"""Assembles the commands into one program, with its help and its errors about arguments.

The library typer reads the command line. Here its help texts and its messages are adapted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from mabench._version import __version__
from mabench.cli import (  # noqa: F401 - importing them registers their commands in opt.COMMANDS
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

# Words that people type as if they were commands, and the option of the program that they mean.
_WORDS_FOR_OPTIONS = {"help": "--help", "version": "--version"}


def _adapt_help(parameter: Any) -> Any:
    """Change how typer's help shows an option or an argument, and return it."""
    is_argument = not parameter.opts[0].startswith("--")
    if is_argument:
        parameter.display_type_rich = lambda ctx: None  # No type: name and help are enough.
    elif getattr(parameter, "rich_help_panel", None) is None:
        parameter.rich_help_panel = "Help"  # The group of --help and --version, which typer adds.
    if getattr(parameter, "is_flag", False) and parameter.metavar is None:
        parameter.metavar = ""  # Newer versions of typer show a type, as if a flag took a value.
    if isinstance(parameter.default, float) and parameter.default.is_integer():
        parameter.default = int(parameter.default)  # 600 and not 600.0 in the help.
    return parameter


class _CommandGroup(TyperGroup):
    """A group of commands, or the whole program; it prints its help if no command is named."""

    def get_params(self, ctx: Any) -> Any:
        """Return the options of the group itself, as the help shows them."""
        return [_adapt_help(parameter) for parameter in super().get_params(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the group's own options, and return the words that follow them."""
        if not args:
            return super().parse_args(ctx, args)  # This prints the help.
        is_whole_program = ctx.parent is None
        if is_whole_program and args[0] in _WORDS_FOR_OPTIONS:
            # `mabench help run` means `mabench run --help`.
            args = [*args[1:], _WORDS_FOR_OPTIONS[args[0]]]
        with _rephrase_errors(self, ctx):
            return super().parse_args(ctx, _with_long_help(args))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return what typer finds for the command named first; refuse an unknown name."""
        if args[0] not in self.commands:
            rest = f"{_help_of(ctx)} lists them"
            raise UsageError(unknown("no command", args[0], self.commands, rest))
        return super().resolve_command(ctx, args)


class _Command(TyperCommand):
    """A command; only its results go to standard output."""

    def get_params(self, ctx: Any) -> Any:
        """Return the options and arguments of the command, as the help shows them."""
        return [_adapt_help(parameter) for parameter in super().get_params(ctx)]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the placeholders of the usage line, such as "[OPTIONS]" and "AGENT"."""
        # Newer versions of typer put required arguments in braces.
        pieces = super().collect_usage_pieces(ctx)
        return [piece.lstrip("{").replace("}", "") for piece in pieces]

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what agents and libraries print goes to standard error."""
        with results_alone():
            return super().invoke(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options and arguments, and return the words that are left."""
        if "" in args:  # It would mean the current folder, or the default agent.
            raise UsageError("an argument is empty; leave it out, or check the variable it is from")
        with _rephrase_errors(self, ctx):
            return super().parse_args(ctx, _with_long_help(args))


def _with_long_help(args: Iterable[str]) -> list[str]:
    """Return arguments with ``--help`` for ``-h``."""
    return ["--help" if arg == "-h" else arg for arg in args]


@contextmanager
def _rephrase_errors(command: Any, ctx: Any) -> Iterator[None]:
    """Turn typer's errors about the arguments of a command into a ``UsageError`` of one line."""
    try:
        yield
    except Exception as error:
        # Typer has moved its error classes more than once, so they are known by this method and
        # by their names.
        if not hasattr(error, "format_message"):
            raise
        raise UsageError(_describe_argument_error(error, command, ctx)) from None


def _describe_argument_error(error: Any, command: Any, ctx: Any) -> str:
    """Return one line about typer's error: what is wrong, and how to see what is right."""
    kind = type(error).__name__
    if kind == "MissingParameter":
        return f"{ctx.info_name} needs {_name_of(error)}; see {_help_of(ctx)}"
    if kind == "NoSuchOption":
        return _describe_unknown_option(error.option_name, command.get_params(ctx), ctx)
    return f"{_describe_wrong_value(error)}; see {_help_of(ctx)}"


def _describe_unknown_option(name: str, parameters: Iterable[Any], ctx: Any) -> str:
    """Return a message about an option that the command does not have."""
    similar = _similar_options(name, parameters)
    if similar:
        return f"no option {name}: did you mean {' or '.join(similar)}? {_help_of(ctx)} lists them"
    if names_secret(name.lstrip("-")):  # Such as --api-key.
        return (
            f"no option {name}: a key is read from the environment, where no list of processes and "
            "no history of commands shows it: set OPENAI_API_KEY"
        )
    return f"no option {name}; {_help_of(ctx)} lists them"


def _similar_options(name: str, parameters: Iterable[Any]) -> list[str]:
    """Return the options whose names resemble a name, the most similar first."""
    # Compared without dashes, which would make any two options look alike.
    by_bare_name = {
        option.lstrip("-"): option for parameter in parameters for option in parameter.opts
    }
    return [by_bare_name[bare] for bare in nearest(name.lstrip("-"), by_bare_name)]


def _help_of(ctx: Any) -> str:
    """Return the command line that prints the help of a command or group, in backquotes.

    ``ctx`` is typer's context of it; a context's ``parent`` is that of the group around it.
    """
    names: list[str] = []
    while ctx.parent is not None:
        names.insert(0, ctx.info_name)
        ctx = ctx.parent
    return f"`{command_line(*names, '--help')}`"


def _describe_wrong_value(error: Any) -> str:
    """Return typer's message about an option's or argument's value, in our words."""
    if hasattr(error.__cause__, "errors"):  # An error of pydantic.
        fault = error.__cause__.errors()[0]
        expected = EXPECTED.get(fault["type"])
        if expected:
            return f"{_name_of(error)} must be {expected}, not {fault['input']!r}"
    message = re.sub(r"^(dir|file) ", "", error.message.rstrip(".")).replace("directory", "folder")
    if message.startswith("Got unexpected extra argument"):
        # Typer writes: Got unexpected extra arguments (one two).
        in_parentheses = message.partition(" (")[2].removesuffix(")")
        unexpected = redact_line(in_parentheses)
        if error.ctx.info_name == "run":
            return f"run takes one agent, so not {unexpected}; for several use `mabench race`"
        return f"unexpected argument: {unexpected}"
    without_value = re.match(r"Option '(.*)' requires an argument", message)
    if without_value:
        return f"{without_value[1]} needs a value"
    name = _name_of(error)
    return f"{name}: {message}" if name else message[:1].lower() + message[1:]


def _name_of(error: Any) -> str:
    """Return the option, or the placeholder of the argument, of an error; empty if it has none."""
    parameter = getattr(error, "param", None)
    if not parameter:
        return ""
    options = [name for name in parameter.opts if name.startswith("--")]
    return str(options[0] if options else parameter.metavar)


def _make_group(help_text: str, **settings: Any) -> typer.Typer:
    """Return a group without commands; ``settings`` are further arguments for typer."""
    return typer.Typer(help=help_text, no_args_is_help=True, cls=_CommandGroup, **settings)


app = _make_group(
    "Test the memory of an AI agent on long histories, and get scores with honest error bars.",
    epilog="Example: mabench run bm25 --data synthetic:start",
    pretty_exceptions_enable=False,
)
_data = _make_group("Inspect, validate or export a data set.")
_cache = _make_group("Look at or delete the stored replies of language models.")
app.add_typer(_data, name="data", rich_help_panel="Data")
app.add_typer(_cache, name="cache", rich_help_panel="Models")


def _add_command(command: str, texts: Mapping[str, Any]) -> None:
    """Add a command, such as "data show", to the program, with its texts of ``commands.toml``."""
    group_name, _, name = command.rpartition(" ")
    group = {"": app, "data": _data, "cache": _cache}[group_name]
    # In the file, paragraphs are broken into lines and have an empty line between them.
    paragraphs = [" ".join(text.split()) for text in texts["help"].split("\n\n")]
    examples = [f"mabench {command} {example}".rstrip() for example in texts["examples"]]
    register = group.command(
        name,
        cls=_Command,
        help="\n\n".join(paragraphs),
        epilog="\n".join(("Examples:", *examples)),
        rich_help_panel=texts.get("panel"),
    )
    register(opt.COMMANDS[command])


for _name, _texts in opt.COMMAND_TEXTS.items():
    _add_command(_name, _texts)


def _print_version(is_given: bool) -> None:
    """Print the version and exit, if ``--version`` is given."""
    if is_given:
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
    """Declare the options of the whole program; each does its work in its callback."""
