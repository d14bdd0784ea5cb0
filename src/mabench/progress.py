"""Telling how far work is: one observer for runs, judges, checks and exports."""

from __future__ import annotations

from typing import Any, Protocol


class Progress(Protocol):
    """Shows the progress of work."""

    def start(
        self, work: str, total: int | None, done: int = 0, title: str = "", note: str = ""
    ) -> None:
        """Begin ``work`` ("questions", "chunks"), or begin it anew.

        Of ``total`` steps, None when that is not known, so many are ``done`` already. A screen
        shows ``title``, or else ``work``, and the note in a line of its own where it has no bars.
        """

    def advance(self, work: str, note: str = "") -> None:
        """Say that one more step of ``work`` is done; ``note`` is the latest state, in words."""

    def note(self, work: str, note: str) -> None:
        """Say the latest state of ``work`` in words, while no step of it is done."""

    def say(self, line: str) -> None:
        """Show a line of text: a failure, or where something is kept."""


class NoProgress:
    """Shows nothing."""

    def _ignore(self, *_: Any, **__: Any) -> None:
        pass

    start = advance = note = say = _ignore
