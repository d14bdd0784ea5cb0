"""A row that is run in another process: what is sent there, and what comes back.

The process that owns the run folder alone writes there. Results come back record by record, so
a worker that is lost takes with it only what it had not sent yet; its row is run again with the
questions that are left.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path

from mabench.data import Question, Row, Source
from mabench.errors import MabenchError
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.lookup import NotMadeError
from mabench.progress import NoProgress
from mabench.remote.keeper import adopt_orphans
from mabench.results.records.calls import CallRecord
from mabench.results.records.measurements import MemoryRecord, Timing
from mabench.results.records.sample import Key, Sample, key_of
from mabench.results.sampling import scored_sample
from mabench.runs.engine.context import RunContext, RunInputs, Stored
from mabench.runs.engine.metered import metering
from mabench.runs.engine.row import RowRun
from mabench.runs.opening import open_reader, resolve_agent_of_run, without_data
from mabench.specs import RunSpec
from mabench.tasks.loops import run_in_loop
from mabench.tasks.outages import telling_outages
from mabench.tasks.stopping import Stop

_GUARD = Path(__file__).with_name("guard.py")
_guards: list[subprocess.Popen[bytes]] = []  # Kept, since each holds the end of a pipe.
_ATTEMPTS = 3
_WAIT = 30.0  # Seconds that a worker waits until a sample was taken.


class WorkerLostError(Exception):
    """The process that ran a row is gone."""


class Line(str):
    """A line to be shown, where other strings are notes of how the work goes."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class RowReference:
    """A row by its place in a data set, to be read where the task runs."""

    location: str
    source: str
    split: str
    index: int

    def read(self, sources: Mapping[str, Source]) -> Row:
        """Open the data set again, with these sources, and read the row.

        Raises:
            MabenchError: when it is not there.
        """
        for row in load(self.location, offline=True, sources=sources).rows([self.source]):
            if (row.split, row.index) == (self.split, self.index):
                return row
        raise MabenchError(
            f"{self.location}: no row {self.index} of {self.split} on this machine; every machine "
            "must see the same data"
        )


@dataclass(frozen=True, slots=True)
class RowTask:
    """One row of a run, small enough to be sent to another process.

    Attributes:
        spec: the run, without a data set in memory.
        row: the row, or its place.
        questions: the indices of the questions to be asked.
        folder: the directory in which modules of the user's own are found.
    """

    spec: RunSpec
    row: Row | RowReference
    questions: frozenset[int]
    folder: str


# A sample with what its answer took, and the prompt; what was paid for without a sample; a memory;
# a call of a model; a line to be shown; that the model's server does not answer, in words; or why
# the row cannot be run.
RowResult = (
    tuple[Sample, Timing, str | None] | Timing | MemoryRecord | CallRecord | str | MabenchError
)
# Runs a task in another process and yields its results; raises WorkerLostError when it is gone.
TaskRunner = Callable[[RowTask], AsyncIterator[RowResult]]


def run_task(task: RowTask, inputs: RunInputs, stop: Stop | None = None) -> Iterator[RowResult]:
    """Run a row in this process, and yield its results as they come.

    A sample counts as taken when the next record is asked for. The agent is not asked its next
    question before that, so that one which ends the process loses no earlier answer.
    """
    if task.folder not in sys.path:
        sys.path.insert(0, task.folder)
    with tempfile.TemporaryDirectory() as folder:
        relay = _Relay(Path(folder))

        def work() -> None:
            try:
                run_in_loop(_run(task, inputs, relay, stop or Stop()))
            except Exception as error:
                while isinstance(error, ExceptionGroup):  # Of questions that are asked together.
                    error = error.exceptions[0]
                if not isinstance(error, MabenchError):
                    error = MabenchError(f"{type(error).__name__}: {error}")
                relay.records.put(error)
            finally:
                relay.records.put(None)

        threading.Thread(target=work, daemon=True).start()
        while (record := relay.records.get()) is not None:
            yield record
            if isinstance(record, tuple):
                relay.sample_taken()


def live_with_run() -> None:
    """Let this process and all that it starts end with the process that started it.

    It becomes the head of a group, which a guard kills when one of the two is gone.
    """
    run = multiprocessing.parent_process()
    if run is None:
        return
    if not hasattr(os, "setsid"):  # Windows has no groups.
        threading.Thread(target=_end_with, args=(run.sentinel,), daemon=True).start()
        return
    os.setsid()
    adopt_orphans()
    guard = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-I", "-S", str(_GUARD), str(os.getpid()), str(run.sentinel), "0"],
        stdin=subprocess.PIPE,  # It closes with this process.
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=[run.sentinel],
    )
    _guards.append(guard)


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


