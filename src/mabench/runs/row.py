"""One row: a fresh agent is told its history, asked its questions and closed.

An agent sees pieces of the history and queries and nothing else; a question that is asked in the
midst of the history comes before the agent is told any more. Its failures are recorded, score as
wrong, and never end the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from typing import Any, cast

from mabench.contract import Answer, Passage
from mabench.contract.failures import error_fields
from mabench.contract.methods import Takes
from mabench.data import BY_NAME, Question, Row
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
from mabench.printable import write_count
from mabench.redact import redact_values
from mabench.results import Key, Sample, TakesRecord, Timing, score_sample
from mabench.runs.calls import RowCalls
from mabench.runs.context import RunContext
from mabench.runs.conversation import Conversation
from mabench.runs.memorizing.memorizer import Memorizer
from mabench.runs.opening import depth_of
from mabench.runs.parallel import QuestionsAtOnce
from mabench.runs.retrieval import RetrievalRecorder
from mabench.runs.stages.tracer import StageTracer, traces_stages
from mabench.tasks.threads import in_thread

# Seconds between the first questions of a row, so that a server does not get all of them at
# once, and its replies do not come back in waves.
_SECONDS_BETWEEN_STARTS = 0.002
# The size of chunks that the warning of shallow histories suggests.
_SMALL_CHUNK_TOKENS = 128
# The fields of an answer, beside its text and passages, that are stored with its sample.
_REPORTED_FIELDS = (
    "input_tokens",
    "output_tokens",
    "tokens_estimated",
    "dropped_tokens",
    "cut_off",
    "cost",
)


class RowRun:
    """Runs one agent over one row."""

    def __init__(self, context: RunContext, row: Row) -> None:
        self._run = context
        self._row = row
        source = row.source
        self._title = context.inputs.title(source, row.index)
        self._source = context.inputs.sources[source]
        self._family = family_of(self._source)
        self._prompting = Prompting(context.spec, context.inputs.prompts)
        self._calls = RowCalls(context, row.split, row.index, source)
        self._at_once = QuestionsAtOnce(1, 1)
        self._agent: Conversation | None = None
        self._script: Script | None = None
        self._tracer: StageTracer | None = None  # If support is followed through the memory.
        # The questions of earlier sittings whose support can still be looked for, and all their
        # answers of which that was not done.
        self._answered_earlier: list[Question] = []
        self._earlier_samples: dict[Key, Sample] = {}
        self._error: str | None = None  # Why no question can be asked.

    async def run(self, questions: Sequence[Question]) -> None:
        """Tell the history and ask ``questions``; every one is stored unless the run stops.

        Raises:
            MabenchError: when tokenizer data or the run folder fail, or no agent can be made; one
                that cannot be made after another was fails its row.
            ReplyNotKeptError: when a reply would have to be kept and is not.
        """
        try:
            await self.open(questions)
            still_open = {question.key for question in questions}
            for at_point in self._in_turn([*questions, *self._answered_earlier]):
                await self._tell(at_point[0])
                await self._ask_all([one for one in at_point if one.key in still_open])
                if self._agent and self._tracer:
                    for question in at_point:
                        if sample := self._earlier_samples.get(question.key):
                            self._tracer.note_earlier_answer(question, sample)
                    await self._tracer.look()
            if self._agent and not self._run.stop.reason and self._memory.saved:
                self._memory.saved.drop()
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
                run.store.note_takes(_record_takes(takes))
            if agent.searches and self._source.name not in BY_NAME:
                self._warn_if_shallow(script)
            note = write_count(len(questions), "question")
            run.progress.start("chunks", len(script.pieces), title=self._title, note=note)
            self._recorder = RetrievalRecorder(script, row, self._family, agent.searches)
            self._begin_tracing(agent, script, questions)
            self._memory = Memorizer(run, row, script, self._calls, self._note_piece)
            first = min(questions, key=self._point)
            if not await self._memory.load(agent, self._point(first)):
                self._agent = None  # So that ``close`` does not close it again.
                await self._close(agent)
                self._agent = agent = await self._make_agent()
                self._begin_tracing(agent, script, questions)
            if self._tracer:
                self._find_earlier_answers()
                first = min([*questions, *self._answered_earlier], key=self._point)
        except NotMadeError as failure:
            if not run.agent_made.is_set():
                raise  # Probably none can be made.
            self._agent, self._error = None, str(failure)
            return
        await self._tell(first)

    def _warn_if_shallow(self, script: Script) -> None:
        """Say before anything is told that every search of a row will return all of its history."""
        run, depth = self._run, depth_of(self._run.spec)
        told = max(script.points, default=0)
        if not 0 < told <= depth or run.said_shallow.is_set():
            return
        run.said_shallow.set()
        remedy = f"let a search return fewer (`settings` k={max(1, told // 4)})"
        if not script.by_turn:
            remedy += f", or tell smaller chunks (`chunk_tokens` {_SMALL_CHUNK_TOKENS})"
        run.progress.say(
            f"{self._title}: every search will return the whole history, which is told in "
            f"{write_count(told, 'piece')}, and so says nothing of what a memory finds; "
            f"{remedy}."
        )

    def _begin_tracing(
        self, agent: Conversation, script: Script, questions: Sequence[Question]
    ) -> None:
        """Follow the support of questions through the memory from now on, if that is asked for."""
        self._tracer = None
        if traces_stages(self._run.spec.limits, agent):
            query_of = partial(self._prompting.query, self._family, by_turn=script.by_turn)
            self._tracer = StageTracer(
                self._run, agent, script, self._recorder, self._calls, query_of
            )
            self._tracer.expect(questions)

    def _find_earlier_answers(self) -> None:
        """Find the answers of earlier sittings whose support can still be looked for.

        It cannot where a memory was loaded that already knows more than it did at the question.
        """
        samples = self._run.store.answers_not_looked_at((self._row.split, self._row.index))
        self._earlier_samples = {sample.key: sample for sample in samples}
        self._answered_earlier = [
            question
            for question in self._row.flatten()
            if question.key in self._earlier_samples and self._point(question) >= self._memory.told
        ]

    async def _note_piece(self, number: int, ids: Sequence[object]) -> None:
        """Note the ids of a piece that was told, by its number from 1, if support is followed."""
        if self._tracer:
            await self._tracer.note_piece(number, ids)

    def _point(self, question: Question) -> int:
        """Return how many pieces of the history are told before a question is asked."""
        return self._script.points[question.question_index] if self._script else 0

    def _in_turn(self, questions: Sequence[Question]) -> Iterator[list[Question]]:
        """Yield the questions that are asked at each point of the history, from its beginning."""
        in_order = sorted(questions, key=self._point)
        for _, asked_there in groupby(in_order, self._point):
            yield list(asked_there)

    async def close(self) -> None:
        """Close the agent, if there is one."""
        self._calls.endpoint.phase = CallPhase("late")
        if self._agent:
            await self._close(self._agent)

    async def _close(self, agent: Conversation) -> None:
        """Close an agent; one without ``close`` is only let go, and failures count for nothing."""
        if not agent.has("close"):
            agent.abandon()
            return
        # What was answered is kept, whatever a memory does while it is closed.
        closing = f"closing the agent of {self._calls.row_name}"
        with self._run.stop.waiting_for(closing), suppress(Exception):
            await agent.close()

    async def _make_agent(self) -> Conversation:
        """Return a fresh agent, which may be called as often at a time as is sound for it.

        Raises:
            NotMadeError: when it cannot be made, or not within the time limit.
            UsageError: when what was made is no agent.
        """
        limits = self._run.spec.limits
        agent = Conversation(
            self._run.agent,
            address=self._calls.endpoint.address if self._run.meter else None,
            make_seconds=limits.memorize_seconds,
            memorize_seconds=limits.memorize_seconds,
            answer_seconds=limits.answer_seconds,
        )
        with self._run.stop.waiting_for(f"creating the agent for {self._calls.row_name}"):
            try:
                await agent.make()
            except TimeoutError as error:
                raise NotMadeError(
                    f"{self._run.agent.name} was not made: {error}; raise `memorize_timeout` if it "
                    "only takes long to start"
                ) from error
        asked, calls = QuestionsAtOnce.of(self._run.spec, agent)
        most = max(1, len(self._row.questions))
        self._at_once = QuestionsAtOnce(asked=min(asked, most), calls=min(calls, most))
        agent.allow(self._at_once.calls)
        if not self._run.agent_made.is_set():
            for miss in agent.takes.misses:
                self._run.progress.say(f"{self._run.agent.name}: {miss}.")
        self._run.agent_made.set()
        return agent

    async def _tell(self, question: Question) -> None:
        """Tell the agent what it does not know yet of the history before a question.

        If that fails, ``_error`` says why, and no question is asked any more.
        """
        if self._agent and not self._error:
            point = self._point(question)
            current_log.set(self._calls.log(CallPhase("memorizing")))
            self._error = await self._memory.memorize(self._agent, point)
            current_log.set(None)
        if self._error is None:
            self._calls.endpoint.phase = CallPhase("answering")

    async def _ask_all(self, questions: Sequence[Question]) -> None:
        """Ask questions, as many at a time as is set, each by the first that is free to ask it."""
        pending = iter(questions)

        async def ask_in_turn(delay: float) -> None:
            await asyncio.sleep(delay)
            for question in pending:
                if self._run.stop.reason:
                    return
                await self.ask(question)

        at_once = min(self._at_once.asked, len(questions))
        if at_once == 1:
            await ask_in_turn(0)
            return
        async with asyncio.TaskGroup() as tasks:
            for number in range(at_once):
                tasks.create_task(ask_in_turn(number * _SECONDS_BETWEEN_STARTS))

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

        def begin() -> None:
            nonlocal start
            start = time.perf_counter()
            if self._at_once.calls == 1:  # What the memory calls is for this question.
                self._calls.endpoint.phase = phase

        answer: Answer | Exception
        stopped: BaseException | None = None
        log = self._calls.log(phase)
        current_log.set(log)
        try:
            answer = await self._answer(self._agent, question, begin)
        except (ModelStoppedError, ModelUnavailableError, asyncio.CancelledError) as error:
            stopped = error
        except Exception as error:
            answer = error
        search_seconds = self._agent.search_seconds
        current_log.set(None)
        timing = Timing(
            *key,
            seconds=round(time.perf_counter() - start, 6),
            paid=log.paid,
            wasted=log.wasted or None,
            search_seconds=search_seconds,
        )
        if stopped or self._calls.endpoint.refused:  # No answer, or one that comes of the stopping.
            self._leave_unanswered(phase, timing, stopped)
        elif isinstance(answer, Exception):
            failed_call = self._agent.describe_call("answer")
            self._store(question, timing, **error_fields(answer, failed_call))
        else:
            self._store_answer(question, timing, answer)

    def _leave_unanswered(
        self, phase: CallPhase, timing: Timing, stopped: BaseException | None
    ) -> None:
        """Store no answer, so that a resumed run asks again; only what was paid is kept.

        Raises what ended the question, if it is more than that the run stops.
        """
        if timing.paid:
            self._run.store.append_timing(timing)
        if isinstance(stopped, ReplyNotKeptError):
            raise ReplyNotKeptError(f"{self._calls.place(phase)}: {stopped}") from None
        if stopped and not isinstance(stopped, ModelStoppedError):
            raise stopped

    def _store_answer(self, question: Question, timing: Timing, answer: Answer) -> None:
        """Score an answer and store it with what was retrieved for it."""
        retrieved = self._recorder.record(question, answer)
        if self._tracer:
            self._tracer.note_answer(question, answer, retrieved)
        self._store(
            question,
            timing,
            prediction=self._scored_text(answer),
            **retrieved,
            **{name: getattr(answer, name) for name in _REPORTED_FIELDS},
            prompt=None if answer.prompt is None else redact_values(answer.prompt),
        )

    def _scored_text(self, answer: Answer) -> str:
        """Return what of an answer is scored: its text, or else the passages it was read from."""
        if self._family.answered_by == "text" or not answer.retrieved:
            return answer.text
        return "\n\n".join(passage.text for passage in cast("list[Passage]", answer.retrieved))

    async def _answer(
        self, agent: Conversation, question: Question, begin: Callable[[], None]
    ) -> Answer:
        """Return the answer, once ``begin`` has noted when it is the question's turn.

        A question whose time runs out while the model's server does not answer is asked again.
        """
        inputs, model = self._run.inputs, self._run.model
        agent.search_seconds = None
        scoring = ScoringInput(
            "", question.answers, question.question, inputs.catalogue, question.question_type
        )
        agent.show_gold(partial(self._family.ideal, scoring))  # To the oracle alone.
        by_turn = self._script is not None and self._script.by_turn
        query = self._prompting.query(self._family, question, by_turn)
        kind = "search of" if agent.searches and model is None else "answer to"
        awaited = f"the {kind} question {question.question_index}, {self._calls.row_name}"
        while True:
            try:
                with self._run.stop.waiting_for(awaited):
                    return await agent.ask(query, begin)
            except TimeoutError:
                if model is None or not (agent.hung and model.gate.failing):
                    raise

    def _store(
        self, question: Question, timing: Timing, prompt: str | None = None, **fields: Any
    ) -> None:
        """Score a question and store it; ``fields`` are others of its sample, by name."""
        fields = {"prediction": None, "error": None, **fields}
        catalogue = self._run.inputs.catalogue
        sample = score_sample(question, family=self._family, catalogue=catalogue, **fields)
        self._run.store.append_sample(sample, timing, prompt)


def _record_takes(takes: Takes) -> TakesRecord:
    """Return what an agent takes beside texts, as the run folder keeps it."""
    return TakesRecord(
        unit=takes.unit, told=tuple(sorted(takes.told)), asked=tuple(sorted(takes.asked))
    )
