"""Showing how a run goes: bars on a terminal, a line for each row elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from mabench.cli.console import messages


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "")


class ProgressBars:
    """Shows how work goes: a bar for each kind of it."""

    def __init__(self) -> None:
        self._console = messages()
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._works: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def say(self, line: str) -> None:
        """Print a line beside the bars."""
        self._console.print(line)

    def start(self, work: str, total: int | None, done: int = 0, title: str = "") -> None:
        """Show a bar, or begin it anew."""
        if work not in self._works:
            self._works[work] = self._bars.add_task(work, total=total, note="")
        task = self._works[work]
        self._bars.reset(task, total=total, completed=done, description=title or work)
        if title and not self._console.is_terminal:
            self.say(f"{title}: {total} {work}" if total else title)
        if done:
            left = "" if total is None else f", {total - done} are left"
            self.say(f"{done} of {total} {work} are done{left}.")

    def advance(self, work: str, note: str = "") -> None:
        """Move a bar."""
        self._bars.update(self._works[work], advance=1, note=note)
