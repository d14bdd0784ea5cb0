"""Showing how a run goes: bars on a terminal, a line for each row elsewhere."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from mabench.cli.console import messages
from mabench.data import Row
from mabench.runs import Sample


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "")


class ProgressBars:
    """Watches a run: one bar for its questions, one for the chunks of the row in hand."""

    def __init__(self) -> None:
        self.folder = Path()
        self._console = messages()
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[spent]}", markup=False),
            TextColumn("{task.fields[errors]}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._questions = self._bars.add_task(
            "questions", total=None, errors="", spent="", visible=False
        )
        self._chunks = self._bars.add_task("chunks", total=None, errors="", spent="", visible=False)
        self._errors = 0
        self._tokens = 0
        self._dollars = 0.0

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

    def run_started(self, folder: Path, questions: int, answered: int) -> None:
        """Show the bar of the questions."""
        self.folder = folder
        self._bars.update(self._questions, total=questions, completed=answered, visible=True)
        if answered:
            left = questions - answered
            self.say(f"{folder}: {answered} of {questions} questions are answered, {left} to ask.")

    def row_started(self, row: Row, chunks: int) -> None:
        """Show the bar of a row's chunks."""
        name = f"{row.source}, row {row.index}"
        self._bars.reset(self._chunks, total=chunks, description=name, visible=True)
        if not self._console.is_terminal:
            self.say(f"{name}: {chunks} chunks, {len(row.questions)} questions")

    def chunk_memorized(self) -> None:
        """Move the bar of the chunks."""
        self._bars.advance(self._chunks)

    def question_done(self, sample: Sample) -> None:
        """Move the bar of the questions."""
        self._tokens += (sample.input_tokens or 0) + (sample.output_tokens or 0)
        self._dollars += sample.cost or 0.0
        spent = f"{self._tokens:,} tokens, ${self._dollars:.2f}" if self._tokens else ""
        self._bars.update(self._questions, advance=1, spent=spent)
        if sample.error:
            self._errors += 1
            self._bars.update(self._questions, errors=f"{self._errors} errors")
            self.say(
                f"{sample.source}, row {sample.row}, question {sample.question_index}: "
                f"{sample.error}"
            )
