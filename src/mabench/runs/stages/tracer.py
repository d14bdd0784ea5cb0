"""Follows what supports the questions of a row through its memory, for the stages of a run.

The store is listed once the questions of a point of the history are answered and, where that is
asked for, right after the pieces with their support; then the memory is searched deeper. The memory
is passed users and queries that it was asked, and never a gold. Nothing of this counts among the
times of memorizing and answering, and nothing that fails here makes an answer fail.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from mabench.contract import Answer, Query
from mabench.contract.failures import error_fields
from mabench.data import Question
from mabench.injection import Script
from mabench.models import CallPhase, ModelError, current_log
from mabench.results import Holding, Sample, StageRecord, StoreFacts
from mabench.runs.calls import RowCalls
from mabench.runs.context import RunContext
from mabench.runs.conversation import Conversation
from mabench.runs.retrieval import RetrievalRecorder
from mabench.runs.stages.facts import read_facts
from mabench.runs.stages.judge import StageJudge
from mabench.runs.stages.records import StoreContent, Support, worst
from mabench.runs.stages.returned import complete, extend
from mabench.runs.stages.store import StoreReader, StoreReading
from mabench.specs import Limits
from mabench.tasks.threads import in_thread
from mabench.text import estimate_tokens


class _TracedQuestion(NamedTuple):
    """A question that was answered, and whose support is looked for."""

    question: Question
    support: Support
    hit: int | None  # As ``Sample.hit``.
    returned: Sequence[str]  # The texts of the passages.
    shown: bool | None  # As in ``StageRecord``.


class _DueStatement(NamedTuple):
    """What is looked for right after a piece was told, and for which question."""

    name: str  # By which ``Evidence`` knows the statement; empty for mentions of a gold.
    question: Question
    support: Support


def traces_stages(limits: Limits, agent: Conversation) -> bool:
    """Return whether support is looked for: by ``limits.stages``, else if there is a list."""
    if limits.stages is None:
        return _can_list(agent)
    return limits.stages != "off"


def _can_list(agent: Conversation) -> bool:
    """Return whether a memory has a list of what it keeps, not one of what it was told."""
    return agent.has("list") and "emulates_list" not in agent.takes.promises


class StageTracer:
    """Looks into the memory of one agent for what supports the questions of its row.

    ``query_of`` returns what the agent was asked.
    """

    def __init__(
        self,
        context: RunContext,
        agent: Conversation,
        script: Script,
        recorder: RetrievalRecorder,
        calls: RowCalls,
        query_of: Callable[[Question], Query],
    ) -> None:
        self._run, self._agent, self._calls = context, agent, calls
        self._recorder, self._query_of = recorder, query_of
        self._reader = StoreReader(agent, recorder.evidence)
        chosen = context.spec.limits
        self._depth, self._can_list = chosen.stage_depth, _can_list(agent)
        self._follows = chosen.stages == "full" and self._can_list
        self._searches = agent.searches and "changed_by_search" not in agent.takes.promises
        self._pieces, self._points = [piece.text for piece in script.pieces], script.points
        self._ids: dict[str, int] = {}  # The index of the piece to which the memory gave an id.
        # What to look for after a piece, by the number of the piece, from 1.
        self._due: defaultdict[int, list[_DueStatement]] = defaultdict(list)
        # What was found of it then, by the index of its question.
        self._held_first: defaultdict[int, list[Holding]] = defaultdict(list)
        self._asked: list[_TracedQuestion] = []
        model = context.model if chosen.judge_stages else None
        self._judge = StageJudge(model) if model else None
        self._expected: Sequence[Question] = ()
        # The time and the calls that looking took and no record says yet.
        self._seconds, self._calls_made = 0.0, 0
        self._error: str | None = None  # Why the store is not read any more.

    def expect(self, questions: Sequence[Question]) -> None:
        """Note which questions will be asked, and what to look for after which piece.

        That is nothing unless the store is listed after the pieces, too.
        """
        self._expected = questions
        if not self._follows:
            return
        for question in questions:
            told = self._pieces[: self._points[question.question_index]]
            mentions = self._recorder.mentions(question.answers, told)
            support = self._support_of(question, is_mentioned=bool(mentions))
            if support is None:
                continue
            for name in support.statements:
                if number := self._recorder.evidence.rank_of(name, told):
                    self._due[number].append(_DueStatement(name, question, support))
            if support.is_mention:
                last_mention = max(mentions) + 1
                self._due[last_mention].append(_DueStatement("", question, support))

    def _support_of(self, question: Question, *, is_mentioned: bool) -> Support | None:
        """Return what supports a question in what was told; None if that is not known."""
        names = self._recorder.evidence.statements(question.question_index)
        if not names and not is_mentioned:
            return None
        return Support(question.question, question.answers, tuple(names))

    async def note_piece(self, number: int, ids: Sequence[object]) -> None:
        """Note the ids of a piece that was told, and look for what it supports if that is due."""
        self._ids |= {str(given_id): number - 1 for given_id in ids}
        due = self._due.get(number)
        if not due or self._error is not None or self._agent.hung:
            return
        start = time.perf_counter()
        readings: dict[str | None, StoreReading] = {}
        try:
            await self._agent.ready()
            for name, question, support in due:
                reading = await self._read(question, number, readings)
                if held := await in_thread(partial(reading.holding_of, name, support)):
                    self._held_first[question.question_index].append(held)
        except Exception as failure:
            self._error = error_fields(failure, self._agent.describe_call("list"))["error"]
        self._seconds += time.perf_counter() - start

    async def _read(
        self, question: Question, told: int, readings: dict[str | None, StoreReading]
    ) -> StoreReading:
        """Return what the store holds of the user who asks a question.

        ``readings`` holds what was read at this moment, by user, so that each is read once.
        """
        user = self._reader.user_of(self._query_of(question).user)
        if user not in readings:
            self._calls_made += 1
            with self._run.stop.waiting_for(f"listing the memory of {self._calls.row_name}"):
                readings[user] = await self._reader.read(user, told)
        return readings[user]

    def note_answer(self, question: Question, answer: Answer, retrieved: Mapping[str, Any]) -> None:
        """Note a question with its answer, to look for its support later, if that is known.

        ``retrieved`` are the fields of its sample that say what was retrieved.
        """
        support = self._support_of(question, is_mentioned=bool(retrieved["gold_chunks"]))
        if support is None:
            return
        hit = None
        if retrieved["hit_by"] and retrieved["shown_tokens"] is not None:
            hit = retrieved["hit_rank"] or 0
        shown = None
        if hit and answer.dropped_tokens and answer.prompt is not None:
            # The reader says that it could not show all: what was cut off may be what matters.
            shown = self._has_support(support, [answer.prompt])
        texts = [
            passage if isinstance(passage, str) else passage.text for passage in answer.retrieved
        ]
        self._asked.append(_TracedQuestion(question, support, hit=hit, returned=texts, shown=shown))

    def note_earlier_answer(self, question: Question, sample: Sample) -> None:
        """Note an answer that an earlier sitting stored, to look for its support later, too."""
        support = self._support_of(question, is_mentioned=bool(sample.gold_chunks))
        if support is None:
            return
        passages = [passage.text_among(self._pieces) for passage in sample.retrieved]
        texts = [text for text in passages if text is not None]
        self._asked.append(
            _TracedQuestion(question, support, hit=sample.hit, returned=texts, shown=None)
        )

    def _has_support(self, support: Support, texts: Sequence[str]) -> bool:
        """Return whether texts hold what supports a question, by the rule of a hit."""
        if support.is_mention:
            return bool(self._recorder.mentions(support.golds, texts))
        held = self._recorder.evidence.held_by(texts)
        return all(map(held.has, support.statements))

    async def look(self) -> None:
        """Look for the support of the questions noted so far, and store what was seen of each."""
        asked, self._asked = self._asked, []
        if not asked or self._run.stop.reason or self._agent.hung:
            return
        self._calls.endpoint.phase = CallPhase("late")
        current_log.set(self._calls.log(CallPhase("late")))
        readings: dict[str | None, StoreReading] = {}
        for traced in asked:
            start = time.perf_counter()
            record = await self._look_for(traced, readings)
            seconds = round(self._seconds + time.perf_counter() - start, 6)
            self._run.store.append_stage(replace(record, seconds=seconds, calls=self._calls_made))
            self._seconds, self._calls_made = 0.0, 0
        current_log.set(None)

    async def _look_for(
        self, asked: _TracedQuestion, readings: dict[str | None, StoreReading]
    ) -> StageRecord:
        """Return what is seen of the support of a question, now that it is answered."""
        question, support = asked.question, asked.support
        point = self._points[question.question_index]
        held_first = self._held_first[question.question_index]
        record = StageRecord(
            *question.key,
            source=question.source,
            by="mention" if support.is_mention else "evidence",
            question_type=question.question_type,
            shown=asked.shown,
        )
        if len(held_first) == max(1, len(support.statements)):  # All of it was looked for.
            record = replace(record, held_first=worst(held_first))
        returned = complete(asked.returned, self._pieces[:point], self._ids)
        call = "list"
        try:
            if self._error is None and self._can_list:
                readings_before = len(readings)
                reading = await self._read(question, point, readings)
                held = await in_thread(partial(reading.holding, support))
                if held == "unclear" and self._judge is not None:
                    asked_before, judge = self._judge.asked, self._judge
                    held = await self._judge_holding(reading.content, support)
                    record = replace(record, judged=judge.asked - asked_before)
                records, is_cut = reading.records, reading.is_cut
                record = replace(record, held=held, records=records, list_cut=is_cut)
                if len(readings) > readings_before:  # Once for each store, not for each question.
                    facts = await in_thread(partial(self._facts_of, reading, question, point))
                    record = replace(record, store=facts)
                if asked.hit == 0:
                    returned = await in_thread(partial(extend, returned, reading.content.records))
            if asked.hit == 0 and await in_thread(partial(self._has_support, support, returned)):
                record = replace(record, shown=False)
            call = "search"
            if asked.hit == 0 and self._searches and self._error is None:
                record = await self._search_deeper(asked, record)
        except Exception as failure:
            self._error = error_fields(failure, self._agent.describe_call(call))["error"]
        return record if self._error is None else replace(record, error=self._error)

    async def _judge_holding(self, content: StoreContent, support: Support) -> Holding:
        """Return what a store holds, where a model is asked about what rules cannot tell.

        Once the model fails, rules alone tell.
        """
        held: list[Holding] = []
        for name in support.statements:
            holding = await in_thread(partial(content.holding_of, name, support))
            if holding == "unclear" and self._judge is not None:
                records = await in_thread(partial(content.unclear_records, name, support))
                said = self._recorder.evidence.text_of(name)
                try:
                    holding = await self._judge.judge(said, records)
                except ModelError as failure:
                    self._judge = None
                    self._run.progress.say(f"Stages are told by rules alone from now on: {failure}")
            held.append(holding)
        return worst(held)

    def _facts_of(self, reading: StoreReading, asked: Question, point: int) -> StoreFacts:
        """Return what a store holds at a point, whatever was asked: copies, what nobody said, ...

        It was read when ``point`` pieces of the history had been told.

        ``asked`` is the question for whose user it was read.
        """
        told = self._pieces[:point]
        # Finding the older values of a row takes long, so it is done for ``--stages full`` alone.
        older = self._find_older(reading.content, point) if self._follows else None
        is_of_all_users = self._reader.user_of(self._query_of(asked).user) is None
        is_complete = is_of_all_users and not reading.is_cut
        return read_facts(
            reading.content.records,
            told,
            self._recorder.evidence,
            older,
            told_tokens=sum(map(estimate_tokens, told)) if is_complete else None,
        )

    def _find_older(self, content: StoreContent, point: int) -> dict[str, bool] | None:
        """Return the replaced statements of questions up to a point, and what became of each.

        That is whether the store holds the newer one. None if the data do not tell.
        """
        older: dict[str, bool] = {}
        for question in self._expected:
            if self._points[question.question_index] > point:
                continue
            statements = self._recorder.older_statements(question.question_index)
            if statements is None:
                return None
            support = self._support_of(question, is_mentioned=False) if statements else None
            is_held = support is not None and content.holding(support) == "whole"
            for statement in statements:
                older[statement] = older.get(statement, False) or is_held
        return older

    async def _search_deeper(self, asked: _TracedQuestion, record: StageRecord) -> StageRecord:
        """Return a record with the rank of the support in a deeper search, 0 if it is not there.

        Where the store does not hold the support, the record is returned as it is.
        """
        if record.held in ("none", "changed"):
            return record
        query = self._query_of(asked.question)
        self._calls_made += 1
        with self._run.stop.waiting_for(f"searching deeper for {self._calls.row_name}"):
            found = await self._agent.search(
                query.search_query, self._depth, {"time": query.time, "user": query.user}
            )
        answer = Answer("", found)
        retrieved = await in_thread(partial(self._recorder.record, asked.question, answer))
        return replace(record, rank=retrieved["hit_rank"] or 0, depth=self._depth)
