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
    from rich.progress import ProgressColumn, Task, TaskID


class ProgressBars:
    """Shows the progress of each kind of work while it is used as a context manager.

    Meanwhile, control characters are removed from what agents print.

    Args:
        quiet: whether only failures are shown.
        stopped: returns the message to print before the command exits, if a signal stops the work;
            its argument is the exception that the signal raised. Without it, the exception goes on.
    """

    def __init__(self, quiet: bool = False, stopped: Callable[[Any], str] | None = None) -> None:
        from rich import progress as rich_progress

        self._quiet = quiet
        self._stopped = stopped
        self._console = messages()
        # rich looks up sys.stderr at each use. Set it now: agents may replace it.
        self._console.file = self._console.file
        self._prints_lines = not quiet and not self._console.is_terminal  # Instead of bars.
        self._bars = rich_progress.Progress(
            rich_progress.TextColumn("{task.description}", markup=False),
            rich_progress.BarColumn(),
            rich_progress.MofNCompleteColumn(),
            _make_rate_column(),
            rich_progress.TimeElapsedColumn(),
            rich_progress.TimeRemainingColumn(compact=True),
            rich_progress.TextColumn("{task.fields[note]}", markup=False),
            console=self._console,
            transient=True,
            disable=quiet or not self._console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}  # The bar of each kind of work.

    def __enter__(self) -> Self:
        self._bars.start()
        self._streams = (sys.stdout, sys.stderr)  # To restore them: agents may replace them.
        clean_streams()
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """End the bars; if a signal stopped the work, print the message and exit."""
        sys.stdout, sys.stderr = self._streams
        self._bars.stop()
        # Only interrupts that ``raise_on_signals`` raises have a number.
        signal_number = getattr(error, "number", None)
        is_interrupt = isinstance(error, KeyboardInterrupt)
        if self._stopped and is_interrupt and signal_number is not None:
            self.say(self._stopped(error))
            raise typer.Exit(128 + signal_number) from None  # The exit code that shells expect.

    def start(
        self, work: str, total: int | None, done: int = 0, title: str = "", note: str = ""
    ) -> None:
        """Show a bar for some work, or reset its bar; without bars, print the note.

        Args:
            work: the kind of work, named by its units, such as "rows".
            total: how many units there are; None if that is not known.
            done: how many of them are done already.
            title: what is shown instead of ``work``.
            note: more about the work.
        """
        name, note = printable(title or work), printable(note)
        if work in self._tasks:
            self._bars.reset(self._tasks[work], total=total, completed=done, description=name)
        else:
            self._tasks[work] = self._bars.add_task(name, total=total, completed=done, note="")
        if note and self._prints_lines:
            amount = ""
            if total is not None:
                unit = work.removesuffix("s") if total == 1 else work
                amount = f"{total} {unit}, "
            self.say(f"{name}: {amount}{note}")

    def advance(self, work: str, note: str = "") -> None:
        """Move the bar of ``work`` by one; a note replaces the one next to it."""
        if note:
            self._bars.update(self._tasks[work], note=printable(note))
        self._bars.advance(self._tasks[work])

    def note(self, work: str, note: str) -> None:
        """Show a note next to the bar of ``work``; without bars, print it."""
        if work in self._tasks:
            self._bars.update(self._tasks[work], note=note)
        if self._prints_lines:
            self.say(note)

    def say(self, line: str) -> None:
        """Print a line above the bars, with options for the parameters that it names."""
        self._console.print(in_options(line))


def _make_rate_column() -> ProgressColumn:
    """Return the column of a bar with the units done per second, such as 2.5/s."""
    from rich.progress import ProgressColumn
    from rich.text import Text

    class RateColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            """Return the text of the column; it is empty while nothing is done."""
            if not task.speed:
                return Text("")
            digits = 1 if task.speed < 10 else 0
            return Text(f"{task.speed:,.{digits}f}/s")

    return RateColumn()
