"""One row: a fresh agent is told its history, asked its questions and closed.

An agent sees chunks and queries and nothing else. Its failures are recorded, score as wrong, and
never end the run.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import traceback
from collections.abc import Sequence
from typing import Any

from mabench.agents.baselines import Oracle
from mabench.contract import Answer, Query
from mabench.contract.raised import AgentRaisedError, described
from mabench.data import Question, Row, source_named
from mabench.families import ScoringInput, family_of, search_query
from mabench.lookup import NotMadeError
from mabench.models import Bill, ModelStoppedError, ModelUnavailableError, billed
from mabench.redact import redact, redact_values
from mabench.runs.engine.context import RunContext, Stored
from mabench.runs.engine.memory import MemoryGrowth, SavedMemory
from mabench.runs.engine.retrieval import RetrievalRecorder
from mabench.runs.engine.scoring import scored_sample
from mabench.runs.engine.session import AgentSession
from mabench.runs.records.measurements import MemoryRecord, Timing
from mabench.runs.records.sample import key_of
from mabench.text import estimate_tokens

# Seconds between the first questions of a row, so that a server does not get all of them at
# once, and its replies do not come back in waves.
_RAMP = 0.002
_LONGEST_MESSAGE = 2_000
_FRAMES = 4


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
        self._source = source_named(row.source, context.inputs.sources)
        self._family = family_of(self._source)
        # The oracle is told each gold just before it is asked: one question at a time.
        self._parallel = 1 if context.agent.takes_gold else context.spec.limits.questions

    async def run(self, questions: Sequence[Question]) -> None:
        """Tell the history and ask ``questions``; every one is stored unless the run stops.

        Raises:
            MabenchError: when tokenizer data or the run folder fail, or no agent can be made; one
                that cannot be made where another could fails its row.
        """
        run = self._run
        chunks = await asyncio.to_thread(self._chunks)
        title = f"{self._row.source}, row {self._row.index}"
        note = f"{len(self._row.questions)} questions"
        run.progress.start("chunks", len(chunks), title=title, note=note)
        saved = SavedMemory(run, self._row, chunks)
        try:
            session, loaded = await self._session(saved)
        except NotMadeError as failure:
            if not run.agent_made.is_set():
                raise  # Probably none can be made.
            self._fail_all(questions, str(failure))
            return
        try:
            error = None if loaded else await self._memorize(session, chunks, saved)
            if error:
                self._fail_all(questions, f"memorizing failed: {error}")
            else:
                recorder = RetrievalRecorder(chunks, self._row, self._family, session.searches)
                await self._ask_all(session, questions, recorder)
            if not run.stop.reason:
                saved.drop()
        finally:
            await _close(session)

    def _chunks(self) -> list[str]:
        """Return what the agent is told."""
        run, spec = self._run, self._run.spec
        chunks = run.protocol.chunks(
            self._family,
            self._row.context,
            spec.injection.chunk_tokens,
            offline=spec.data.offline,
        )
        # The published chunker can make empty chunks; there is nothing to memorize in one.
        return [run.inputs.prompts.tell(self._family.name, chunk) for chunk in chunks if chunk]

    async def _session(self, saved: SavedMemory) -> tuple[AgentSession, bool]:
        """Return a session of a fresh agent, and whether it has loaded its memory."""
        session = await self._fresh_session()
        start = time.perf_counter()
        try:
            loaded = await saved.load(session)
        except Exception:
            await _close(session)
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
            threads=self._parallel,
            memorize_seconds=limits.memorize_seconds,
            answer_seconds=limits.answer_seconds,
        )
        await session.make()
        self._run.agent_made.set()
        return session

    async def _memorize(
        self, session: AgentSession, chunks: Sequence[str], saved: SavedMemory
    ) -> str | None:
        """Tell the history, unless the run stops; return what went wrong, if anything."""
        tokens = await asyncio.to_thread(lambda: sum(map(estimate_tokens, chunks)))
        error = None
        start = time.perf_counter()
        growth = MemoryGrowth(session)
        await growth.look()
        try:
            for chunk in chunks:
                if self._run.stop.reason:
                    return None
                await session.memorize(chunk)
                await growth.look()
                self._run.progress.advance("chunks")
        except Exception as failure:
            error = _described(failure)["error"]
        self._store_memory(
            start,
            growth,
            chunks=len(chunks),
            characters=sum(map(len, chunks)),
            tokens=tokens,
            chunks_without_memory=growth.chunks_without_memory(),
            error=error,
        )
        if error is None:
            await saved.save(session)
        return error

    async def _ask_all(
        self, session: AgentSession, questions: Sequence[Question], recorder: RetrievalRecorder
    ) -> None:
        """Ask the questions in order, some at a time, until the run stops."""
        pending = iter(questions)

        async def ask_in_turn(delay: float) -> None:
            await asyncio.sleep(delay)
            for question in pending:
                if self._run.stop.reason:
                    return
                await self._ask(session, question, recorder)

        if self._parallel == 1:
            await ask_in_turn(0)
            return
        async with asyncio.TaskGroup() as tasks:
            for i in range(self._parallel):
                tasks.create_task(ask_in_turn(i * _RAMP))

    async def _ask(
        self, session: AgentSession, question: Question, recorder: RetrievalRecorder
    ) -> None:
        """Ask one question, score the answer and store both."""
        answer, failure = None, {}
        start = time.perf_counter()
        with billed() as bill:
            try:
                self._show_gold(session, question)
                answer = await self._answer(session, question)
            except ModelStoppedError:
                self._store_bill(_timing(question, start, bill))
                return  # It is asked again when the run is resumed.
            except (ModelUnavailableError, asyncio.CancelledError):
                self._store_bill(_timing(question, start, bill))
                raise  # No question will be answered now: nothing is recorded.
            except Exception as error:
                failure = _described(error)
        timing = _timing(question, start, bill)
        if answer is None:
            self._store(question, timing, **failure)
            return
        self._store(
            question,
            timing,
            prediction=redact_values(answer.text),
            **recorder.record(question, answer.retrieved),
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            tokens_estimated=answer.tokens_estimated,
            dropped_tokens=answer.dropped_tokens,
            cost=answer.cost,
            prompt=None if answer.prompt is None else redact_values(answer.prompt),
        )

    async def _answer(self, session: AgentSession, question: Question) -> Answer:
        """Return the answer; time that runs out while the model's server is away is no answer."""
        model = self._run.model
        while True:
            try:
                return await session.answer(self._query(question))
            except TimeoutError:
                if model is None or not (session.hung and model.failing):
                    raise

    def _query(self, question: Question) -> Query:
        prompt = self._run.inputs.prompts.ask(self._family.name, question.question)
        return Query(
            prompt,
            question=question.question,
            search_query=search_query(prompt),
            max_tokens=self._run.protocol.budget(self._family).answer_tokens,
            system=self._run.inputs.prompts.system(self._family.name),
        )

    def _show_gold(self, session: AgentSession, question: Question) -> None:
        """Open the private door for our own oracle alone, and only when it was asked by name."""
        agent = session.agent
        if self._run.agent.takes_gold and type(agent) is Oracle:
            scored = ScoringInput(
                "",
                question.answers,
                question.question,
                self._run.inputs.catalogue,
                question.question_type,
            )
            agent.receive_gold(self._family.ideal(scored))

    def _fail_all(self, questions: Sequence[Question], error: str) -> None:
        """Store the questions of a history that could not be memorized; none is asked."""
        for question in questions:
            if self._run.stop.reason:
                return
            self._store(question, Timing(*key_of(question), seconds=0.0), error=error)

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

    def _store_memory(self, start: float, growth: MemoryGrowth, **known: Any) -> None:
        seconds = time.perf_counter() - start - growth.seconds
        self._run.store.append_memory(
            MemoryRecord(
                split=self._row.split,
                row=self._row.index,
                source=self._row.source,
                memories=growth.stats.memories,
                bytes=growth.stats.bytes,
                seconds=round(seconds, 6),
                **known,
            )
        )


def _timing(question: Question, start: float, bill: Bill) -> Timing:
    """Return what a question took since ``start``."""
    seconds = round(time.perf_counter() - start, 6)
    return Timing(*key_of(question), seconds=seconds, paid=bill.paid, wasted=bill.wasted or None)


async def _close(session: AgentSession) -> None:
    # What was answered stands, whatever a memory does while it is closed.
    with contextlib.suppress(Exception):
        await session.close()


def _described(error: Exception) -> dict[str, str | None]:
    """Return the kind and message of an error, and the last frames of where, without secrets."""
    original = error.original if isinstance(error, AgentRaisedError) else error
    frames = traceback.extract_tb(original.__traceback__)[-_FRAMES:]
    # An agent in another process notes where it raised there.
    notes = [note for note in vars(original).get("__notes__", ()) if isinstance(note, str)]
    where = "".join([*traceback.format_list(frames), *notes])
    message = redact(described(error))[:_LONGEST_MESSAGE]
    return {"error": message, "traceback": redact(where)[-_LONGEST_MESSAGE:] or None}
