"""A process that runs rows for a run elsewhere: what is sent there, and what comes back."""

from __future__ import annotations

import gc
import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partialmethod
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from mabench.data import Question, Row
from mabench.errors import MabenchError, first_of
from mabench.models.local import adopt_servers
from mabench.progress import NoProgress
from mabench.redact import clean_streams, redact_streams
from mabench.remote import keeper
from mabench.results import Place, Sample, Timing
from mabench.runs.context import RunContext, RunInputs
from mabench.runs.opening import open_agent
from mabench.runs.row import RowRun
from mabench.specs import RunSpec
from mabench.tasks.loops import run_in_loop
from mabench.tasks.stopping import Stop

_WAIT = 30.0  # Seconds that a worker waits until a sample was taken.
_guards: list[subprocess.Popen[bytes]] = []  # Kept, since each holds the end of a pipe.

# A method of the run's store or progress with its arguments; or "fail" with why the row cannot run.
RowResult = tuple[str, tuple[Any, ...]]


class RowTask(NamedTuple):
    """One row of a run, as it is sent to another process."""

    spec: RunSpec  # ``RunSpec.without_data``.
    row: Row
    questions: Sequence[Question]  # Those to be asked.
    # Answers of earlier sittings, as in ``SampleStore.answers_not_looked_at``.
    not_looked_at: Sequence[Sample]
    folder: str  # In which modules of the user's own are found.

    def run(self, inputs: RunInputs, stop: Stop | None = None) -> Iterator[RowResult]:
        """Run a row in this process, and yield its results as they come.

        A sample counts as taken when the next record is asked for. The agent is not asked its next
        question before that, so that one which ends the process loses no earlier answer.
        """
        if self.folder not in sys.path:
            sys.path.insert(0, self.folder)
        with tempfile.TemporaryDirectory() as folder:
            relay = _Relay(Path(folder), self.not_looked_at)

            def work() -> None:
                try:
                    run_in_loop(_run(self, inputs, relay, stop or Stop()))
                except Exception as raised:
                    error = first_of(raised)  # Several questions may fail at once.
                    if not isinstance(error, MabenchError):
                        error = MabenchError(f"{type(error).__name__}: {error}")
                    relay.records.put(("fail", (error,)))
                finally:
                    relay.records.put(None)

            threading.Thread(target=work, daemon=True).start()
            while (record := relay.records.get()) is not None:
                yield record
                method, _ = record
                if method == "append_sample":
                    relay.taken.set()


async def _run(task: RowTask, inputs: RunInputs, relay: _Relay, stop: Stop) -> None:
    """Run a row, whose results and progress go to the relay."""
    adopt_servers(inputs.servers)
    agent, model = open_agent(task.spec)
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
            async with stop.supervise(relay, "questions", model, metered.meter):
                await RowRun(metered, task.row).run(task.questions)
    finally:
        if model:
            await model.close()


class _Relay(NoProgress):
    """The store and the progress of a row that is run elsewhere: it hands on what they are told.

    It waits until a sample is taken, but not for ever: the run may have been stopped.
    """

    def __init__(self, path: Path, not_looked_at: Sequence[Sample]) -> None:
        self.path, self._not_looked_at = path, not_looked_at
        self.records: queue.SimpleQueue[RowResult | None] = queue.SimpleQueue()
        self.taken = threading.Event()

    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None:
        """Hand on a sample, and wait until it is taken."""
        self.taken.clear()
        self.records.put(("append_sample", (sample, timing, prompt)))
        self.taken.wait(_WAIT)

    def answers_not_looked_at(self, place: Place) -> Sequence[Sample]:
        """Return what the task says of them; it has one row only."""
        return self._not_looked_at

    def _hand_on(self, method: str, *arguments: object) -> None:
        """Hand on a call of a method, without waiting."""
        self.records.put((method, arguments))

    append_timing = partialmethod(_hand_on, "append_timing")
    append_memory = partialmethod(_hand_on, "append_memory")
    append_stage = partialmethod(_hand_on, "append_stage")
    append_call = partialmethod(_hand_on, "append_call")
    note_takes = partialmethod(_hand_on, "note_takes")
    note = partialmethod(_hand_on, "note")
    say = partialmethod(_hand_on, "say")


def serve(pipe: Connection, stopping: tuple[Any, Any], environment: dict[str, str]) -> None:
    """Serve the process that started this one, through a pipe, until the pipe closes.

    First it sends makers of rows, each of which is answered with the row, or None if that fails.
    Then it sends the ``RunInputs``, once, and after them each ``RowTask``, which is answered with
    its results and a None.
    """
    from tqdm import tqdm

    os.environ |= environment  # The server that forks may be older than the run.
    redact_streams()
    clean_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the run, which stops rows itself.
    stop = Stop()
    stop.follow(*stopping)
    live_with_run()
    # A progress bar's own lock spans processes, and would be left behind when this one is ended.
    tqdm.set_lock(threading.RLock())
    gc.freeze()  # What was imported stays: no need to look through it for what can go.
    with suppress(EOFError, OSError):
        while True:
            received = pipe.recv()
            if isinstance(received, RunInputs):
                break
            row = None
            with suppress(Exception):  # The run itself finds out why.
                row = received()
            pipe.send(row)
        inputs = received
        while True:
            for record in pipe.recv().run(inputs, stop):
                pipe.send(record)
            pipe.send(None)


def live_with_run() -> None:
    """Let this process and all that it starts end with the process that started it.

    It becomes the head of a group, which a guard kills when one of the two is gone.
    """
    run = multiprocessing.parent_process()
    if run is None:
        return
    sentinel = run.sentinel
    if not hasattr(os, "setsid"):  # Windows has no groups.

        def end_with_run() -> None:
            wait([sentinel])
            os._exit(1)

        threading.Thread(target=end_with_run, daemon=True).start()
        return
    os.setsid()
    head, standard_input = os.getpid(), 0
    watched = (sentinel, standard_input)  # Each closes with one of the two processes.
    guard = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-I", "-S", keeper.__file__, "guard", *map(str, (head, *watched))],
        stdin=subprocess.PIPE,  # It closes with this process.
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=[sentinel],
    )
    guard.wait()  # It has left a child, which is not adopted here.
    keeper.adopt_orphans()
    _guards.append(guard)
