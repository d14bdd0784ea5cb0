"""The verbs, put together: how they read their arguments, and how their help is laid out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from mabench._version import __version__
from mabench.cli import data, lists
from mabench.cli import options as opt
from mabench.cli.compare import compare
from mabench.cli.console import results_alone
from mabench.cli.examples import EXAMPLES
from mabench.cli.judge import judge
from mabench.cli.race import plan, race
from mabench.cli.results import export, page, report, score, show
from mabench.cli.run import check, run, sweep
from mabench.cli.stress import stress


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
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # Typer has moved the class of this error more than once.
            if hasattr(error, "possibilities") and hasattr(error, "option_name"):
                options = (name for option in self.get_params(ctx) for name in option.opts)
                meant = {name for name in options if name.startswith(error.option_name)}
                error.possibilities = sorted({*(error.possibilities or ()), *meant})
            raise


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
