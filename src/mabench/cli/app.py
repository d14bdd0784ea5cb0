"""The verbs, put together: how they read their arguments, and how their help is laid out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from mabench._version import __version__
from mabench.cli import data, lists
from mabench.cli import options as opt
from mabench.cli.check import check, stress
from mabench.cli.commands import program
from mabench.cli.compare import compare, plan
from mabench.cli.console import results_alone
from mabench.cli.results import export, judge, page, report, score, show
from mabench.cli.run import race, run, sweep
from mabench.errors import UsageError
from mabench.suggestions import EXPECTED, nearest, unknown

# Two of each command, with which its help ends; a test runs them.
EXAMPLES = {
    "run": ("bm25 --data synthetic:start", "my_agent:MyMemory --set k=5 --limit-questions 5"),
    "sweep": (
        "bm25 --source ruler_qa1 --knob tokens=2k,4k",
        "bm25 floor --source eventqa --knob tokens=4k,8k --knob questions=5",
    ),
    "check": ("bm25", "my_agent:MyMemory --timeout 30"),
    "stress": ("bm25 --for 5", "my_agent:MyMemory --for 5 --seed 7 --out report.json"),
    "compare": ("1 2", "runs/* --format latex"),
    "plan": ("1 2 --difference 10", "bm25 floor --difference 5"),
    "race": (
        "bm25 floor --data synthetic:factconsolidation_mh --tokens 6k --max-histories 6",
        "bm25 floor --data synthetic:ruler_qa1 --tokens 8k --questions 10 --max-hours 0.01",
    ),
    "runs": ("", "--format json"),
    "show": ("1 --why misread", "1 --source ruler_qa1 --row 0 --question 2"),
    "report": ("1", "1 --beside BM25"),
    "page": ("1", "runs/* --out runs.html"),
    "export": ("runs/* --to csv --out answers.csv", "1 --to inspect --out logs"),
    "score": ("1", "answers.jsonl --data synthetic:start --answered-only"),
    "leaderboard": ("", "1 --format csv"),
    "judge": ("1 --model openai/gpt-4o", "1 --model openai/gpt-4o --prompts paper --max-cost 2"),
    "audit": ("synthetic:start", "my-rows --format json"),
    "generate": (
        "ruler_qa1 --tokens 4k --rows 2 --out rows",
        "eventqa --tokens 20k --seed 7 --difficulty hard --out hard-rows",
    ),
    "sources": ("", "--format json"),
    "agents": ("", "--format json"),
    "data validate": ("my-rows", "synthetic:small"),
    "data init": ("my-rows", "my-chats --like chats"),
    "data import": ("locomo locomo10.json --out rows", "beam chats/100K --out beam-rows"),
    "data page": ("synthetic:small", "my-rows --out my-rows.html"),
    "data show": ("synthetic:small", "my-rows --row 0 --question 1"),
    "data export": ("synthetic:small rows", "my-rows questions.jsonl --as-questions"),
    "data chunks": ("my-rows", "synthetic:small --protocol paper"),
    "cache show": ("", "--folder replies"),
    "cache clear": ("", "--folder replies"),
}


def _in_a_group(option: Any) -> Any:
    if getattr(option, "rich_help_panel", None) is None and option.opts[0].startswith("--"):
        option.rich_help_panel = "Help"
    if getattr(option, "is_flag", False) and option.metavar is None:
        option.metavar = ""  # Else newer typers show a type, as if a flag took a value.
    if not option.opts[0].startswith("--"):
        option.display_type_rich = lambda ctx: None  # Its name and help say it in words.
    return option


class _VerbGroup(TyperGroup):
    """Verbs with a first word in common; its options stand in a group of their own."""

    def get_params(self, ctx: Any) -> Any:
        return [_in_a_group(option) for option in super().get_params(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            return super().parse_args(ctx, args)  # It prints the help.
        with _in_our_words(self, ctx):
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.commands:
            rest = f"{_help_of(ctx)} lists them"
            raise UsageError(unknown("no command", args[0], self.commands, rest))
        return super().resolve_command(ctx, args)


class _Verb(TyperCommand):
    """A verb; of an unknown option it also names those that begin with it."""

    def __init__(self, *args: Any, help: str | None = None, **settings: Any) -> None:  # noqa: A002
        # Paragraphs of docstrings are lines of source; a terminal has another width.
        paragraphs = (" ".join(text.split()) for text in (help or "").split("\n\n"))
        super().__init__(*args, help="\n\n".join(paragraphs), **settings)

    def get_params(self, ctx: Any) -> Any:
        return [_in_a_group(option) for option in super().get_params(ctx)]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces = super().collect_usage_pieces(ctx)  # Newer typers put what is required in braces.
        return [piece.lstrip("{").replace("}", "") for piece in pieces]

    def invoke(self, ctx: Any) -> Any:
        with results_alone():
            return super().invoke(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "" in args:  # It would be the current folder, or the default agent.
            raise UsageError("an argument is empty; leave it out, or check the variable it is from")
        with _in_our_words(self, ctx):
            return super().parse_args(ctx, args)


@contextmanager
def _in_our_words(command: Any, ctx: Any) -> Iterator[None]:
    """Say what typer says of wrong arguments in a line of ours."""
    try:
        yield
    except Exception as raised:  # Typer has moved the classes of its errors more than once.
        if not hasattr(raised, "format_message"):
            raise
        error: Any = raised
        kind, see = type(error).__name__, f"; see {_help_of(ctx)}"
        problem = _wrong_value(error)
        if kind == "MissingParameter":
            problem = f"{ctx.info_name} needs {_name_of(error)}"
        elif kind == "NoSuchOption":
            # By their words: the dashes would make any two of them alike.
            names = [name for param in command.get_params(ctx) for name in param.opts]
            options = {name.lstrip("-"): name for name in names}
            near = [options[word] for word in nearest(error.option_name.lstrip("-"), options)]
            hint = f": did you mean {' or '.join(near)}? " if near else "; "
            problem, see = f"no option {error.option_name}{hint}", f"{_help_of(ctx)} lists them"
        raise UsageError(f"{problem}{see}") from None


def _help_of(ctx: Any) -> str:
    words = ["--help"]
    while ctx.parent is not None:
        words.insert(0, ctx.info_name)
        ctx = ctx.parent
    return f"`{' '.join([program(), *words])}`"


def _wrong_value(error: Any) -> str:
    faults = error.__cause__.errors() if hasattr(error.__cause__, "errors") else []
    if faults and (expected := EXPECTED.get(faults[0]["type"])):
        return f"{_name_of(error)} must be {expected}, not {faults[0]['input']!r}"
    said = re.sub(r"^(dir|file) ", "", error.message.rstrip(".")).replace("directory", "folder")
    if said.startswith("Got unexpected extra argument"):
        return f"no argument is expected after the others: {said.partition(' (')[2][:-1]}"
    if lacking := re.match(r"Option '(.*)' requires an argument", said):
        return f"{lacking[1]} needs a value"
    name = _name_of(error)
    return f"{name}: {said}" if name else said[:1].lower() + said[1:]


def _name_of(error: Any) -> str:
    """Return the option or the argument of an error as the help has it; empty if it has none."""
    if not (param := getattr(error, "param", None)):
        return ""
    return str(next((name for name in param.opts if name.startswith("--")), param.metavar))


def _add(group: typer.Typer, panel: str | None, verbs: Iterable[Any], before: str = "") -> None:
    for verb in verbs:
        name = verb.__name__.partition("_")[0]
        lines = (f"mabench {before}{name} {words}".rstrip() for words in EXAMPLES[before + name])
        epilog = "\n".join(("Examples:", *lines))
        group.command(name, cls=_Verb, epilog=epilog, rich_help_panel=panel)(verb)


def _group(help_text: str, **settings: Any) -> typer.Typer:
    return typer.Typer(help=help_text, no_args_is_help=True, cls=_VerbGroup, **settings)


app = _group(
    "Run MemoryAgentBench over any agent with a memory, and get scores that can be trusted.",
    epilog="Example: mabench run bm25 --data synthetic:start",
    pretty_exceptions_enable=False,
)
_add(app, "Run and compare", (run, compare, race, plan, sweep, check, stress, score))
_add(app, "Look", (lists.runs, show, report, page, lists.leaderboard, export))
_add(app, "Data", (data.generate, lists.sources, lists.audit))
_add(app, "Models", (judge,))
_add(app, "More", (lists.agents,))
_data = _group("Inspect, validate or export a data set.")
_add(
    _data,
    None,
    (data.validate, data.init, data.import_, data.show, data.page, data.export, data.chunks),
    "data ",
)
app.add_typer(_data, name="data", rich_help_panel="Data")
_cache = _group("Look at or delete the stored replies of language models.")
_add(_cache, None, (lists.show_cache, lists.clear_cache), "cache ")
app.add_typer(_cache, name="cache", rich_help_panel="Models")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"mabench {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, opt.about("--version", "Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Take the options that stand before a verb."""
