"""Verbs: how they read their arguments, and how their help is laid out."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from mabench.cli.console import results_alone


class Group(TyperGroup):
    """Verbs with a first word in common; its options stand in a group of their own."""

    def get_params(self, ctx: Any) -> Any:
        """Return the options, those of typer's own with the help."""
        return [_in_a_group(option) for option in super().get_params(ctx)]


def _in_a_group(option: Any) -> Any:
    if getattr(option, "rich_help_panel", None) is None and option.opts[0].startswith("--"):
        option.rich_help_panel = "Help"
    if getattr(option, "is_flag", False) and option.metavar is None:
        option.metavar = ""  # Else newer typers show a type, as if a flag took a value.
    return option


class Verb(TyperCommand):
    """A verb; of an unknown option it also names those that begin with it."""

    def __init__(self, *args: Any, help: str | None = None, **settings: Any) -> None:  # noqa: A002
        # Paragraphs of docstrings are lines of source; a terminal has another width.
        paragraphs = (" ".join(one.split()) for one in (help or "").split("\n\n"))
        super().__init__(*args, help="\n\n".join(paragraphs), **settings)

    def get_params(self, ctx: Any) -> Any:
        """Return the arguments and options, each option in a group."""
        return [_in_a_group(option) for option in super().get_params(ctx)]

    def invoke(self, ctx: Any) -> Any:
        """Carry the verb out."""
        with results_alone():
            return super().invoke(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # Typer has moved the class of this error more than once.
            if hasattr(error, "possibilities") and hasattr(error, "option_name"):
                options = (name for one in self.get_params(ctx) for name in one.opts)
                meant = {name for name in options if name.startswith(error.option_name)}
                error.possibilities = sorted({*(error.possibilities or ()), *meant})
            raise
