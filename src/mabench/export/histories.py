"""Agents that were each told one history, to be asked its questions one by one.

For runners that are not ours: they ask questions when they like, in any order, and may leave some
out. An agent is told its history when the first question about it comes, and answers one question
at a time. Agents live in a loop of their own, so that nothing that they leave behind is in the way
of the runner's.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import tempfile
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from mabench.data import Row, find_source
from mabench.families import family_of
from mabench.loading import catalogue_of, load
from mabench.models import ModelStoppedError, load_prices
from mabench.results import CallRecord, CallTotals, Sample, Timing
from mabench.runs.context import RunContext, RunInputs
from mabench.runs.opening import load_run_prompts, open_agent
from mabench.runs.row import RowRun
from mabench.runs.selection import count_questions
from mabench.specs import RunSpec
from mabench.tasks.loops import run_in_loop

_T = TypeVar("_T")
_Place = tuple[int, int, str | None]  # A row, an epoch, and after what its questions are asked.
# Seconds that agents with questions left have to close when the program ends.
_LAST_SECONDS = 10.0


class AnsweredQuestion(NamedTuple):
    """The answer to a question, how long it took, and what the memory's own calls took."""

    sample: Sample  # As a run stores it.
    seconds: float
    # Those that the memory made by itself since the answer before, for the history, too; None
    # where they are not metered.
    calls: CallTotals | None


class Histories:
    """The histories of one source, each with an agent of its own.

    An agent is closed when every question of its history was asked, at the latest when the program
    ends. ``rows`` are those of the source, by their index within the split.
    """

    def __init__(self, spec: RunSpec, source: str) -> None:
        self._spec = spec
        self._agent, self._model = open_agent(spec)
        dataset = load(spec.data.data, offline=spec.data.offline)
        count_questions(spec.data, dataset)  # Complain now if there are none.
        family = family_of(find_source(source, dataset.sources))
        self._inputs = RunInputs(
            load_run_prompts(spec, dataset.sources),
            catalogue_of(dataset, spec.data.entities, [family]),
            dataset.sources,
            load_prices(spec.agent.replies.prices),
            builder="",  # No memory is kept for a later run.
        )
        self._open: dict[_Place, _History] = {}
        self._loop: _Loop | None = None
        self._while_open = contextlib.ExitStack()
        self._folder = tempfile.TemporaryDirectory()  # For memories that can save themselves.
        self.rows: Mapping[int, Row] = {row.index: row for row in dataset.rows([source])}

    async def ask(self, row: int, question_index: int, epoch: int = 1) -> AnsweredQuestion:
        """Ask a question about a history; each epoch has a memory of its own.

        So has each point of a history that is asked in between: questions come in any order.
        An agent's failure is part of what comes of the question; a UsageError says that it cannot
        be made, a ModelUnavailableError that the model's server refuses all requests.
        """
        if self._loop is None:
            context = RunContext(
                spec=self._spec,
                agent=self._agent,
                model=self._model,
                inputs=self._inputs,
                store=_LastAnswer(Path(self._folder.name)),
            )
            self._context = context = self._while_open.enter_context(context.metering())
            self._while_open.enter_context(context.stop.halt_on_stop(context.model, context.meter))
            self._loop = _Loop()
            atexit.register(self.close)
        work = self._ask_in_turn(row, question_index, epoch)
        return await asyncio.wrap_future(self._loop.submit(work))

    def close(self) -> None:
        """Close the agents whose histories have questions left, and their model."""
        loop, self._loop = self._loop, None
        if loop:
            atexit.unregister(self.close)

            async def close_all() -> None:
                while self._open:
                    await self._open.popitem()[1].run.close()
                if self._model:
                    await self._model.close()

            with contextlib.suppress(Exception):  # What was answered stands.
                loop.submit(close_all()).result(_LAST_SECONDS)
            loop.end()
            self._while_open.close()

    async def _ask_in_turn(self, row: int, question_index: int, epoch: int) -> AnsweredQuestion:
        points = self.rows[row].asked_after
        after = points[question_index] if points else None
        place = row, epoch, after
        if place not in self._open:
            store = _LastAnswer(Path(self._folder.name, f"{row}-{epoch}-{question_index}"))
            self._open[place] = _History(self._context, store, self.rows[row], after)
        history = self._open[place]
        async with history.lock:
            answered = await history.ask(question_index)
            if not history.left:
                self._open.pop(place, None)
                await history.run.close()
        return answered


class _LastAnswer:
    """A store that keeps the last sample, and the memory's calls since the one before."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sample: tuple[Sample, Timing] | None = None
        self.calls: dict[str, CallRecord] = {}

    def append_sample(self, sample: Sample, timing: Timing, prompt: str | None = None) -> None:
        self.sample = (sample, timing)

    def _forget(self, _: object) -> None:
        pass

    # What was paid for no sample, what the agent takes beside texts, and how a row was memorized,
    # whose failure is in the samples.
    append_timing = note_takes = append_memory = _forget

    def append_call(self, call: CallRecord) -> None:
        if call.by == "memory":
            self.calls[call.call] = call


class _History:
    """A history with an agent of its own, its lock, and the questions that are not asked yet.

    They are those of one point of the history, which is told no further.
    """

    def __init__(
        self, context: RunContext, store: _LastAnswer, row: Row, after: str | None
    ) -> None:
        asked = (question for question in row.flatten() if question.asked_after == after)
        self.questions = {question.question_index: question for question in asked}
        self.left = {*self.questions}
        self.lock = asyncio.Lock()
        self._is_told = False
        self._store = store
        self._context = replace(context, store=store)
        self.run = RowRun(self._context, row)

    async def ask(self, question_index: int) -> AnsweredQuestion:
        store, stop = self._store, self._context.stop
        if not self._is_told:
            await self.run.open([*self.questions.values()])
            self._is_told = True
        if not stop.reason:
            await self.run.ask(self.questions[question_index])
        if store.sample is None:
            raise ModelStoppedError(stop.reason or "requests were halted")
        (sample, timing), store.sample = store.sample, None
        known = self._context.meter or store.calls
        calls = CallTotals.of(store.calls.values()) if known else None
        store.calls.clear()
        self.left.discard(question_index)
        return AnsweredQuestion(sample, timing.seconds, calls)


class _Loop:
    """An event loop in a thread, which does not keep the program from exiting."""

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
