"""One row: a fresh agent is told its history, asked its questions and closed.

An agent sees chunks and queries and nothing else. Its failures are recorded, score as wrong, and
never end the run.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any

from mabench.agents.baselines import Oracle
from mabench.contract import Answer, Query
from mabench.data import Question, Row
from mabench.families import ScoringInput, search_query
from mabench.models import ModelUnavailableError
from mabench.runs.engine.context import RunContext
from mabench.runs.engine.evidence import EvidenceTurns
from mabench.runs.engine.failure import Failure, failure_of
from mabench.runs.engine.growth import MemoryGrowth
from mabench.runs.engine.retrieval import RetrievalRecorder
from mabench.runs.engine.saved_memory import SavedMemory
from mabench.runs.engine.session import AgentSession
from mabench.runs.records.measurements import MemoryRecord
from mabench.runs.records.sample import Sample, scored_sample
from mabench.text import estimate_tokens

# Seconds between the first questions of a row, so that a server does not get all of them at
# once, and its replies do not come back in waves.
_RAMP = 0.002


class RowRun:
    """Runs one agent over one row.

    Args:
        context: what holds for the whole run.
        row: the row.
        stored: called with each sample once it is stored.
    """

    def __init__(self, context: RunContext, row: Row, stored: Callable[[Sample], None]) -> None:
        self._run = context
        self._row = row
        self._stored = stored
        self._family = context.inputs.family_of(row.source)
        self._source = context.inputs.sources[row.source]
        # The oracle is told each gold just before it is asked: one question at a time.
        self._parallel = 1 if context.agent.takes_gold else context.limits.questions

    async def run(self, questions: Sequence[Question]) -> None:
        """Tell the history and ask ``questions``; every one is stored unless the run stops.

        Raises:
            MabenchError: when tokenizer data or the run folder fail, or no agent can be made.
        """
        run = self._run
        chunks = await asyncio.to_thread(self._chunks)
        title = f"{self._row.source}, row {self._row.index}"
        note = f"{len(self._row.questions)} questions"
        run.progress.start("chunks", len(chunks), title=title, note=note)
        saved = SavedMemory(run.agent.name, self._row, chunks, run.store.path, run.memories_folder)
        session, loaded = await self._session(saved)
        try:
            failure = None if loaded else await self._memorize(session, chunks, saved)
            if failure:
                self._fail_all(questions, failure)
            else:
                evidence = EvidenceTurns(self._row)
                recorder = RetrievalRecorder(chunks, evidence, self._family, session.searches)
                await self._ask_all(session, questions, recorder)
            if not run.stop.reason:
                saved.drop()
        finally:
            await _close(session)

    def _chunks(self) -> list[str]:
        """Return what the agent is told."""
        run = self._run
        chunks = run.protocol.chunks(
            self._family,
            self._row.context,
            run.spec.injection.chunk_tokens,
            offline=run.spec.data.offline,
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
            self._store_memory(None, start, growth, loaded=True)
        return session, loaded

    async def _fresh_session(self) -> AgentSession:
        session = AgentSession(
            self._run.agent,
            threads=self._parallel,
            memorize_seconds=self._run.limits.memorize_seconds,
            answer_seconds=self._run.limits.answer_seconds,
        )
        await session.make()
        return session

    async def _memorize(
        self, session: AgentSession, chunks: Sequence[str], saved: SavedMemory
    ) -> Failure | None:
        """Tell the history, unless the run stops; return what went wrong, if anything."""
        length = await asyncio.to_thread(_length, chunks)
        failure = None
        start = time.perf_counter()
        growth = MemoryGrowth(session)
        await growth.begin()
        try:
            for chunk in chunks:
                if self._run.stop.reason:
                    return None
                await session.memorize(chunk)
                await growth.chunk_memorized()
                self._run.progress.advance("chunks")
        except Exception as error:
            failure = failure_of(error)
        self._store_memory(failure, start, growth, **length)
        if failure is None:
            await saved.save(session)
        return failure

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
        outcome: Answer | Failure
        start = time.perf_counter()
        try:
            self._show_gold(session, question)
            outcome = await session.answer(self._query(question))
        except ModelUnavailableError:
            raise  # No question will ever be answered: nothing is recorded.
        except Exception as error:
            outcome = failure_of(error)
        seconds = time.perf_counter() - start
        self._store(self._sample(question, outcome, recorder), seconds)

    def _query(self, question: Question) -> Query:
        prompt = self._run.inputs.prompts.ask(self._family.name, question.question)
        return Query(
            prompt,
            question=question.question,
            search_query=search_query(prompt),
            max_tokens=self._run.protocol.budget(self._family).answer_tokens,
        )

    def _show_gold(self, session: AgentSession, question: Question) -> None:
        """Open the private door for our own oracle alone, and only when it was asked by name."""
        agent = session.agent
        if self._run.agent.takes_gold and type(agent) is Oracle:
            scored = ScoringInput(
                "", question.answers, question.question, self._run.inputs.catalogue
            )
            agent.receive_gold(self._family.ideal(scored))

    def _fail_all(self, questions: Sequence[Question], failure: Failure) -> None:
        """Store the questions of a history that could not be memorized; none is asked."""
        unasked = Failure(f"memorizing failed: {failure.error}", None)
        for question in questions:
            if self._run.stop.reason:
                return
            self._store(self._failed(question, unasked), 0.0)

    def _failed(self, question: Question, failure: Failure) -> Sample:
        catalogue = self._run.inputs.catalogue
        return scored_sample(
            question, None, failure.error, self._source, catalogue, traceback=failure.traceback
        )

    def _sample(
        self, question: Question, outcome: Answer | Failure, recorder: RetrievalRecorder
    ) -> Sample:
        if isinstance(outcome, Failure):
            return self._failed(question, outcome)
        return scored_sample(
            question,
            outcome.text,
            None,
            self._source,
            self._run.inputs.catalogue,
            **recorder.record(question, outcome.retrieved),
            input_tokens=outcome.input_tokens,
            output_tokens=outcome.output_tokens,
            tokens_estimated=outcome.tokens_estimated,
            dropped_tokens=outcome.dropped_tokens,
            cost=outcome.cost,
        )

    def _store(self, sample: Sample, seconds: float) -> None:
        self._run.store.append_sample(sample, seconds)
        self._stored(sample)

    def _store_memory(
        self, failure: Failure | None, start: float, growth: MemoryGrowth, **more: Any
    ) -> None:
        seconds = time.perf_counter() - start - growth.seconds
        self._run.store.append_memory(
            MemoryRecord(
                split=self._row.split,
                row=self._row.index,
                source=self._row.source,
                **{**more, **growth.figures()},
                seconds=round(seconds, 6),
                error=failure and failure.error,
            )
        )


async def _close(session: AgentSession) -> None:
    # What was answered stands, whatever a memory does while it is closed.
    with contextlib.suppress(Exception):
        await session.close()


def _length(chunks: Sequence[str]) -> dict[str, int]:
    """Return how much is told: chunks, characters, and about how many tokens."""
    tokens = sum(map(estimate_tokens, chunks))
    return {"chunks": len(chunks), "characters": sum(map(len, chunks)), "tokens": tokens}
