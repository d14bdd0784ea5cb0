"""Showing how far work is: bars on a terminal, lines of text elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Self

import typer
from rich import progress as bars
from rich.text import Text

from mabench.cli.console import messages
from mabench.printable import clean_streams, printable


class _Rate(bars.ProgressColumn):
    def render(self, task: bars.Task) -> Text:
        return Text(f"{task.speed:,.{task.speed < 10:d}f}/s" if task.speed else "")


class ProgressBars:
    """Shows on standard error how far work is, with a bar for each kind of it.

    Meanwhile what agents print is cleaned of what a terminal obeys. When ``quiet``, only failures
    are shown. ``stopped`` makes of an interrupt what to say when a signal stops the work, after
    which the command exits.
    """

    def __init__(self, quiet: bool = False, stopped: Callable[[Any], str] | None = None) -> None:
        self._quiet = quiet
        self._stopped = stopped
        self._console = messages()
        self._console.file = self._console.file  # Of now, whatever agents do to sys.stderr.
        self._bars = bars.Progress(
            bars.TextColumn("{task.description}", markup=False),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            _Rate(),
            bars.TimeElapsedColumn(),
            bars.TimeRemainingColumn(),
            bars.TextColumn("{task.fields[note]}", markup=False),
            console=self._console,
            transient=True,
            disable=quiet or not self._console.is_terminal,
        )
        self._tasks: dict[str, bars.TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        self._streams = sys.stdout, sys.stderr  # An agent may replace or close them.
        clean_streams()
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        sys.stdout, sys.stderr = self._streams
        self._bars.stop()
        number = getattr(error, "number", None)
        if self._stopped and isinstance(error, KeyboardInterrupt) and number is not None:
            self.say(self._stopped(error))
            raise typer.Exit(128 + number) from None

    def start(
        self, work: str, total: int | None, done: int = 0, title: str = "", note: str = ""
    ) -> None:
        """Show a bar, or reset that of the same work; where there are none, say the note."""
        name, note = printable(title or work), printable(note)
        if work in self._tasks:
            self._bars.reset(self._tasks[work], total=total, completed=done, description=name)
        else:
            self._tasks[work] = self._bars.add_task(name, total=total, completed=done, note="")
        if note and not (self._quiet or self._console.is_terminal):
            amount = "" if total is None else f"{total} {work if total != 1 else work[:-1]}, "
            self.say(f"{name}: {amount}{note}")

    def advance(self, work: str, note: str = "") -> None:
        """Move the bar of ``work``; a note replaces the one beside it."""
        if note:
            self._bars.update(self._tasks[work], note=printable(note))
        self._bars.advance(self._tasks[work])

    def note(self, work: str, note: str) -> None:
        """Show a note beside the bar of ``work``; where there are no bars, say it."""
        if work in self._tasks:
            self._bars.update(self._tasks[work], note=note)
        if not (self._quiet or self._console.is_terminal):
            self.say(note)

    def say(self, line: str) -> None:
        """Print a line beside the bars."""
        self._console.print(line)
