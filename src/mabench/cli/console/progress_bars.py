"""Shows progress on standard error: bars on a terminal, lines of text elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import typer

from mabench.cli.console.option_names import in_options
from mabench.cli.console.printing import messages
from mabench.printable import printable
from mabench.redact import clean_streams

if TYPE_CHECKING:
    from rich.progress import Task, TaskID


class ProgressBars:
    """Shows the progress of each kind of work while it is used as a context manager.

    Meanwhile, control characters are removed from what agents print. If ``quiet``, only failures
    are shown. If a signal stops the work, the message that ``stopped`` returns for the interrupt is
    printed, and the command exits.
    """

    def __init__(self, quiet: bool = False, stopped: Callable[[Any], str] | None = None) -> None:
        from rich import progress as bars
        from rich.text import Text

        class Rate(bars.ProgressColumn):
            def render(self, task: Task) -> Text:
                if not task.speed:
                    return Text("")
                digits = 1 if task.speed < 10 else 0
                return Text(f"{task.speed:,.{digits}f}/s")

        self._quiet = quiet
        self._stopped = stopped
        self._console = messages()
        self._console.file = self._console.file  # Set now: agents may replace sys.stderr.
        self._bars = bars.Progress(
            bars.TextColumn("{task.description}", markup=False),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            Rate(),
            bars.TimeElapsedColumn(),
            bars.TimeRemainingColumn(compact=True),
            bars.TextColumn("{task.fields[note]}", markup=False),
            console=self._console,
            transient=True,
            disable=quiet or not self._console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        self._streams = (sys.stdout, sys.stderr)  # To restore them: agents may replace them.
        clean_streams()
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """End the bars; if a signal stopped the work, print how and exit."""
        sys.stdout, sys.stderr = self._streams
        self._bars.stop()
        signal_number = getattr(error, "number", None)
        is_interrupt = isinstance(error, KeyboardInterrupt)
        if self._stopped and is_interrupt and signal_number is not None:
            self.say(self._stopped(error))
            raise typer.Exit(128 + signal_number) from None

    def start(
        self, work: str, total: int | None, done: int = 0, title: str = "", note: str = ""
    ) -> None:
        """Show a bar for some work, or reset its bar; without bars, print the note."""
        name, note = printable(title or work), printable(note)
        if work in self._tasks:
            self._bars.reset(self._tasks[work], total=total, completed=done, description=name)
        else:
            self._tasks[work] = self._bars.add_task(name, total=total, completed=done, note="")
        if note and not (self._quiet or self._console.is_terminal):
            amount = ""
            if total is not None:
                unit = work.removesuffix("s") if total == 1 else work
                amount = f"{total} {unit}, "
            self.say(f"{name}: {amount}{note}")

    def advance(self, work: str, note: str = "") -> None:
        """Move the bar of ``work``; a note replaces the one next to it."""
        if note:
            self._bars.update(self._tasks[work], note=printable(note))
        self._bars.advance(self._tasks[work])

    def note(self, work: str, note: str) -> None:
        """Show a note next to the bar of ``work``; without bars, print it."""
        if work in self._tasks:
            self._bars.update(self._tasks[work], note=note)
        if not (self._quiet or self._console.is_terminal):
            self.say(note)

    def say(self, line: str) -> None:
        """Print a line above the bars, with options for the parameters that it names."""
        self._console.print(in_options(line))
