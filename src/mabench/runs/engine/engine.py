"""The engine: examines an agent on every row, some rows at a time, and stores what comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Protocol

from mabench.data import Question, Row
from mabench.runs.engine.context import RunContext
from mabench.runs.engine.row import RowRun
from mabench.runs.records.sample import Sample, key_of
from mabench.runs.records.store import RunFolder

Work = tuple[Row, list[Question]]


class Executor(Protocol):
    """Carries out the examination of one row, here or elsewhere."""

    def __call__(
        self, row: Row, questions: Sequence[Question], stored: Callable[[Sample], None]
    ) -> Awaitable[None]:
        """Examine a row; ``stored`` is told of each sample that is stored."""


async def examine(
    examination: RunContext,
    folder: RunFolder,
    rows: Iterable[Work],
    executor: Executor | None = None,
) -> None:
    """Ask every question that the run folder holds no sample of.

    Args:
        examination: what holds for the whole run.
        folder: the run folder.
        executor: carries out the examination of a row; this process when None.
        rows: the rows, each with the questions to be asked of it; read as they are needed.

    Raises:
        MabenchError: when rows, tokenizer data or the run folder fail; an agent's own failures
            are recorded instead.
    """
    stop = examination.stop
    carry_out = executor or _here(examination)
    done, spent = set(), 0.0
    for sample in folder.samples():
        done.add(sample.key)
        spent += sample.cost or 0.0
    questions = sum(folder.settings()["questions"].values())
    examination.watch.run_started(folder.path, questions, len(done))
    tolerance = _Tolerance(examination, spent)
    pending = _pending(rows, done)

    async def examine_in_turn() -> None:
        while not stop.reason:
            work = next(pending, None)
            if work is None:
                return
            row, asked = work
            await carry_out(row, asked, tolerance.stored)

    with stop.on_signals():
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(examination.pace.rows):
                    tasks.create_task(examine_in_turn())
        except ExceptionGroup as failures:
            raise _first(failures) from None
        finally:
            if examination.model:
                await examination.model.close()


def _here(examination: RunContext) -> Executor:
    def carry_out(
        row: Row, questions: Sequence[Question], stored: Callable[[Sample], None]
    ) -> Awaitable[None]:
        return RowRun(examination, row, stored).run(questions)

    return carry_out


class _Tolerance:
    """Tells the watch of every sample; stops the run at one failure or one dollar too many."""

    def __init__(self, examination: RunContext, spent: float) -> None:
        self._examination = examination
        self._errors = 0
        self._spent = spent
        self._check_cost()

    def stored(self, sample: Sample) -> None:
        self._examination.watch.question_done(sample)
        self._errors += sample.error is not None
        most = self._examination.pace.max_errors
        if sample.error is not None and most is not None and self._errors >= most:
            self._examination.stop.ask(f"{self._errors} failed, the last: {sample.error}")
        self._spent += sample.cost or 0.0
        self._check_cost()

    def _check_cost(self) -> None:
        most = self._examination.max_cost
        if most is not None and self._spent >= most:
            self._examination.stop.ask(f"${self._spent:.4f} spent of ${most:.4f}")


def _pending(rows: Iterable[Work], done: set[tuple[str, int, int]]) -> Iterator[Work]:
    """Yield the rows that have questions left, with these."""
    for row, questions in rows:
        left = [question for question in questions if key_of(question) not in done]
        if left:
            yield row, left


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first failure of a group, however deep it lies."""
    failure = failures.exceptions[0]
    return _first(failure) if isinstance(failure, BaseExceptionGroup) else failure