async def _run(task: RowTask, inputs: RunInputs, relay: _Relay, stop: Stop) -> None:
    row = task.row.read(inputs.sources) if isinstance(task.row, RowReference) else task.row
    model = open_reader(task.spec.agent)
    agent = resolve_agent_of_run(task.spec, model)
    questions = [q for q in row.flatten() if q.question_index in task.questions]
    try:
        with metering(task.spec.agent, agent, model, stop) as meter:
            context = RunContext(
                spec=task.spec,
                agent=agent,
                model=model,
                meter=meter,
                protocol=protocol_named(task.spec.injection.protocol),
                inputs=inputs,
                store=relay,
                progress=relay,
                stop=stop,
            )
            with stop.halting(model, meter):
                async with telling_outages(model, relay, "questions", meter):
                    await RowRun(context, row, lambda sample, timing: None).run(questions)
    finally:
        if model:
            await model.close()


class _Relay(NoProgress):
    """The store of a row that is run elsewhere: hands results on, and waits until they are taken.

    It does not wait for ever: the run may have been stopped.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: queue.SimpleQueue[RowResult | None] = queue.SimpleQueue()
        self._taken = threading.Semaphore(0)

    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None:
        self.records.put((sample, timing, prompt))
        self._taken.acquire(timeout=_WAIT)

    def sample_taken(self) -> None:
        self._taken.release()

    def append_timing(self, timing: Timing) -> None:
        self.records.put(timing)

    def append_memory(self, memory: MemoryRecord) -> None:
        self.records.put(memory)

    def append_call(self, call: CallRecord) -> None:
        self.records.put(call)

    def note(self, work: str, note: str) -> None:
        self.records.put(note)

    def say(self, line: str) -> None:
        self.records.put(Line(line))


class RemoteRows:
    """Stores the results of rows that are run elsewhere.

    Args:
        context: what holds for the whole run.
        run_task: runs one task in another process.
        rows_ahead: as for ``Executor``.
        by_place: send the place of a row where its data set can be opened again, not the row.
    """

    def __init__(
        self,
        context: RunContext,
        run_task: TaskRunner,
        *,
        rows_ahead: int = 0,
        by_place: bool = False,
    ) -> None:
        self.rows_ahead = rows_ahead
        self._context = context
        self._run_task = run_task
        self._by_place = by_place

    async def run_row(self, row: Row, questions: Sequence[Question], stored: Stored) -> None:
        """Run a row; one whose worker is lost is run again, three times in all.

        Raises:
            MabenchError: when the task cannot read the row, or no agent can be made; one that
                cannot be made where another could fails its row.
        """
        title = f"{row.source}, row {row.index}"
        note = f"{len(questions)} question{'s' * (len(questions) != 1)}"
        self._context.progress.start("chunks", None, title=title, note=note)
        left = {key_of(question): question for question in questions}
        error = f"the worker was lost {_ATTEMPTS} times"
        for _ in range(_ATTEMPTS):
            try:
                await self._run_and_store(row, left, stored)
                return
            except NotMadeError as failure:
                if not self._context.agent_made.is_set():
                    raise  # Probably none can be made.
                error = str(failure)
                break
            except WorkerLostError:
                if self._context.stop.reason:
                    return
        for question in left.values():
            inputs = self._context.inputs
            source = inputs.sources[question.source]
            sample = scored_sample(question, None, error, source, inputs.catalogue)
            self._keep(sample, Timing(*sample.key, seconds=0.0), None, stored)

    async def _run_and_store(self, row: Row, left: dict[Key, Question], stored: Stored) -> None:
        """Run a row, store what comes of it, and take out of ``left`` what is answered."""
        what = "the memory"
        with ExitStack() as waiting:

            def wait() -> None:
                waiting.close()
                text = f"{what} of {row.source} row {row.index}, in another process"
                waiting.enter_context(self._context.stop.waiting_for(text))

            wait()
            async for record in self._run_task(self._task(row, left.values())):
                self._store(record, left, stored)
                if not isinstance(record, CallRecord | str):
                    what = f"question {next(iter(left))[2]}" if left else "the end"
                    wait()

    def _task(self, row: Row, questions: Iterable[Question]) -> RowTask:
        spec = without_data(self._context.spec)
        location = spec.data.data
        known: Row | RowReference = row
        if self._by_place and isinstance(location, str):
            known = RowReference(location, row.source, row.split, row.index)
        indices = frozenset(question.question_index for question in questions)
        return RowTask(spec, known, indices, str(Path.cwd()))

    def _store(self, record: RowResult, left: dict[Key, Question], stored: Stored) -> None:
        if isinstance(record, MabenchError):
            raise record
        if isinstance(record, Line):
            self._context.progress.say(record)
        elif isinstance(record, str):
            self._context.progress.note("questions", record)
        elif isinstance(record, Timing):
            self._context.store.append_timing(record)
            stored(None, record)
        elif isinstance(record, MemoryRecord):
            self._context.agent_made.set()
            self._context.store.append_memory(record)
        elif isinstance(record, CallRecord):
            self._context.store.append_call(record)
            self._context.spending.add(record)
        elif left.pop(record[0].key, None) is not None:
            self._keep(*record, stored)

    def _keep(self, sample: Sample, timing: Timing, prompt: str | None, stored: Stored) -> None:
        self._context.store.append_sample(sample, timing, prompt)
        stored(sample, timing)
