"""Rows on many machines: each row is a Ray task, and this process alone writes the run folder.

Agents, models and stores are made where a task runs. What a task finds out comes back record by
record, so a worker that is lost takes with it only what it had not told yet; its row is run
again with the questions that are left.
"""

from __future__ import annotations

import asyncio
import queue
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from mabench.data import Question, Row
from mabench.errors import MabenchError, require
from mabench.families import Prompts
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.lookup import resolve
from mabench.models import ModelChoice, make_model
from mabench.runs.engine.context import Limits, RunContext, SilentObserver
from mabench.runs.engine.row import RowRun
from mabench.runs.records.sample import Sample, key_of, scored_sample
from mabench.scoring import Catalogue

_LOST = 3
# Records that a task may be ahead of this process: an answer that was not taken yet would be
# lost with its worker.
_AHEAD = 1
_TAKEN_WITHIN = 30.0


class Job(NamedTuple):
    """What a task needs to examine a row, small enough to be sent with every one.

    Attributes:
        agent: the agent, by name or as a factory.
        settings: keyword arguments for what makes it, or None.
        python: the interpreter in which it lives; None for that of the task.
        mcp_map: how the tools of an MCP server are used, or None.
        model: the model that reads, or None; its key is taken from the task's own environment.
        protocol: the protocol's name.
        prompts: the templates.
        chunk_tokens: a chunk size that replaces the protocol's, or None.
        offline: never fetch tokenizer data over the network.
        kept: where memories are kept for later runs, or None.
        pace: how much happens at a time.
        location: what opens the data set again where the task runs; None to send the rows.
        folder: the directory in which modules of the user's own are found.
    """

    agent: str | Callable[[], object]
    settings: Mapping[str, object] | None
    python: str | Path | None
    mcp_map: str | Path | None
    model: ModelChoice | None
    protocol: str
    prompts: Mapping[str, Mapping[str, str]]
    chunk_tokens: int | None
    offline: bool
    kept: Path | None
    pace: Limits
    location: str | None
    folder: str


class _Reference(NamedTuple):
    """A row by its place, to be read where the task runs."""

    location: str
    source: str
    split: str
    row: int


class RayExecutor:
    """Examines rows in Ray tasks; made by ``connected``."""

    def __init__(self, ray: ModuleType, job: Job, examination: RunContext) -> None:
        self._ray = ray
        self._job = job
        self._run = examination
        self._catalogue = ray.put(examination.catalogue)
        self._task = ray.remote(
            num_cpus=1,
            num_returns="streaming",
            max_retries=0,
            _generator_backpressure_num_objects=_AHEAD,
        )(_examine_here)

    async def __call__(
        self, row: Row, questions: Sequence[Question], stored: Callable[[Sample], None]
    ) -> None:
        """Examine a row; a row whose worker is lost is run again, three times in all.

        Raises:
            MabenchError: when the task cannot make the agent or read the row.
        """
        self._run.watch.row_started(row, 0)
        left = {key_of(question): question for question in questions}
        for _ in range(_LOST):
            try:
                async for record in self._records(row, list(left.values())):
                    self._store(record, left, stored)
                    if self._run.stop.reason:
                        return
                return
            except self._ray.exceptions.RayError:
                continue
        for question in left.values():
            error = f"the worker was lost {_LOST} times"
            self._keep(scored_sample(question, None, error, self._run.catalogue), 0.0, stored)

    async def _records(self, row: Row, questions: list[Question]) -> Any:
        job = self._job
        sent: Row | _Reference = row
        if job.location is not None:
            sent = _Reference(job.location, row.source, row.split, row.index)
        indices = [question.question_index for question in questions]
        task = self._task.remote(job, self._catalogue, sent, indices)
        try:
            async for reference in task:
                yield await reference
        finally:
            self._ray.cancel(task)

    def _store(
        self,
        record: Mapping[str, Any],
        left: dict[Any, Question],
        stored: Callable[[Sample], None],
    ) -> None:
        if "failure" in record:
            raise record["failure"]
        if "memory" in record:
            self._run.store.append_memory(record["memory"])
            return
        sample = Sample(**record["sample"])
        if left.pop(sample.key, None) is not None:
            self._keep(sample, record["seconds"], stored)

    def _keep(self, sample: Sample, seconds: float, stored: Callable[[Sample], None]) -> None:
        self._run.store.append_sample(sample, seconds)
        stored(sample)


