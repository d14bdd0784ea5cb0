"""The engine: runs an agent over every row, some rows at a time, and stores the results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from mabench.data import Question, Row
from mabench.runs.engine.context import RunContext
from mabench.runs.engine.row import RowRun
from mabench.runs.records.sample import Key, Sample, key_of
from mabench.runs.records.store import RunFolder

Work = tuple[Row, list[Question]]


class Executor(Protocol):
    """Runs an agent over one row, here or elsewhere.

    Attributes:
        rows_ahead: how many rows it takes beyond those that it can run at a time.
    """

    rows_ahead: int

    async def run_row(
        self, row: Row, questions: Sequence[Question], stored: Callable[[Sample], None]
    ) -> None:
        """Run the agent over a row; ``stored`` is told of each sample that is stored."""


class LocalExecutor:
    """Runs rows in this process."""

    rows_ahead = 0

    def __init__(self, context: RunContext) -> None:
        self._context = context

    async def run_row(
        self, row: Row, questions: Sequence[Question], stored: Callable[[Sample], None]
    ) -> None:
        """Run the agent over a row."""
        await RowRun(self._context, row, stored).run(questions)


async def run_rows(
    context: RunContext, folder: RunFolder, rows: Iterable[Work], executor: Executor
) -> None:
    """Ask every question that the run folder holds no sample of.

    Args:
        context: what holds for the whole run.
        folder: the run folder.
        rows: the rows, each with the questions to be asked of it; read as they are needed.
        executor: runs the agent over a row.

    Raises:
        MabenchError: when rows, tokenizer data or the run folder fail; an agent's own failures
            are recorded instead.
    """
    stop = context.stop
    tally = _Tally(context)
    done = set(map(tally.resumed, folder.samples()))
    total = sum(folder.record().questions.values())
    if done:
        context.progress.say(
            f"{folder.path}: {len(done)} of {total} questions are answered, "
            f"{total - len(done)} to ask."
        )
    context.progress.start("questions", total, len(done))
    pending = _pending(rows, done)

    async def run_in_turn() -> None:
        while not stop.reason:
            work = next(pending, None)
            if work is None:
                return
            row, questions = work
            await executor.run_row(row, questions, tally.stored)

    with stop.on_signals():
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(context.spec.rows_in_parallel + executor.rows_ahead):
                    tasks.create_task(run_in_turn())
        except ExceptionGroup as failures:
            raise _first(failures) from None
        finally:
            if context.model:
                await context.model.close()


class _Tally:
    """Adds up errors, tokens and dollars; stops the run at one failure or dollar too many."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._errors = 0
        self._tokens = 0
        self._dollars = 0.0
        self._dollars_before = 0.0

    def resumed(self, sample: Sample) -> Key:
        """Count what a sample of an earlier sitting cost, and return its key."""
        self._dollars_before += sample.cost or 0.0
        self._check_cost()
        return sample.key

    def stored(self, sample: Sample) -> None:
        """Count a new sample, and say how far the run is."""
        self._tokens += (sample.input_tokens or 0) + (sample.output_tokens or 0)
        self._dollars += sample.cost or 0.0
        self._errors += sample.error is not None
        self._context.progress.advance("questions", self._note())
        if sample.error is not None:
            self._context.progress.say(
                f"{sample.source}, row {sample.row}, question {sample.question_index}: "
                f"{sample.error}"
            )
            most = self._context.spec.limits.max_errors
            if most is not None and self._errors >= most:
                self._context.stop.ask(f"{self._errors} failed, the last: {sample.error}")
        self._check_cost()

    def _note(self) -> str:
        parts = []
        if self._tokens:
            parts.append(f"{self._tokens:,} tokens, ${self._dollars:.2f}")
        if self._errors:
            parts.append(f"{self._errors} errors")
        return ", ".join(parts)

    def _check_cost(self) -> None:
        most = self._context.spec.max_cost
        spent = self._dollars_before + self._dollars
        if most is not None and spent >= most:
            self._context.stop.by_cost = True
            self._context.stop.ask(f"${spent:.4f} spent of ${most:.4f}")


def _pending(rows: Iterable[Work], done: set[Key]) -> Iterator[Work]:
    """Yield the rows that have questions left, with these."""
    for row, questions in rows:
        left = [question for question in questions if key_of(question) not in done]
        if left:
            yield row, left


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first failure of a group, however deep it lies."""
    failure = failures.exceptions[0]
    return _first(failure) if isinstance(failure, BaseExceptionGroup) else failure
