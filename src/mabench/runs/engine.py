"""The engine: examines an agent on every row, some rows at a time, and stores what comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

from mabench.dataset import Question, Row
from mabench.runs.examination import Examination
from mabench.runs.row_examination import RowExamination
from mabench.runs.sample import Sample, key_of

Work = tuple[Row, list[Question]]


async def examine(examination: Examination, rows: Iterable[Work]) -> None:
    """Ask every question that the run folder holds no sample of.

    Args:
        examination: what holds for the whole run.
        rows: the rows, each with the questions to be asked of it; read as they are needed.

    Raises:
        MabenchError: when rows, tokenizer data or the run folder fail; an agent's own failures
            are recorded instead.
    """
    folder, stop = examination.folder, examination.stop
    done = {sample.key for sample in folder.samples()}
    questions = sum(folder.settings()["questions"].values())
    examination.watch.run_started(folder.path, questions, len(done))
    tolerance = _Tolerance(examination)
    pending = _pending(rows, done)

    async def examine_in_turn() -> None:
        while not stop.reason:
            work = next(pending, None)
            if work is None:
                return
            row, asked = work
            await RowExamination(examination, row, tolerance.stored).examine(asked)

    with stop.on_signals():
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(examination.pace.rows):
                    tasks.create_task(examine_in_turn())
        except ExceptionGroup as failures:
            raise _first(failures) from None


class _Tolerance:
    """Tells the watch of every sample, and stops the run at one failure too many."""

    def __init__(self, examination: Examination) -> None:
        self._examination = examination
        self._errors = 0

    def stored(self, sample: Sample) -> None:
        self._examination.watch.question_done(sample)
        self._errors += sample.error is not None
        most = self._examination.pace.max_errors
        if sample.error is not None and most is not None and self._errors >= most:
            self._examination.stop.ask(f"{self._errors} failed, the last: {sample.error}")


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
