"""Telling how far work is: one observer for runs, judges, checks and exports."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told how work goes, to show it."""

    def start(
        self, work: str, total: int | None, done: int = 0, title: str = "", note: str = ""
    ) -> None:
        """Begin ``work`` ("questions", "chunks"), or begin it anew.

        Args:
            work: names the work in later calls.
            total: how many steps it has; None when that is not known.
            done: how many of them are done already.
            title: what to call it on a screen; ``work`` when empty.
            note: what else to say about it; shown in a line of its own where there are no bars.
        """

    def advance(self, work: str, note: str = "") -> None:
        """Say that one more step of ``work`` is done; ``note`` is the latest state, in words."""

    def note(self, work: str, note: str) -> None:
        """Say the latest state of ``work`` in words, while no step of it is done."""

    def say(self, line: str) -> None:
        """Show a line of text: a failure, or where something is kept."""


class NoProgress(Progress):
    """Shows nothing."""
