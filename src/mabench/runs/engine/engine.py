"""The engine: runs an agent over every row, some rows at a time, and stores the results."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from mabench.data import Question, Row
from mabench.models import ModelUnavailableError
from mabench.runs.engine.context import RunContext, Stored
from mabench.runs.engine.outages import outages_told
from mabench.runs.engine.row import RowRun
from mabench.runs.engine.tally import Tally
from mabench.runs.records.sample import Key, key_of
from mabench.runs.records.store import RunFolder

Work = tuple[Row, list[Question]]


class Executor(Protocol):
    """Runs an agent over one row, here or elsewhere.

    Attributes:
        rows_ahead: how many rows it takes beyond those that it can run at a time.
    """

    rows_ahead: int

    async def run_row(self, row: Row, questions: Sequence[Question], stored: Stored) -> None:
        """Run the agent over a row; ``stored`` is told of each sample that is stored."""


class LocalExecutor:
    """Runs rows in this process."""

    rows_ahead = 0

    def __init__(self, context: RunContext) -> None:
        self._context = context

    async def run_row(self, row: Row, questions: Sequence[Question], stored: Stored) -> None:
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
    tally = Tally(context, folder)
    done = tally.done
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
            try:
                await executor.run_row(row, questions, tally.stored)
            except* ModelUnavailableError as failures:
                stop.ask(str(_first(failures)))

    with stop.on_signals(), stop.halting(context.model), tally.bounded():
        try:
            async with (
                outages_told(context.model, context.progress, "questions"),
                asyncio.TaskGroup() as tasks,
            ):
                for _ in range(context.spec.rows_in_parallel + executor.rows_ahead):
                    tasks.create_task(run_in_turn())
        except ExceptionGroup as failures:
            raise _first(failures) from None
        else:
            if context.model and not stop.reason and not tally.errors:
                context.model.keep_all(folder.record().identity())
        finally:
            if context.model:
                await context.model.close()


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
