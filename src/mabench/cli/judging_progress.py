"""Showing how judging goes."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from mabench.cli.console import messages
from mabench.runs import Judgment


class JudgingBar:
    """Watches a judge at work; ``failed`` counts the answers that got no verdict."""

    def __init__(self) -> None:
        self.failed = 0
        self._console = messages()
        self._bar = Progress(
            TextColumn("answers judged"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("answers", total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def say(self, line: str) -> None:
        """Print a line beside the bar."""
        self._console.print(line)

    def judging_started(self, answers: int, judged: int) -> None:
        """Show the bar."""
        self._bar.update(self._task, total=answers, completed=judged)
        self.say(f"{answers} answers take a judge; {judged} have its verdict already.")

    def answer_judged(self, judgment: Judgment) -> None:
        """Move the bar; say what failed."""
        self._bar.advance(self._task)
        if judgment.error:
            self.failed += 1
            self.say(
                f"{judgment.source}, row {judgment.row}, question {judgment.question_index}: "
                f"{judgment.error}"
            )