@contextmanager
def connected(job: Job, examination: RunContext, address: str | None) -> Iterator[RayExecutor]:
    """Join a Ray cluster, or start one on this machine, and leave it at the end.

    Raises:
        MissingPackageError: when Ray is not installed.
        MabenchError: when there is no cluster at ``address``.
    """
    ray = require("ray", "ray")
    here: dict[str, Any] = {"_node_ip_address": "127.0.0.1", "include_dashboard": False}
    try:
        ray.init(
            address=address,
            log_to_driver=False,
            configure_logging=False,
            **({} if address else here),
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise MabenchError(f"no Ray cluster at {address or 'this machine'}: {error}") from error
    try:
        yield RayExecutor(ray, job, examination)
    finally:
        ray.shutdown()


class _Relay:
    """Takes what an examination stores and hands it on.

    A sample is waited for until it was taken, so that a question which ends the worker takes no
    answer before it along. It is not waited for without end: the run may have been stopped.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._taken = threading.Semaphore(0)

    def append_sample(self, sample: Sample, seconds: float) -> None:
        self.records.put({"sample": sample.as_dict(), "seconds": seconds})
        self._taken.acquire(timeout=_TAKEN_WITHIN)

    def sample_taken(self) -> None:
        self._taken.release()

    def append_memory(self, memory: dict[str, Any]) -> None:
        self.records.put({"memory": memory})


def _examine_here(
    job: Job, catalogue: Catalogue | None, sent: Row | _Reference, indices: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """Examine a row in this process, and yield a record for all that is found out."""
    if job.folder not in sys.path:
        sys.path.insert(0, job.folder)
    with tempfile.TemporaryDirectory() as folder:
        relay = _Relay(Path(folder))

        def work() -> None:
            try:
                asyncio.run(_examine(job, catalogue, sent, indices, relay))
            except Exception as error:
                known = isinstance(error, MabenchError)
                said = error if known else MabenchError(f"{type(error).__name__}: {error}")
                relay.records.put({"failure": said})
            finally:
                relay.records.put(None)

        threading.Thread(target=work, daemon=True).start()
        while (record := relay.records.get()) is not None:
            yield record
            if "sample" in record:
                relay.sample_taken()


async def _examine(
    job: Job,
    catalogue: Catalogue | None,
    sent: Row | _Reference,
    indices: Sequence[int],
    relay: _Relay,
) -> None:
    row = _read(sent) if isinstance(sent, _Reference) else sent
    model = make_model(job.model) if job.model else None
    examination = RunContext(
        resolve(job.agent, model, settings=job.settings, python=job.python, mcp_map=job.mcp_map),
        protocol_named(job.protocol),
        Prompts(job.prompts),
        job.chunk_tokens,
        catalogue,
        job.offline,
        relay,
        SilentObserver(),
        kept=job.kept,
        pace=job.pace,
    )
    asked = [question for question in row.flatten() if question.question_index in {*indices}]
    try:
        await RowRun(examination, row, lambda sample: None).run(asked)
    finally:
        if model:
            await model.close()


def _read(reference: _Reference) -> Row:
    """Open the data set again and read one row of it."""
    for row in load(reference.location, offline=True).rows([reference.source]):
        if (row.split, row.index) == (reference.split, reference.row):
            return row
    raise MabenchError(
        f"{reference.location}: no row {reference.row} of {reference.split} on this machine; "
        "every machine must see the same data"
    )
