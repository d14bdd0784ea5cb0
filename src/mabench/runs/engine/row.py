"""One row: a fresh agent is told its history, asked its questions, and put away.

An agent sees chunks and queries and nothing else. Its failures are recorded, score as wrong, and
never end the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from mabench.agents import RetrievalAgent
from mabench.agents.baselines import Oracle
from mabench.contract import Agent, Answer, Query, answer_of
from mabench.data import Question, Row
from mabench.families import ScoringInput, family_of, search_query
from mabench.lookup import make_agent
from mabench.models import ModelUnavailableError
from mabench.runs.engine.calls import Caller
from mabench.runs.engine.context import RunContext
from mabench.runs.engine.evidence import EvidenceTurns
from mabench.runs.engine.failure import Failure, described
from mabench.runs.engine.growth import Growth
from mabench.runs.engine.retrieved import Retrieved
from mabench.runs.engine.saved_memory import SavedMemory
from mabench.runs.records.sample import Sample, scored_sample
from mabench.text import estimate_tokens

# Seconds between the first questions of a row: a server is not met by all of them at once, and
# its replies do not come back in waves for which everything waits.
_RAMP = 0.002


class RowRun:
    """Examines one agent on one row.

    Args:
        examination: what holds for the whole run.
        row: the row.
        stored: told of each sample that is stored.
    """

    def __init__(self, examination: RunContext, row: Row, stored: Callable[[Sample], None]) -> None:
        self._run = examination
        self._row = row
        self._stored = stored
        # The oracle is told each gold just before it is asked: one question at a time.
        self._parallel = 1 if examination.agent.name == "oracle" else examination.limits.questions
        self._calls = Caller(self._parallel)
        self._memorized = False
        self._searches = False

    async def examine(self, questions: Sequence[Question]) -> None:
        """Tell the history and ask ``questions``; every one is stored unless the run stops.

        Raises:
            MabenchError: when tokenizer data or the run folder fail, or no agent can be made.
        """
        told = await asyncio.to_thread(self._told)
        self._start(len(told))
        kept = SavedMemory(
            self._run.agent.name, self._row, told, self._run.store.path, self._run.memories_folder
        )
        agent, loaded = await self._made_or_loaded(kept)
        self._searches = isinstance(agent, RetrievalAgent)
        try:
            failure = None if loaded else await self._memorize(agent, told, kept)
            if self._run.stop.reason and not loaded and not self._memorized:
                return
            retrieved = Retrieved(told, EvidenceTurns(self._row))
            await self._ask_all(agent, questions, retrieved, failure)
            if not self._run.stop.reason:
                kept.drop()
        finally:
            await self._close(agent)
            self._calls.close()

    def _start(self, chunks: int) -> None:
        row = self._row
        self._run.progress.start("chunks", chunks, title=f"{row.source}, row {row.index}")

    async def _made_or_loaded(self, kept: SavedMemory) -> tuple[Agent, bool]:
        """Return a fresh agent, and whether it has loaded a memory that was kept."""
        agent = await self._make()
        start = time.perf_counter()
        try:
            loaded = await kept.load(self._calls, agent, self._run.limits.memorize_seconds)
        except Exception:
            await self._close(agent)
            return await self._make(), False
        if loaded:
            growth = Growth(self._calls, agent, self._run.limits.memorize_seconds)
            await growth.look()
            self._record_memory(None, start, growth, loaded=True)
        return agent, loaded

    async def _make(self) -> Agent:
        """Make a fresh agent: an async one in the event loop, any other in its own thread."""
        if self._run.agent.is_async:
            return make_agent(self._run.agent)
        made: Agent = await self._calls.call(partial(make_agent, self._run.agent), limit=None)
        return made

    def _told(self) -> list[str]:
        run, row = self._run, self._row
        chunks = run.protocol.chunks(
            row.source, row.context, run.spec.injection.chunk_tokens, offline=run.spec.data.offline
        )
        # The published chunker can make empty chunks; there is nothing to memorize in one.
        name = family_of(row.source).name
        return [run.inputs.prompts.tell(name, chunk) for chunk in chunks if chunk]

    async def _memorize(
        self, agent: Agent, told: Sequence[str], kept: SavedMemory
    ) -> Failure | None:
        """Tell the history; return what went wrong, if anything."""
        limit = self._run.limits.memorize_seconds
        length = await asyncio.to_thread(_length, told)
        failure = None
        start = time.perf_counter()
        growth = Growth(self._calls, agent, limit)
        await growth.begin()
        try:
            for chunk in told:
                if self._run.stop.reason:
                    return None
                await self._calls.call(agent.memorize, chunk, limit=limit)
                await growth.chunk_told()
                self._run.progress.advance("chunks")
        except Exception as error:
            failure = described(error)
        self._memorized = True
        self._record_memory(failure, start, growth, **length)
        if failure is None:
            await kept.save(self._calls, agent, limit)
        return failure

    def _record_memory(
        self, failure: Failure | None, start: float, growth: Growth, **known: object
    ) -> None:
        seconds = time.perf_counter() - start - growth.seconds
        self._run.store.append_memory(
            {
                "split": self._row.split,
                "row": self._row.index,
                "source": self._row.source,
                **known,
                **growth.figures(),
                "seconds": round(seconds, 6),
                "error": failure and failure.error,
            }
        )

    async def _ask_all(
        self,
        agent: Agent,
        questions: Sequence[Question],
        retrieved: Retrieved,
        failure: Failure | None,
    ) -> None:
        """Ask the questions in order, some at a time; when memorizing failed, none is asked."""
        pending = iter(questions)

        async def ask_in_turn(delay: float) -> None:
            await asyncio.sleep(delay)
            for question in pending:
                if self._run.stop.reason:
                    return
                await self._ask(agent, question, retrieved, failure)

        if self._parallel == 1:
            await ask_in_turn(0)
            return
        async with asyncio.TaskGroup() as tasks:
            for i in range(self._parallel):
                tasks.create_task(ask_in_turn(i * _RAMP))

    async def _ask(
        self,
        agent: Agent,
        question: Question,
        retrieved: Retrieved,
        memory_failure: Failure | None,
    ) -> None:
        """Ask one question, score the answer and store both."""
        answer, failure = None, memory_failure
        if memory_failure:
            failure = Failure(f"memorizing failed: {memory_failure.error}", None)
        start = time.perf_counter()
        if failure is None:
            try:
                method = self._shown_gold(agent, question)
                found = await self._calls.call(
                    method, self._query(question), limit=self._run.limits.answer_seconds
                )
                answer = answer_of(found)
            except ModelUnavailableError:
                raise  # No question will ever be answered: nothing is recorded.
            except Exception as error:
                failure = described(error)
        seconds = time.perf_counter() - start
        sample = self._scored(question, answer, failure, retrieved)
        self._run.store.append_sample(sample, seconds)
        self._stored(sample)

    def _query(self, question: Question) -> Query:
        prompt = self._run.inputs.prompts.ask(family_of(question.source).name, question.question)
        return Query(
            prompt,
            question=question.question,
            search_query=search_query(prompt),
            max_tokens=self._run.protocol.max_tokens(question.source),
        )

    def _shown_gold(self, agent: Agent, question: Question) -> Callable[[Query], Any]:
        """Open the private door for our own oracle alone, and only when it was asked by name."""
        if self._run.agent.name == "oracle" and type(agent) is Oracle:
            scored = ScoringInput(
                "", question.answers, question.question, self._run.inputs.catalogue
            )
            agent.receive_gold(family_of(question.source).ideal(scored))
        return agent.answer

    def _scored(
        self,
        question: Question,
        answer: Answer | None,
        failure: Failure | None,
        retrieved: Retrieved,
    ) -> Sample:
        catalogue = self._run.inputs.catalogue
        if answer is None:
            error, where = failure or Failure("no answer", None)
            return scored_sample(question, None, error, catalogue, traceback=where)
        return scored_sample(
            question,
            answer.text,
            None,
            catalogue,
            **retrieved.recorded(question, answer.retrieved, self._searches),
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            tokens_estimated=answer.tokens_estimated,
            dropped_tokens=answer.dropped_tokens,
            cost=answer.cost,
        )

    async def _close(self, agent: Agent) -> None:
        close = getattr(agent, "close", None)
        try:
            if callable(close):
                await self._calls.call(close, limit=self._run.limits.answer_seconds)
        except Exception:
            # What was answered stands, whatever a memory does while it is put away.
            return


def _length(told: Sequence[str]) -> dict[str, int]:
    """Return how much is told: chunks, characters, and about how many tokens."""
    tokens = sum(map(estimate_tokens, told))
    return {"chunks": len(told), "characters": sum(map(len, told)), "tokens": tokens}
