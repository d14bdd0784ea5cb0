"""One row: a fresh agent is told its history, asked its questions and closed.

An agent sees pieces of the history and queries and nothing else; a question that is asked in the
midst of the history comes before the agent is told any more. Its failures are recorded, score as
wrong, and never end the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any

from mabench.contract import Answer
from mabench.data import Question, Row, find_source
from mabench.errors import NotMadeError
from mabench.families import ScoringInput, family_of
from mabench.injection import Prompting, Script
from mabench.models import (
    CallPhase,
    ModelStoppedError,
    ModelUnavailableError,
    ReplyNotKeptError,
    current_log,
)
from mabench.redact import redact_values
from mabench.results import (
    MemoryRecord,
    TakesRecord,
    Timing,
    error_fields,
    score_sample,
)
from mabench.runs.context import RowCalls, RunContext
from mabench.runs.conversation import Conversation
from mabench.runs.memory import MemoryGrowth, RetrievalRecorder, SavedMemory
from mabench.tasks.loops import in_thread
from mabench.text import estimate_each

# Seconds between the first questions of a row, so that a server does not get all of them at
# once, and its replies do not come back in waves.
_RAMP = 0.002
# What an agent tells beside its answer, as it is stored.
_REPORTED = ("input_tokens", "output_tokens", "tokens_estimated", "dropped_tokens", "cost")


class RowRun:
    """Runs one agent over one row."""

    def __init__(self, context: RunContext, row: Row) -> None:
        self._run = context
        self._row = row
        self._title = f"{row.source}, row {row.index}"
        self._source = find_source(row.source, context.inputs.sources)
        self._family = family_of(self._source)
        self._prompting = Prompting(context.spec, context.inputs.prompts)
        self._calls = RowCalls(context, row.split, row.index, row.source)
        # The oracle is told each gold just before it is asked: one question at a time.
        self._parallel = 1 if context.agent.takes_gold else context.spec.limits.questions
        self._agent: Conversation | None = None
        self._script: Script | None = None
        self._told: int | None = None  # How many pieces of it the agent knows; None: not begun.
        self._seconds = 0.0  # That memorizing and loading have taken.
        self._load_error: str | None = None
        self._error: str | None = None  # Why no question can be asked.

    async def run(self, questions: Sequence[Question]) -> None:
        """Tell the history and ask ``questions``; every one is stored unless the run stops.

        Raises:
            MabenchError: when tokenizer data or the run folder fail, or no agent can be made; one
                that cannot be made where another could fails its row.
            ReplyNotKeptError: when a reply would have to be kept and is not.
        """
        try:
            await self.open(questions)
            for asked in self._in_turn(questions):
                await self._tell(asked[0])
                await self._ask_all(asked)
            if self._agent and not self._run.stop.reason:
                self._saved.drop()
        finally:
            await self.close()
        if self._calls.missing:
            raise ReplyNotKeptError(self._calls.missing)

    async def open(self, questions: Sequence[Question]) -> None:
        """Make the agent and tell it the history, as far as the first of ``questions`` may know.

        If that fails, every question fails; what ``run`` raises is raised.
        """
        run, row = self._run, self._row
        try:
            self._agent = agent = await self._make_agent()
            takes = agent.takes
            self._script = script = await in_thread(
                partial(self._prompting.script, self._family, row, takes.told, takes.unit)
            )
            if script.by_turn:
                run.store.note_takes(TakesRecord.of(takes))
            note = f"{len(questions)} question{'s' * (len(questions) != 1)}"
            run.progress.start("chunks", len(script.pieces), title=self._title, note=note)
            self._saved = SavedMemory(run, row, script)
            self._recorder = RetrievalRecorder(script, row, self._family, agent.searches)
            first = next(self._in_turn(questions))[0]
            self._agent = await self._load(agent, self._point(first))
        except NotMadeError as failure:
            if not run.agent_made.is_set():
                raise  # Probably none can be made.
            self._agent, self._error = None, str(failure)
            return
        await self._tell(first)

    def _point(self, question: Question) -> int:
        """Return how many pieces of the history are told before a question is asked."""
        return self._script.points[question.question_index] if self._script else 0

    def _in_turn(self, questions: Sequence[Question]) -> Iterator[list[Question]]:
        """Yield the questions of each point of the history, in order."""
        in_order = sorted(questions, key=self._point)
        yield from (list(asked) for _, asked in groupby(in_order, self._point))

    async def close(self) -> None:
        """Close the agent, if there is one."""
        self._enter(CallPhase("late"))
        if self._agent:
            await self._close(self._agent)

    async def _close(self, agent: Conversation) -> None:
        if not agent.has("close"):
            agent.abandon()
            return
        # What was answered stands, whatever a memory does while it is closed.
        with self._waiting_for("closing the agent of"), suppress(Exception):
            await agent.close()

    async def _make_agent(self) -> Conversation:
        limits, endpoint = self._run.spec.limits, self._calls.endpoint
        agent = Conversation(
            self._run.agent,
            address=endpoint.address if endpoint else None,
            threads=self._parallel,
            memorize_seconds=limits.memorize_seconds,
            answer_seconds=limits.answer_seconds,
        )
        with self._waiting_for("creating the agent for"):
            await agent.make()
        for miss in () if self._run.agent_made.is_set() else agent.takes.misses:
            self._run.progress.say(f"{self._run.agent.name}: {miss}.")
        self._run.agent_made.set()
        return agent

    async def _load(self, agent: Conversation, most: int) -> Conversation:
        """Let the agent load a memory that knows ``most`` pieces at most; a fresh one if it fails.

        The fresh one has loaded nothing.
        """
        start = time.perf_counter()
        try:
            with self._waiting_for("loading the memory of"):
                told = await self._saved.load(agent, most)
                if told is not None:
                    await agent.ready()
                self._told = told
        except Exception as failure:
            self._agent = None  # Which is closed once.
            await self._close(agent)
            self._load_error = error = error_fields(failure)["error"]
            why = f"its saved memory could not be loaded, so the row is memorized again: {error}"
            self._run.progress.say(f"{self._title}: {why}")
            agent = await self._make_agent()
        self._growth = MemoryGrowth(agent)
        self._is_loaded = self._told is not None
        if self._is_loaded:
            await self._growth.look()
            self._store_memory(start, 0.0, loaded=True)
        return agent

    async def _tell(self, question: Question) -> None:
        """Tell the agent the history up to where a question is asked, if it does not know that."""
        agent, script, point = self._agent, self._script, self._point(question)
        behind = self._told is None or self._told < point
        if agent and script and behind and not self._error:
            self._enter(CallPhase("memorizing"))
            await self._memorize(agent, script, point)
        if self._error is None:
            self._enter(CallPhase("answering"))

    async def _memorize(self, agent: Conversation, script: Script, point: int) -> None:
        chunks, told = [piece.text for piece in script.pieces[:point]], self._told or 0
        tokens = await in_thread(lambda: sum(estimate_each(chunks)))
        error = None
        start, growth, looked = time.perf_counter(), self._growth, self._growth.seconds
        if self._told is None:
            await growth.look()
        try:
            for number, piece in enumerate(script.pieces[told:point], start=told + 1):
                if self._run.stop.reason:
                    return
                with self._waiting_for(f"memorizing chunk {number} of {len(script.pieces)} of"):
                    await agent.tell(piece.text, piece.fields)
                    growth.note_add()
                    if number == point:
                        await growth.wait()
                    await growth.look()
                self._run.progress.advance("chunks")
            self._told = point
        except Exception as failure:
            error = error_fields(failure)["error"]
            self._error = f"memorizing failed: {error}"
        memory = self._store_memory(
            start,
            looked,
            loaded=self._is_loaded,
            chunks=len(chunks),
            characters=sum(map(len, chunks)),
            tokens=tokens,
            chunks_without_memory=None if self._is_loaded else growth.chunks_without_memory(),
            **growth.times(),
            error=error,
            load_error=self._load_error,
        )
        if error or self._is_refused:  # It may lack what a call would bring.
            return
        try:
            with self._waiting_for("saving the memory of"):
                await self._saved.save(agent, point)
        except Exception as failure:  # A memory that cannot be saved still works.
            error = error_fields(failure)["error"]
            self._run.store.append_memory(replace(memory, save_error=error))
            why = f"its memory could not be saved, so {self._saved.consequence}: {error}"
            self._run.progress.say(f"{self._title}: {why}")

    def _store_memory(self, start: float, looked: float, **measured: Any) -> MemoryRecord:
        """Store what is known of the memory by now; looking took ``looked`` seconds before."""
        growth = self._growth
        self._seconds += time.perf_counter() - start - (growth.seconds - looked)
        memory = MemoryRecord(
            split=self._row.split,
            row=self._row.index,
            source=self._row.source,
            memories=growth.stats.memories,
            bytes=growth.stats.bytes,
            metered=self._calls.endpoint is not None,
            seconds=round(self._seconds, 6),
            **measured,
        )
        self._run.store.append_memory(memory)
        return memory

    async def _ask_all(self, questions: Sequence[Question]) -> None:
        pending = iter(questions)

        async def ask_in_turn(delay: float) -> None:
            await asyncio.sleep(delay)
            for question in pending:
                if self._run.stop.reason:
                    return
                await self.ask(question)

        if self._parallel == 1:
            await ask_in_turn(0)
            return
        async with asyncio.TaskGroup() as tasks:
            for i in range(self._parallel):
                tasks.create_task(ask_in_turn(i * _RAMP))

    async def ask(self, question: Question) -> None:
        """Ask one question, score the answer and store both; nothing if the run is stopping.

        A ModelUnavailableError says that there will be no answer to any question.
        """
        index, key = question.question_index, question.key
        phase = CallPhase("answering", index)
        if self._agent is None or self._error:
            self._store(question, Timing(*key, seconds=0.0), error=self._error)
            return
        start = time.perf_counter()
        if self._parallel == 1:
            self._enter(phase)
        answer: Answer | Exception
        stopped: BaseException | None = None
        log = self._calls.log(phase)
        current_log.set(log)
        try:
            answer = await self._answer(self._agent, question)
        except (ModelStoppedError, ModelUnavailableError, asyncio.CancelledError) as error:
            stopped = error
        except Exception as error:
            answer = error
        search = self._agent.search_seconds
        current_log.set(None)
        seconds = round(time.perf_counter() - start, 6)
        timing = Timing(
            *key, seconds=seconds, paid=log.paid, wasted=log.wasted or None, search_seconds=search
        )
        if stopped or self._is_refused:  # No answer, or one that comes of the stopping.
            if log.paid:
                self._run.store.append_timing(timing)
            if isinstance(stopped, ReplyNotKeptError):
                raise ReplyNotKeptError(f"{self._calls.place(phase)}: {stopped}") from None
            if stopped and not isinstance(stopped, ModelStoppedError):
                raise stopped
            return  # It is asked again when the run is resumed.
        if isinstance(answer, Exception):
            self._store(question, timing, **error_fields(answer))
            return
        self._store(
            question,
            timing,
            prediction=answer.text,
            **self._recorder.record(question, answer),
            **{name: getattr(answer, name) for name in _REPORTED},
            prompt=None if answer.prompt is None else redact_values(answer.prompt),
        )

    async def _answer(self, agent: Conversation, question: Question) -> Answer:
        """Return the answer; time that runs out while the model's server is away is no answer."""
        inputs, model = self._run.inputs, self._run.model
        agent.search_seconds = None
        given = ScoringInput(
            "", question.answers, question.question, inputs.catalogue, question.question_type
        )
        agent.show_gold(partial(self._family.ideal, given))  # To the oracle alone.
        by_turn = self._script is not None and self._script.by_turn
        query = self._prompting.query(self._family, question, by_turn)
        what = "search of" if agent.searches else "answer to"
        while True:
            try:
                with self._waiting_for(f"the {what} question {question.question_index},"):
                    return await agent.ask(query)
            except TimeoutError:
                if model is None or not (agent.hung and model.road.failing):
                    raise

    def _enter(self, phase: CallPhase) -> None:
        """Note at what the row's memory is from now on."""
        if self._calls.endpoint is not None:
            self._calls.endpoint.phase = phase

    @property
    def _is_refused(self) -> bool:
        """Whether a call of the memory was refused because the run stops."""
        return self._calls.endpoint is not None and self._calls.endpoint.refused > 0

    def _waiting_for(self, what: str) -> AbstractContextManager[None]:
        return self._run.stop.waiting_for(f"{what} {self._row.source} row {self._row.index}")

    def _store(
        self, question: Question, timing: Timing, prompt: str | None = None, **fields: Any
    ) -> None:
        fields = {"prediction": None, "error": None, **fields}
        catalogue = self._run.inputs.catalogue
        sample = score_sample(question, source=self._source, catalogue=catalogue, **fields)
        self._run.store.append_sample(sample, timing, prompt)
