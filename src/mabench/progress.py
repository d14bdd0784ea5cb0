"""The progress of work: one observer for runs, judges, checks and exports."""

from __future__ import annotations

from typing import Any, Protocol


class Progress(Protocol):
    """Shows the progress of work."""

    def start(
        self, work: str, total: int | None, done: int = 0, title: str = "", note: str = ""
    ) -> None:
        """Begin ``work`` ("questions", "chunks"), or begin it again.

        Args:
            work: what its steps are.
            total: the number of steps; None if unknown.
            done: how many steps are done already.
            title: what a screen shows; by default ``work``.
            note: the state in words; without bars, a line of its own.
        """

    def advance(self, work: str, note: str = "") -> None:
        """One more step of ``work`` is done; ``note`` is the latest state in words."""

    def note(self, work: str, note: str) -> None:
        """Show the latest state of ``work`` in words, while no step is done."""

    def say(self, line: str) -> None:
        """Show a line of text: a failure, or where something is stored."""


class NoProgress:
    """Shows nothing."""

    def _ignore(self, *_: Any, **__: Any) -> None:
        pass

    start = advance = note = say = _ignore
