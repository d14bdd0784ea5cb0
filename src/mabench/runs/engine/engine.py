"""The engine: runs an agent over every row, some rows at a time, and stores the results."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from mabench.data import Question, Row, RowMaker
from mabench.models import ModelUnavailableError, ReplyNotKeptError
from mabench.results.records.calls import CallRecord
from mabench.results.records.measurements import Timing
from mabench.results.records.sample import Key, Sample, key_of
from mabench.results.records.store import RunFolder
from mabench.runs.engine.context import RunContext, Stored
from mabench.runs.engine.row import RowRun
from mabench.runs.opening import rows_in_parallel
from mabench.tasks.outages import telling_outages

Work = tuple[Row, list[Question]]
_Place = tuple[str, int, str] | None  # A row, or the whole run.


class Executor(Protocol):
    """Runs an agent over one row, here or elsewhere.

    Attributes:
        rows_ahead: how many rows it takes beyond those that it can run at a time.
    """

    rows_ahead: int

    async def run_row(self, row: Row, questions: Sequence[Question], stored: Stored) -> None:
        """Run the agent over a row; ``stored`` is told of each sample that is stored."""


class Workplace(NamedTuple):
    """Where rows are run.

    ``executor_for`` takes a run in, once it is known. ``make_rows`` makes rows there before that,
    several at a time, and yields them in order; None where rows are not made in parallel.
    """

    executor_for: Callable[[RunContext], Executor]
    make_rows: Callable[[Sequence[RowMaker]], Iterator[Row]] | None = None


class LocalExecutor:
    """Runs rows in this process."""

    rows_ahead = 0

    def __init__(self, context: RunContext) -> None:
        self._context = context

    async def run_row(self, row: Row, questions: Sequence[Question], stored: Stored) -> None:
        """Run the agent over a row."""
        await RowRun(self._context, row, stored).run(questions)


class Tally:
    """Adds up errors, tokens and dollars; stops the run at one failure or dollar too many.

    Dollars are those that were really paid where that is known, else what agents say their
    answers cost.

    Args:
        context: the run.
        folder: what earlier sittings left behind.

    Attributes:
        done: the questions that were answered before.
        answered: those that were answered in this sitting.
        asked: how many questions were asked in this sitting.
        errors: how many of them failed.
    """

    def __init__(self, context: RunContext, folder: RunFolder) -> None:
        self._context = context
        self.asked = self.errors = 0
        self._tokens = 0
        self._dollars = 0.0
        paid: dict[Key, float] = defaultdict(float)
        for timing in folder.timings():
            if timing.paid is not None:
                paid[timing.key] += timing.paid
        # How often each kind of failure came, and any answer (None): by row, and of the run (None).
        self._outcomes: defaultdict[_Place, Counter[str | None]] = defaultdict(Counter)
        self._failures: set[tuple[_Place, str]] = set()
        self.done: set[Key] = set()
        self.answered: list[Key] = []
        self._dollars_before = sum(paid.values())
        self._dollars_before += sum(
            call.cost or 0.0
            for call in folder.calls()
            if call.by == "memory" or call.phase == "preflight"
        )
        for sample in folder.samples():
            self.done.add(sample.key)
            if sample.error is None:
                self._note_outcome(sample, None)
            if sample.key not in paid:
                self._dollars_before += sample.cost or 0.0

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Stop the run at its cost, and say in the end what was really spent."""
        most, model = self._context.spec.max_cost, self._context.model
        if most is None:
            yield
            return
        self._check_cost()
        self._context.spending.listener = self._memory_called
        if model is not None:
            # What it has spent by now, on the preflight, is part of what was spent before.
            left = most - self._dollars_before + model.spent
            model.limit_spending(left, self._stop_for_cost)
        yield
        if self._context.stop.by_cost:
            self._context.stop.reason = self._said()

    def stored(self, sample: Sample | None, timing: Timing) -> None:
        """Count what was stored, and say how far the run is."""
        cost = timing.paid
        if sample is not None and cost is None:
            cost = sample.cost
        self._dollars += cost or 0.0
        if sample is not None:
            self._count(sample)
            if timing.seconds:  # Else its row could not be memorized, which others may be.
                self._check_first_answers(sample)
        self._check_cost()

    def _memory_called(self, call: CallRecord) -> None:
        """Stop the run where a memory's own call is one too many, or its cost is unknown."""
        if call.input_tokens is not None and call.cost is None:
            self._context.stop.ask(
                f"the price of {call.model}, which the memory calls, is unknown, so its cost "
                "cannot be limited; name a file with it as `prices`"
            )
        self._check_cost()

    def _count(self, sample: Sample) -> None:
        """Count a sample; a failure may stop the run."""
        self._tokens += (sample.input_tokens or 0) + (sample.output_tokens or 0)
        self.asked += 1
        if sample.error is None:
            self.answered.append(sample.key)
        self.errors += sample.error is not None
        self._context.progress.advance("questions", self._note())
        if sample.error is not None:
            failure = (_row_of(sample), sample.error)
            if failure not in self._failures:  # Of a row, the same is said once.
                self._failures.add(failure)
                self._context.progress.say(
                    f"{sample.source}, row {sample.row}, question {sample.question_index}: "
                    f"{sample.error}"
                )
            most = self._context.spec.limits.max_errors
            if most is not None and self.errors >= most:
                self._context.stop.ask(f"{self.errors} failed, the last: {sample.error}")

    def _note_outcome(self, sample: Sample, kind: str | None) -> None:
        for place in (_row_of(sample), None):
            self._outcomes[place][kind] += 1

    def _check_first_answers(self, sample: Sample) -> None:
        """Stop the run where all answers so far, of a row or of the run, are failures of a kind."""
        kind = sample.error and sample.error.partition(":")[0]
        self._note_outcome(sample, kind)
        most = self._context.spec.limits.max_same_errors
        for place, name in (
            (_row_of(sample), f"{sample.source}, row {sample.row},"),
            (None, "the run"),
        ):
            outcomes = self._outcomes[place]
            if most and kind and len(outcomes) == 1 and outcomes[kind] >= most:
                self._context.stop.ask(
                    f"the first {most} answers of {name} all failed alike (to continue all the "
                    f"same, set `limits.max_same_errors` to 0): {sample.error}"
                )

    def _note(self) -> str:
        parts = []
        if self._tokens or self._dollars:
            parts.append(f"{self._tokens:,} tokens, ${self._dollars:.2f}")
        if self.errors:
            parts.append(f"{self.errors} errors")
        return ", ".join(parts)

    @property
    def _spent(self) -> float:
        model = self._context.model
        by_memories = self._context.spending.dollars
        unbilled = model.unbilled if model else 0.0
        return self._dollars_before + self._dollars + by_memories + unbilled

    def _check_cost(self) -> None:
        most = self._context.spec.max_cost
        if most is not None and self._spent >= most:
            self._stop_for_cost()

    def _stop_for_cost(self) -> None:
        stop = self._context.stop
        stop.by_cost = stop.by_cost or stop.reason is None
        stop.ask(self._said())

    def _said(self) -> str:
        return f"${self._spent:.4f} spent of ${self._context.spec.max_cost or 0.0:.4f}"


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
    record = folder.record()
    total = sum(record.questions.values())
    context.progress.start("questions", total, len(done))
    if done:
        told = f"{len(done)} of {total} questions are answered, {total - len(done)} to ask."
        context.progress.note("questions", f"{folder.path}: {told}")
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
                failure = _first(failures)
                stop.not_kept = stop.not_kept or isinstance(failure, ReplyNotKeptError)
                stop.ask(str(failure))

    with stop.halting(context.model, context.meter), tally.bounded():
        try:
            async with (
                telling_outages(context.model, context.progress, "questions", context.meter),
                asyncio.TaskGroup() as tasks,
            ):
                for _ in range(rows_in_parallel(context.spec) + executor.rows_ahead):
                    tasks.create_task(run_in_turn())
        except ExceptionGroup as failures:
            raise _first(failures) from None
        else:
            whole = len(done) + tally.asked >= total
            if context.model and whole and not stop.reason and not tally.errors:
                context.model.keep_all(record.identity())
        finally:
            if context.model:
                context.model.keep_all(*map(record.identity, tally.answered))
                await context.model.close()


def _row_of(sample: Sample) -> _Place:
    return sample.split, sample.row, sample.source


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
