"""Verbs: how they read their arguments, and how their help is laid out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from typer.core import TyperCommand, TyperGroup

from mabench.cli.console import results_alone

# Every verb that has ``--format`` took ``--json``.
_JSON: Mapping[str, tuple[str, ...]] = {"--json": ("--format", "json")}


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
    """A verb; of an unknown option it also names those that begin with it.

    Attributes:
        old_names: options that were called otherwise before, by their old names, which are still
            taken; with what stands in their place.
    """

    old_names: ClassVar[Mapping[str, tuple[str, ...]]] = {}

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
            return super().parse_args(ctx, self._with_new_names(ctx, args))
        except Exception as error:  # Typer has moved the class of this error more than once.
            if hasattr(error, "possibilities") and hasattr(error, "option_name"):
                options = (name for one in self.get_params(ctx) for name in one.opts)
                meant = {name for name in options if name.startswith(error.option_name)}
                error.possibilities = sorted({*(error.possibilities or ()), *meant})
            raise

    def _with_new_names(self, ctx: Any, args: list[str]) -> list[str]:
        """Return the arguments with the options of old names under their new ones."""
        known = {name for one in self.get_params(ctx) for name in one.opts}
        new_names = {**(_JSON if "--format" in known else {}), **self.old_names}
        end = args.index("--") if "--" in args else len(args)
        words: list[str] = []
        for word in args[:end]:
            name, equals, value = word.partition("=")
            *before, last = new_names.get(name, (name,))
            words += [*before, f"{last}{equals}{value}"]
        return [*words, *args[end:]]


def with_old_names(**new_names: str) -> type[Verb]:
    """Return the class of a verb whose options had other names: ``judge_model="--model"``."""
    old_names = {f"--{old.replace('_', '-')}": (new,) for old, new in new_names.items()}
    return type("Verb", (Verb,), {"old_names": old_names})
