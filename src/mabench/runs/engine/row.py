"""One row: a fresh agent is told its history, asked its questions and closed.

An agent sees chunks and queries and nothing else. Its failures are recorded, score as wrong, and
never end the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from mabench.contract import Answer
from mabench.data import Question, Row, find_source
from mabench.families import family_of
from mabench.injection.telling import Telling, perfect_answer
from mabench.lookup import NotMadeError
from mabench.metering import Moment
from mabench.models import (
    Bill,
    ModelStoppedError,
    ModelUnavailableError,
    ReplyNotKeptError,
    billed,
)
from mabench.redact import redact_values
from mabench.results.records.measurements import MemoryRecord, Timing
from mabench.results.records.sample import key_of
from mabench.results.sampling import recorded, scored_sample
from mabench.runs.engine.context import RunContext, Stored
from mabench.runs.engine.memory import MemoryGrowth, SavedMemory
from mabench.runs.engine.metered import RowCalls
from mabench.runs.engine.retrieval import RetrievalRecorder
from mabench.runs.engine.session import AgentSession
from mabench.tasks.loops import in_thread
from mabench.text import estimate_each

# Seconds between the first questions of a row, so that a server does not get all of them at
# once, and its replies do not come back in waves.
_RAMP = 0.002


class RowRun:
    """Runs one agent over one row.

    Args:
        context: what holds for the whole run.
        row: the row.
        stored: told of each sample once it is stored.
    """

    def __init__(self, context: RunContext, row: Row, stored: Stored) -> None:
        self._run = context
        self._row = row
        self._stored = stored
        self._source = find_source(row.source, context.inputs.sources)
        self._family = family_of(self._source)
        self._telling = Telling(context.spec, context.protocol, context.inputs.prompts)
        # The oracle is told each gold just before it is asked: one question at a time.
        self._calls = RowCalls(context, row)
        self._load_error: str | None = None
        self._parallel = 1 if context.agent.takes_gold else context.spec.limits.questions
        self._session: AgentSession | None = None
        self._error: str | None = None

    async def run(self, questions: Sequence[Question]) -> None:
        """Tell the history and ask ``questions``; every one is stored unless the run stops.

        Raises:
            MabenchError: when tokenizer data or the run folder fail, or no agent can be made; one
                that cannot be made where another could fails its row.
            ReplyNotKeptError: when a reply would have to be kept and is not.
        """
        try:
            await self.open(len(questions))
            await self._ask_all(questions)
            if self._session and not self._run.stop.reason:
                self._saved.drop()
        finally:
            await self.close()
        if self._calls.missing:
            raise ReplyNotKeptError(self._calls.missing)

    async def open(self, questions: int) -> None:
        """Make the agent and tell it the history, unless the run stops.

        If that fails, every question fails.

        Args:
            questions: how many will be asked.

        Raises:
            MabenchError: as for ``run``.
        """
        run = self._run
        chunks = await in_thread(partial(self._telling.chunks, self._family, self._row))
        title = f"{self._row.source}, row {self._row.index}"
        note = f"{questions} question{'s' * (questions != 1)}"
        run.progress.start("chunks", len(chunks), title=title, note=note)
        self._saved = SavedMemory(run, self._row, chunks)
        try:
            session, loaded = await self._make_session(self._saved)
        except NotMadeError as failure:
            if not run.agent_made.is_set():
                raise  # Probably none can be made.
            self._error = str(failure)
            return
        self._session = session
        error = None if loaded else await self._memorize(session, chunks, self._saved)
        if error:
            self._error = f"memorizing failed: {error}"
        else:
            self._calls.answering()
        self._recorder = RetrievalRecorder(chunks, self._row, self._family, session.searches)

    async def close(self) -> None:
        """Close the agent, if there is one."""
        self._calls.done()
        if self._session:
            await self._close_session(self._session)

    async def _make_session(self, saved: SavedMemory) -> tuple[AgentSession, bool]:
        """Return a session of a fresh agent, and whether it has loaded its memory."""
        session = await self._fresh_session()
        start = time.perf_counter()
        try:
            with self._waiting_for("loading the memory of"):
                loaded = await saved.load(session)
        except Exception as failure:
            await self._close_session(session)
            self._load_error = recorded(failure)["error"]
            self._say(
                "its saved memory could not be loaded, so the row is memorized again: "
                f"{self._load_error}"
            )
            return await self._fresh_session(), False
        if loaded:
            growth = MemoryGrowth(session)
            await growth.look()
            self._store_memory(start, growth, loaded=True)
        return session, loaded

    async def _fresh_session(self) -> AgentSession:
        limits = self._run.spec.limits
        session = AgentSession(
            self._run.agent,
            address=self._calls.address,
            threads=self._parallel,
            memorize_seconds=limits.memorize_seconds,
            answer_seconds=limits.answer_seconds,
        )
        with self._waiting_for("the making of the agent for"):
            await session.make()
        self._run.agent_made.set()
        return session

    async def _memorize(
        self, session: AgentSession, chunks: Sequence[str], saved: SavedMemory
    ) -> str | None:
        """Tell the history, unless the run stops; return what went wrong, if anything."""
        tokens = await in_thread(lambda: sum(estimate_each(chunks)))
        error = None
        start = time.perf_counter()
        growth = MemoryGrowth(session)
        await growth.look()
        try:
            for number, chunk in enumerate(chunks, start=1):
                if self._run.stop.reason:
                    return None
                with self._waiting_for(f"memorizing chunk {number} of {len(chunks)} of"):
                    await session.memorize(chunk)
                    await growth.look()
                self._run.progress.advance("chunks")
        except Exception as failure:
            error = recorded(failure)["error"]
        memory = self._store_memory(
            start,
            growth,
            chunks=len(chunks),
            characters=sum(map(len, chunks)),
            tokens=tokens,
            chunks_without_memory=growth.chunks_without_memory(),
            error=error,
            load_error=self._load_error,
        )
        if error is None and not self._calls.refused:  # It may lack what a call would bring.
            await self._save(session, saved, memory)
        return error

    async def _save(self, session: AgentSession, saved: SavedMemory, memory: MemoryRecord) -> None:
        """Let the agent save its memory; one that it cannot save still works."""
        try:
            with self._waiting_for("saving the memory of"):
                await saved.save(session)
        except Exception as failure:
            error = recorded(failure)["error"]
            self._run.store.append_memory(replace(memory, save_error=error))
            self._say(f"its memory could not be saved, so {saved.consequence}: {error}")

    def _say(self, problem: str) -> None:
        self._run.progress.say(f"{self._row.source}, row {self._row.index}: {problem}")

    async def _ask_all(self, questions: Sequence[Question]) -> None:
        """Ask the questions in order, some at a time, until the run stops."""
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

        Raises:
            ModelUnavailableError: when there will be no answer to any question.
        """
        run, session, answer, failure = self._run, self._session, None, {}
        if session is None or self._error:
            self._store(question, Timing(*key_of(question), seconds=0.0), error=self._error)
            return
        start = time.perf_counter()
        if self._parallel == 1:
            self._calls.answering(question.question_index)
        with billed(self._calls.of_question(question.question_index)) as bill:
            try:
                session.show_gold(
                    partial(perfect_answer, self._family, question, run.inputs.catalogue)
                )
                answer = await self._answer(session, question)
            except ModelStoppedError:
                self._store_bill(_timing(question, start, bill))
                return  # It is asked again when the run is resumed.
            except (ModelUnavailableError, asyncio.CancelledError) as error:
                self._store_bill(_timing(question, start, bill))
                if isinstance(error, ReplyNotKeptError):
                    place = self._calls.place(Moment("answering", question.question_index))
                    raise ReplyNotKeptError(f"{place}: {error}") from None
                raise  # No question will be answered now: nothing is recorded.
            except Exception as error:
                failure = recorded(error)
        if self._calls.refused:
            self._store_bill(_timing(question, start, bill))
            return  # Likewise: what it says now, or fails with, is since the run is stopping.
        timing = _timing(question, start, bill)
        if answer is None:
            self._store(question, timing, **failure)
            return
        self._store(
            question,
            timing,
            prediction=answer.text,
            **self._recorder.record(question, answer.retrieved),
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            tokens_estimated=answer.tokens_estimated,
            dropped_tokens=answer.dropped_tokens,
            cost=answer.cost,
            prompt=None if answer.prompt is None else redact_values(answer.prompt),
        )

    async def _answer(self, session: AgentSession, question: Question) -> Answer:
        """Return the answer; time that runs out while the model's server is away is no answer."""
        model, what = self._run.model, "search of" if session.searches else "answer to"
        while True:
            try:
                with self._waiting_for(f"the {what} question {question.question_index},"):
                    return await session.answer(self._telling.query(self._family, question))
            except TimeoutError:
                if model is None or not (session.hung and model.failing):
                    raise

    def _waiting_for(self, what: str) -> AbstractContextManager[None]:
        return self._run.stop.waiting_for(f"{what} {self._row.source} row {self._row.index}")

    async def _close_session(self, session: AgentSession) -> None:
        # What was answered stands, whatever a memory does while it is closed.
        with self._waiting_for("closing the agent of"), suppress(Exception):
            await session.close()

    def _store(
        self,
        question: Question,
        timing: Timing,
        prediction: str | None = None,
        error: str | None = None,
        prompt: str | None = None,
        **reported: Any,
    ) -> None:
        catalogue = self._run.inputs.catalogue
        sample = scored_sample(question, prediction, error, self._source, catalogue, **reported)
        self._run.store.append_sample(sample, timing, prompt)
        self._stored(sample, timing)

    def _store_bill(self, timing: Timing) -> None:
        """Store what was paid for a question that has no sample."""
        if timing.paid:
            self._run.store.append_timing(timing)
            self._stored(None, timing)

    def _store_memory(self, start: float, growth: MemoryGrowth, **known: Any) -> MemoryRecord:
        seconds = time.perf_counter() - start - growth.seconds
        memory = MemoryRecord(
            split=self._row.split,
            row=self._row.index,
            source=self._row.source,
            memories=growth.stats.memories,
            bytes=growth.stats.bytes,
            metered=self._calls.address is not None,
            seconds=round(seconds, 6),
            **known,
        )
        self._run.store.append_memory(memory)
        return memory


def _timing(question: Question, start: float, bill: Bill) -> Timing:
    """Return what a question took since ``start``."""
    seconds = round(time.perf_counter() - start, 6)
    return Timing(*key_of(question), seconds=seconds, paid=bill.paid, wasted=bill.wasted or None)
