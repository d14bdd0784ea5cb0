"""The engine: runs an agent over every row, some rows at a time, and stores the results."""

from __future__ import annotations

import asyncio
import math
import os
import threading
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from mabench.data import Dataset, Question, Row, RowMaker
from mabench.errors import first_of
from mabench.models import (
    CallPhase,
    ModelStoppedError,
    ModelUnavailableError,
    ReplyNotKeptError,
    current_log,
)
from mabench.printable import write_count
from mabench.results import CallRecord, Key, RunFolder, Sample, Timing
from mabench.runs.memory import RowCalls
from mabench.runs.opening import RunContext
from mabench.runs.row import RowRun
from mabench.runs.selection import select_rows
from mabench.specs import RunSpec

_Place = tuple[str, int, str] | None  # A row, or the whole run.
# Seconds within which a server refuses what it refuses: a good reply takes longer to be generated,
# and the first texts are told meanwhile.
_HEAD_START = 0.05
# Runs an agent over a row, here or elsewhere, and stores what comes of its questions.
Executor = Callable[[Row, Sequence[Question]], Awaitable[None]]


def _run_here(context: RunContext) -> Executor:
    return lambda row, questions: RowRun(context, row).run(questions)


class RowBackend(NamedTuple):
    """Where rows are run: in this process, unless something else is said."""

    executor_for: Callable[[RunContext], Executor] = _run_here  # Once the run is known.
    # Makes rows there before that, several at a time, and yields them in order.
    make_rows: Callable[[Sequence[RowMaker]], Iterator[Row]] | None = None
    rows_ahead: int = 0  # Which it takes beyond those that it can run at a time.


class _Tally:
    """The run folder as rows see it, adding up errors, tokens and dollars as they store results.

    It stops the run at one failure or dollar too many. Dollars are those that were really paid
    where that is known, else what agents say their answers cost.
    """

    def __init__(self, context: RunContext, folder: RunFolder) -> None:
        self._context = context
        self._folder = folder
        self.path = folder.path
        self.append_memory = folder.append_memory
        self.note_takes = folder.note_takes
        self.asked = self.errors = self._tokens = 0  # In this sitting.
        self._dollars = self._beside = 0.0
        self._lock = threading.Lock()
        paid: dict[Key, float] = defaultdict(float)
        for timing in folder.timings():
            if timing.paid is not None:
                paid[timing.key] += timing.paid
        # How often each kind of failure came, and any answer (None): by row, and of the run (None).
        self._outcomes: defaultdict[_Place, Counter[str | None]] = defaultdict(Counter)
        self._failures: set[tuple[_Place, str]] = set()
        self.done: set[Key] = set()
        self._dollars_before = sum(paid.values()) + sum(
            call.cost or 0.0
            for call in folder.calls()
            if call.by == "memory" or call.phase == "preflight"
        )
        retry = context.spec.retry_errors
        for sample in folder.samples(every=retry):
            if sample.error is None:
                self._note_outcome(sample, None)
            elif retry:  # It is removed before anything is asked.
                continue
            self.done.add(sample.key)
            if sample.key not in paid:
                self._dollars_before += sample.cost or 0.0

    @contextmanager
    def limit_cost(self) -> Iterator[None]:
        """Stop the run at its cost, and say in the end what was really spent."""
        most, model = self._context.spec.max_cost, self._context.model
        if most is None:
            yield
            return
        self._check_cost()
        if model is not None:
            model.limit_spending(most - self._dollars_before, self._stop_for_cost)
        yield
        if self._context.stop.by_cost:
            self._context.stop.reason = self._spending()

    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None:
        self._folder.append_sample(sample, timing, prompt)
        self._dollars += (sample.cost if timing.paid is None else timing.paid) or 0.0
        self._tokens += (sample.input_tokens or 0) + (sample.output_tokens or 0)
        self.asked += 1
        if sample.error is not None:
            self.errors += 1
        money = self._tokens or self._dollars
        parts = [f"{self._tokens:,} tokens, ${self._dollars:.2f}"] if money else []
        parts += [write_count(self.errors, "error")] if self.errors else []
        self._context.progress.advance("questions", ", ".join(parts))
        if sample.error is not None:
            self._say_failure(sample, sample.error)
        if timing.seconds:  # Else its row could not be memorized, which others may be.
            self._check_first_answers(sample)
        self._check_cost()

    def append_timing(self, timing: Timing) -> None:
        self._folder.append_timing(timing)
        self._dollars += timing.paid or 0.0
        self._check_cost()

    def append_call(self, call: CallRecord) -> None:  # From any thread.
        self._folder.append_call(call)
        # Most of the reader's stand on the bills of answers.
        if not call.ended or (call.by != "memory" and call.phase != "preflight"):
            return
        with self._lock:
            self._beside += call.cost or 0.0
        unknown = call.input_tokens is not None and call.cost is None
        if unknown and self._context.spec.max_cost is not None:
            self._context.stop.ask(
                f"the price of {call.model}, which the memory calls, is unknown, so its cost "
                "cannot be limited; name a file with it as `prices`"
            )
        self._check_cost()

    def _say_failure(self, sample: Sample, error: str) -> None:
        """Say, once of a row, how a question failed, and stop the run at one failure too many."""
        failure = (_row_of(sample), error)
        if failure not in self._failures:
            self._failures.add(failure)
            self._context.progress.say(
                f"{sample.source}, row {sample.row}, question {sample.question_index}: {error}"
            )
        most = self._context.spec.limits.max_errors
        if most is not None and self.errors >= most:
            self._context.stop.ask(f"{self.errors} failed, the last: {error}")

    def _note_outcome(self, sample: Sample, kind: str | None) -> None:
        for place in (_row_of(sample), None):
            self._outcomes[place][kind] += 1

    def _check_first_answers(self, sample: Sample) -> None:
        """Stop the run where all answers so far, of a row or of the run, are failures of a kind."""
        kind = sample.error and sample.error.partition(":")[0]
        self._note_outcome(sample, kind)
        most = self._context.spec.limits.max_same_errors
        if not most or not kind:
            return
        row = f"{sample.source}, row {sample.row},"
        for place, name in ((_row_of(sample), row), (None, "the run")):
            outcomes = self._outcomes[place]
            if len(outcomes) == 1 and outcomes[kind] >= most:
                self._context.stop.ask(
                    f"the first {most} answers of {name} all failed with the same error (to "
                    f"continue anyway, set `limits.max_same_errors` to 0): {sample.error}"
                )

    @property
    def _spent(self) -> float:
        return self._dollars_before + self._dollars + self._beside

    def _check_cost(self) -> None:
        most = self._context.spec.max_cost
        if most is not None and self._spent >= most:
            self._stop_for_cost()

    def _stop_for_cost(self) -> None:
        stop = self._context.stop
        stop.by_cost = stop.by_cost or stop.reason is None
        stop.ask(self._spending())

    def _spending(self) -> str:
        return f"${self._spent:.4f} spent of ${self._context.spec.max_cost or 0.0:.4f}"


