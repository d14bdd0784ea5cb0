"""A row that is run in another process: what is sent there, and what comes back.

The process that owns the run folder alone writes there. Results come back record by record, so
a worker that is lost takes with it only what it had not sent yet; its row is run again with the
questions that are left.
"""

from __future__ import annotations

import queue
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partialmethod
from pathlib import Path
from typing import Any, NamedTuple

from mabench.data import Question, Row
from mabench.errors import MabenchError, NotMadeError
from mabench.progress import NoProgress
from mabench.results import Key, Sample, Timing, score_sample
from mabench.runs.context import RunContext, RunInputs
from mabench.runs.opening import open_agent
from mabench.runs.row import RowRun
from mabench.specs import RunSpec
from mabench.tasks.loops import run_in_loop
from mabench.tasks.stopping import Stop

_ATTEMPTS = 3
_WAIT = 30.0  # Seconds that a worker waits until a sample was taken.


class WorkerLostError(Exception):
    """The process that ran a row is gone."""


class RowTask(NamedTuple):
    """One row of a run, as it is sent to another process."""

    spec: RunSpec  # ``RunSpec.without_data``.
    row: Row
    questions: frozenset[int]  # The indices of those to be asked.
    folder: str  # In which modules of the user's own are found.


# A method of the run's store or progress with its arguments; or "fail" with why the row cannot run.
RowResult = tuple[str, tuple[Any, ...]]


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
                relay.records.put(("fail", (error,)))
            finally:
                relay.records.put(None)

        threading.Thread(target=work, daemon=True).start()
        while (record := relay.records.get()) is not None:
            yield record
            if record[0] == "append_sample":
                relay.taken.set()


async def _run(task: RowTask, inputs: RunInputs, relay: _Relay, stop: Stop) -> None:
    agent, model = open_agent(task.spec)
    questions = [q for q in task.row.flatten() if q.question_index in task.questions]
    try:
        context = RunContext(
            spec=task.spec,
            agent=agent,
            model=model,
            inputs=inputs,
            store=relay,
            progress=relay,
            stop=stop,
        )
        with context.metering() as metered:
            async with stop.minding(relay, "questions", model, metered.meter):
                await RowRun(metered, task.row).run(questions)
    finally:
        if model:
            await model.close()


class _Relay(NoProgress):
    """The store and the progress of a row that is run elsewhere: it hands on what they are told.

    It waits until a sample is taken, but not for ever: the run may have been stopped.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: queue.SimpleQueue[RowResult | None] = queue.SimpleQueue()
        self.taken = threading.Event()

    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None:
        self.taken.clear()
        self.records.put(("append_sample", (sample, timing, prompt)))
        self.taken.wait(_WAIT)

    def _hand_on(self, method: str, *arguments: object) -> None:
        self.records.put((method, arguments))

    append_timing = partialmethod(_hand_on, "append_timing")
    append_memory = partialmethod(_hand_on, "append_memory")
    append_call = partialmethod(_hand_on, "append_call")
    note_takes = partialmethod(_hand_on, "note_takes")
    note = partialmethod(_hand_on, "note")
    say = partialmethod(_hand_on, "say")


@dataclass(frozen=True)
class RemoteRows:
    """Stores the results of rows that are run elsewhere.

    ``run_task`` runs a task in another process and yields its results; it raises WorkerLostError
    when that is gone.
    """

    context: RunContext
    run_task: Callable[[RowTask], AsyncIterator[RowResult]]

    async def run_row(self, row: Row, questions: Sequence[Question]) -> None:
        """Run a row; one whose worker is lost is run again, three times in all.

        Raises:
            MabenchError: when no agent could be made yet.
        """
        context = self.context
        note = f"{len(questions)} question{'s' * (len(questions) != 1)}"
        context.progress.start("chunks", None, title=f"{row.source}, row {row.index}", note=note)
        left = {question.key: question for question in questions}
        error = f"the worker was lost {_ATTEMPTS} times"
        for _ in range(_ATTEMPTS):
            try:
                await self._run_and_store(row, left)
                return
            except NotMadeError as failure:
                if not context.agent_made.is_set():
                    raise  # Probably none can be made.
                error = str(failure)
                break
            except WorkerLostError:
                if context.stop.reason:
                    return
        for key, question in left.items():
            source = context.inputs.sources[question.source]
            sample = score_sample(question, None, error, source, context.inputs.catalogue)
            context.store.append_sample(sample, Timing(*key, seconds=0.0))

    async def _run_and_store(self, row: Row, left: dict[Key, Question]) -> None:
        """Run a row, store what comes of it, and take out of ``left`` what is answered."""
        what = "the memory"
        with ExitStack() as waiting:

            def wait() -> None:
                waiting.close()
                text = f"{what} of {row.source} row {row.index}, in another process"
                waiting.enter_context(self.context.stop.waiting_for(text))

            wait()
            indices = frozenset(index for _, _, index in left)
            task = RowTask(self.context.spec.without_data(), row, indices, str(Path.cwd()))
            async for method, arguments in self.run_task(task):
                self._store(method, arguments, left)
                if method in ("append_sample", "append_timing", "append_memory"):
                    what = f"question {next(iter(left))[2]}" if left else "the end"
                    wait()

    def _store(self, method: str, arguments: tuple[Any, ...], left: dict[Key, Question]) -> None:
        context = self.context
        if method == "fail":
            raise arguments[0]
        if method == "append_memory":
            context.agent_made.set()
        elif method == "append_sample" and left.pop(arguments[0].key, None) is None:
            return  # It was answered before its worker was lost.
        getattr(context.progress if method in ("note", "say") else context.store, method)(
            *arguments
        )
