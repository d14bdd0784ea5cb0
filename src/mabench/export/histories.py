"""Answers single questions about histories, for runners that are not ours.

Such a runner asks questions at any time, in any order, and may leave some out. The agent of a
history is made, and gets the history, when its first question comes; it answers one question at a
time. Agents run in an event loop of their own, so that nothing they leave behind disturbs the
runner's.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import tempfile
import threading
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from mabench.data import Row, find_source
from mabench.families import family_of
from mabench.loading import catalogue_of, load
from mabench.models import ModelStoppedError, load_prices
from mabench.results import CallRecord, CallTotals, Place, Sample, Timing
from mabench.runs.context import RunContext, RunInputs
from mabench.runs.opening import load_run_prompts, open_agent
from mabench.runs.row import RowRun
from mabench.runs.selection import find_asked
from mabench.specs import RunSpec
from mabench.tasks.loops import run_in_loop

_T = TypeVar("_T")
# A row, an epoch, and the turn after which its questions are asked.
_AgentKey = tuple[int, int, str | None]
# Seconds in which agents that are still open must close when the program ends.
_LAST_SECONDS = 10.0


class AnsweredQuestion(NamedTuple):
    """The answer to a question, its time, and the memory's own model calls."""

    sample: Sample  # As a run stores it.
    seconds: float
    # The memory's own calls since the previous answer, also those for the history; None if calls
    # are not metered.
    calls: CallTotals | None


class Histories:
    """The histories of one source, each with an agent of its own.

    An agent is closed after the last question of its history, at the latest when the program ends.
    ``rows`` are the rows of the source, by their index within the split.
    """

    def __init__(self, spec: RunSpec, source: str) -> None:
        # Inspect asks questions one by one, and never says that all of a history are answered.
        self._spec = replace(spec, limits=replace(spec.limits, stages="off"))
        self._agent, self._model = open_agent(spec)
        dataset = load(spec.data.data, offline=spec.data.offline)
        find_asked(spec.data, dataset)  # Raises if there are none.
        family = family_of(find_source(source, dataset.sources))
        self._inputs = RunInputs(
            load_run_prompts(spec, dataset.sources),
            catalogue_of(dataset, spec.data.entities, [family]),
            dataset.sources,
            load_prices(spec.agent.replies.prices),
            builder="",  # Memories are not saved for later runs.
        )
        self._open: dict[_AgentKey, _AskedHistory] = {}
        self._loop: _Loop | None = None
        self._while_open = contextlib.ExitStack()
        self._folder = tempfile.TemporaryDirectory()  # For memories that can save themselves.
        self.rows: Mapping[int, Row] = {row.index: row for row in dataset.rows([source])}

    async def ask(self, row: int, question_index: int, epoch: int = 1) -> AnsweredQuestion:
        """Ask a question about a history.

        Each epoch has an agent of its own, and so has each point in the middle of a history after
        which questions are asked, because questions come in any order. A failure of the agent is
        recorded as the answer.

        Raises:
            UsageError: when the agent cannot be made.
            ModelUnavailableError: when the model's server refuses all requests.
        """
        if self._loop is None:
            context = RunContext(
                spec=self._spec,
                agent=self._agent,
                model=self._model,
                inputs=self._inputs,
                store=_LastAnswer(Path(self._folder.name)),
            )
            context = self._while_open.enter_context(context.metering())
            self._while_open.enter_context(context.stop.halt_on_stop(context.model, context.meter))
            self._context = context
            self._loop = _Loop()
            atexit.register(self.close)
        work = self._ask_in_turn(row, question_index, epoch)
        return await asyncio.wrap_future(self._loop.submit(work))

    def close(self) -> None:
        """Close the agents that are still open, and their model."""
        loop = self._loop
        self._loop = None
        if loop is None:
            return
        atexit.unregister(self.close)
        with contextlib.suppress(Exception):  # All answers were already returned.
            loop.submit(self._close_all()).result(_LAST_SECONDS)
        loop.end()
        self._while_open.close()

    async def _close_all(self) -> None:
        while self._open:
            _, history = self._open.popitem()
            await history.run.close()
        if self._model:
            await self._model.close()

    async def _ask_in_turn(self, row: int, question_index: int, epoch: int) -> AnsweredQuestion:
        """Ask a question once its history has no other under way; open the agent if need be."""
        # Where a row says after which of its turns each question is asked.
        points = self.rows[row].asked_after
        after = points[question_index] if points else None
        key = (row, epoch, after)
        if key not in self._open:
            store = _LastAnswer(Path(self._folder.name, f"{row}-{epoch}-{question_index}"))
            self._open[key] = _AskedHistory(self._context, store, self.rows[row], after)
        history = self._open[key]
        async with history.lock:
            answered = await history.ask(question_index)
            if not history.open_questions:
                self._open.pop(key, None)
                await history.run.close()
        return answered


class _LastAnswer:
    """A store for a run that keeps only the last sample, and the memory's calls since then."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sample: tuple[Sample, Timing] | None = None
        self.calls: dict[str, CallRecord] = {}

    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None:
        self.sample = (sample, timing)

    def _forget(self, _: object) -> None:
        pass

    # A run also stores these, which are not needed here.
    append_timing = note_takes = append_memory = append_stage = _forget

    def answers_not_looked_at(self, place: Place) -> Sequence[Sample]:
        return ()  # Nothing is resumed.

    def append_call(self, call: CallRecord) -> None:
        if call.by == "memory":
            self.calls[call.call] = call


class _AskedHistory:
    """A history up to one point, with its agent and the questions that are asked at that point."""

    def __init__(
        self, context: RunContext, store: _LastAnswer, row: Row, after: str | None
    ) -> None:
        asked = (question for question in row.flatten() if question.asked_after == after)
        self.questions = {question.question_index: question for question in asked}
        self.open_questions = set(self.questions)
        self.lock = asyncio.Lock()
        self._is_memorized = False
        self._store = store
        self._context = replace(context, store=store)
        self.run = RowRun(self._context, row)

    async def ask(self, question_index: int) -> AnsweredQuestion:
        """Let the agent memorize the history, if it has not yet, and answer a question."""
        store, stop = self._store, self._context.stop
        if not self._is_memorized:
            await self.run.open(list(self.questions.values()))
            self._is_memorized = True
        if not stop.reason:
            await self.run.ask(self.questions[question_index])
        if store.sample is None:
            raise ModelStoppedError(stop.reason or "requests were halted")
        sample, timing = store.sample
        store.sample = None
        is_metered = self._context.meter or store.calls
        calls = CallTotals.of(store.calls.values()) if is_metered else None
        store.calls.clear()
        self.open_questions.discard(question_index)
        return AnsweredQuestion(sample, timing.seconds, calls)


class _Loop:
    """An event loop in a daemon thread."""

    def __init__(self) -> None:
        ready = threading.Event()

        async def live() -> None:
            self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
            ready.set()
            await self._ended.wait()

        threading.Thread(target=lambda: run_in_loop(live()), daemon=True).start()
        ready.wait()

    def submit(self, work: Coroutine[Any, Any, _T]) -> Future[_T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