def run_rows(
    context: RunContext, folder: RunFolder, dataset: Dataset, row_backend: RowBackend
) -> Coroutine[Any, Any, None]:
    """Return the work of asking every question that the run folder holds no sample of.

    Raises:
        ModelUnavailableError: when the model's server is not there, or refuses key or model.
        MabenchError: when rows, tokenizer data or the run folder fail; an agent's own failures
            are recorded instead.
    """
    stop, model, record, spec = context.stop, context.model, folder.record(), context.spec
    tally = _Tally(context, folder)
    context = replace(context, store=tally)
    run_row = row_backend.executor_for(context)
    done, total = len(tally.done), sum(record.questions.values())
    # Read as they are needed.
    pending = (work for work in select_rows(spec.data, dataset, tally.done) if work[1])

    async def run_in_turn(checking: asyncio.Task[None]) -> None:
        while not stop.reason and (work := next(pending, None)):
            try:
                await run_row(*work)
            except* ModelUnavailableError as failures:
                failure = first_of(failures)
                await asyncio.wait([checking])  # Whose error says more.
                stop.not_kept = stop.not_kept or isinstance(failure, ReplyNotKeptError)
                stop.ask(str(failure))

    async def check_server() -> None:
        if model is None or done >= total:
            return
        if spec.data.offline:
            model.preflight_due = True
            return
        outline = (row for row in dataset.outline if row.source in record.questions)
        row = next(row for row in outline if spec.data.rows is None or row.row in spec.data.rows)
        # The call that this takes is stored with the place of the first row.
        calls = RowCalls(context, row.split, row.row, row.source)
        current_log.set(calls.log(CallPhase("preflight")))
        with suppress(ModelStoppedError):
            await model.preflight(stays=True)

    async def run_all() -> None:
        context.progress.start("questions", total, done)
        if done:
            asked = f"{done} of {write_count(total, 'question')}"
            note = f"{asked} answered already, {total - done} to ask."
            context.progress.note("questions", f"{folder.path}: {note}")
        with tally.limit_cost():
            try:
                async with (
                    stop.supervise(context.progress, "questions", model, context.meter),
                    asyncio.TaskGroup() as tasks,
                ):
                    checking = tasks.create_task(check_server())
                    beside = spec.executor == "local" and not spec.retry_errors
                    await asyncio.wait([checking], timeout=_HEAD_START if beside else None)
                    if spec.retry_errors:
                        every = folder.samples(every=True)
                        folder.replace_samples(one for one in every if one.error is None)
                    at_once = rows_in_parallel(spec) + row_backend.rows_ahead
                    number = min(at_once, len(dataset.outline))
                    rows = [tasks.create_task(run_in_turn(checking)) for _ in range(number)]
                    await asyncio.wait(rows)
                    checking.cancel()
            except ExceptionGroup as failures:
                raise first_of(failures) from None
            finally:
                if model:
                    await model.close()

    return run_all()


def _row_of(sample: Sample) -> _Place:
    return sample.split, sample.row, sample.source


def rows_in_parallel(spec: RunSpec) -> int:
    """Return how many rows are run at a time."""
    if spec.limits.rows is not None:
        return spec.limits.rows
    return _cores() if spec.executor == "processes" else 1


def _cores(own: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """Return how many cores this process may use, by its affinity and its containers' quotas.

    ``own`` names the control group of this process; ``root`` holds all of them (version 2).
    """
    affinity = getattr(os, "sched_getaffinity", None)  # Linux alone has it.
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    group = root
    with suppress(OSError, ValueError):
        lines = own.read_text(encoding="utf-8").splitlines()
        line = next((line for line in lines if line.startswith("0::")), "")
        group /= line.removeprefix("0::").lstrip("/")
    for folder in (group, *group.parents):
        with suppress(OSError, ValueError):
            quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
            cores = min(cores, math.ceil(int(quota) / int(period)))  # No number is no quota.
    return cores
