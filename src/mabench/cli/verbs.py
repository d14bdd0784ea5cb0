"""Verbs that say which option was meant where one is cut short."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class Verb(TyperCommand):
    """A verb; of an unknown option it also names those that begin with it."""

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
