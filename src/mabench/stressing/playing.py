"""Carries histories out on a memory, and has the model judge what it shows."""

from __future__ import annotations

import asyncio
import inspect
import shutil
import sys
import sysconfig
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from random import Random
from types import FrameType
from typing import Any

from mabench.agents import RetrievalAgent
from mabench.contract.answers import describe_in_a_line
from mabench.stressing.model import Event, Model, Violation
from mabench.stressing.operations import Operation, Program
from mabench.stressing.outside import limit_files, traces_in
from mabench.stressing.subject import Subject

_PAUSE = 0.02  # Seconds between two looks at a memory that shows writes later.
_SWITCH = 2e-5  # Seconds after which Python lets another thread of several clients go on.
_DEEP = 50  # Results that are looked at first.
_SHARES = (0.3, 0.1, 0.03)  # Of the lines of a call that pause: drawn for each.
_PAUSES, _SECONDS = 8, 2e-4  # At most, in a call; each so long.
_NOT_OURS = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
# What a violation is called by what it shows, where a write was lost.
_LOST = {"lost-write", "stale-after-update", "deleted-found", "not-as-of", "fails"}


def play(subject: Subject, program: Program, known: Collection[str] = ()) -> Violation | None:
    """Return the first violation in a history that is of no ``known`` name.

    What ``kill`` lost and closing does not lose is named after it. A UsageError says that the
    memory cannot be made.
    """
    operations = program.operations
    if not any(each.op == "kill" for each in operations):
        return _play(subject, program, known)
    seen = _play(subject, program, {*known} - _LOST)
    if seen and seen.name in _LOST:
        closed = [replace(each, op="reopen") if each.op == "kill" else each for each in operations]
        without = _play(subject, program._replace(operations=closed), ())
        if without is None or without.name != seen.name:
            seen = seen._replace(name="lost-on-kill")
    return None if seen and seen.name in known else seen


def _play(subject: Subject, program: Program, known: Collection[str]) -> Violation | None:
    player, before = _Player(subject, program, known), sys.getswitchinterval()
    if program.clients > 1:
        sys.setswitchinterval(_SWITCH)
    try:
        return subject.run(player.play())
    finally:
        sys.setswitchinterval(before)
        shutil.rmtree(player.folder, ignore_errors=True)


class _Player:
    def __init__(self, subject: Subject, program: Program, known: Collection[str]) -> None:
        self._subject, self._program, self._known = subject, program, known
        self._ids: dict[int, list[object]] = {}
        deletes = (each for each in program.operations if each.op == "delete")
        self._deletes = {fact for each in deletes for fact in each.facts}
        self._together = False  # Whether several calls are made at a time.
        self._troubled = False  # From outside.
        self._model = Model(subject.facts, subject.abilities)
        self.folder = subject.folder_of_its_own()
        self.place = 0

    async def play(self) -> Violation | None:
        """Carry the history out on a fresh memory, up to the first violation that is new."""
        await self._open()
        seen = None
        try:
            for step in self._program.steps():
                if (seen := await self._play_step(step)) or self._is_over():
                    return seen
        finally:
            if self._subject.model_faults:
                self._subject.model_faults.spoil(None)
            await self._subject.end(self._talk, abandon=seen is not None and seen.name == "hangs")
        self.place, facts = len(self._program.operations) - 1, self._subject.facts
        stores = self._subject.factory.takes_folder
        words = {facts.value(*each): each[0] for each in self._model.deleted() if stores}
        for word, where in traces_in(self.folder, words):
            message = f"{word!r} is still {where} after its text was deleted and the store closed"
            return self.new([Violation("deleted-on-disk", message, words[word])], self.place)
        return None

    def _is_over(self) -> bool:
        """Return whether time is up, or a call hangs: all that follow would take as long."""
        return self._talk.hung or self._subject.is_over(self._subject.until)

    def new(
        self, violations: Sequence[Violation], place: int, operation: Operation | None = None
    ) -> Violation | None:
        fresh = [each for each in violations if each.name not in self._known]
        return fresh[0]._replace(place=place, operation=operation) if fresh else None

    async def _play_step(self, step: Mapping[int, Operation]) -> Violation | None:
        """Carry out the operations of a step, by their places, and judge what they showed."""
        clients: dict[int, list[int]] = {}
        for place, operation in step.items():
            clients.setdefault(operation.client, []).append(place)
        self.place = max(step)
        self._together = together = len(clients) > 1 or (step[self.place].clients or 1) > 1
        results: list[tuple[int, Event]] = []

        async def work(places: Sequence[int]) -> None:
            for place in places:
                if not self._is_over():
                    events = await self._carry_out(step[place], alone=not together)
                    results.extend((place, event) for event in events)

        await asyncio.gather(*map(work, clients.values()))
        self._together = False
        # Reads are judged once all writes are known that were under way with them.
        results.sort(key=lambda each: (each[1].operation.reads, each[1].end))
        for place, event in results:
            violations = self._find_wrong(event)
            # Another user's texts are never to be shown, all else by a memory that is late.
            late = [each for each in violations if each.name != "other-user"]
            if event.alone and late and event.error is None:
                violations = await self._judge_again(event, violations)
            if seen := self.new(violations, place, event.operation):
                return seen
        return None

    async def _judge_again(self, event: Event, violations: list[Violation]) -> list[Violation]:
        """Wait for a memory that shows writes later; tell what is wrong with a moment apart."""
        operation, end = event.operation, time.monotonic() + self._subject.patience
        while self._subject.lag and violations and time.monotonic() < end:
            await asyncio.sleep(_PAUSE)
            for again in await self._carry_out(operation, alone=True):
                violations = self._find_wrong(again)
        if violations and violations[0].name == "not-as-of":
            for present in await self._carry_out(replace(operation, time=None), alone=True):
                others = self._find_wrong(present)
                violations = [each for each in others if each.name != "order-changes"] or violations
        return violations

    def _find_wrong(self, event: Event) -> list[Violation]:
        operation = event.operation
        if event.hung:
            return [Violation("hangs", f"{operation.op} did not return: {event.error}")]
        violations = self._model.judge(event)
        # Another may have deleted it, or it was deleted before.
        may_fail = operation.op in ("update", "delete") and operation.fact in self._deletes
        # In trouble, nothing more is promised.
        if event.error is None or may_fail or self._troubled:
            return violations
        name = "fails" if event.alone else "fails-under-writes"
        return [Violation(name, f"{operation.op} failed: {event.error}")]

    async def _carry_out(self, operation: Operation, alone: bool = True) -> list[Event]:
        waiting = [operation]
        if operation.count is not None:
            waiting = [replace(operation, fact=fact, count=None) for fact in operation.facts]
        width = min(operation.clients or 1, len(waiting))
        events: list[Event] = []

        async def work() -> None:
            while waiting and not self._is_over():
                each = waiting.pop(0)
                if each.op in ("update", "delete") and not self._ids.get(each.fact or 0):
                    continue  # What it is about has no id.
                event = Event(each, time.perf_counter(), 0.0, alone=alone and width == 1)
                try:
                    await self._call(each, event)
                except Exception as error:
                    event.error = describe_in_a_line(error)
                    event.hung = self._talk.hung and isinstance(error, TimeoutError)
                event.end = time.perf_counter()
                events.append(event)

        await asyncio.gather(*(work() for _ in range(width)))
        return events

    async def _call(self, operation: Operation, event: Event) -> None:
        talk, facts, fact = self._talk, self._subject.facts, operation.fact or 0
        ids = self._ids.get(fact, [])
        # Where only one of adding and searching takes a user, nobody's texts would be found.
        user = operation.user if self._subject.abilities.by_user else None
        given = {"user": user, "time": operation.time}
        match operation.op:
            case "add":
                self._ids[fact] = await talk.tell(facts.text(fact, operation.version), given)
            case "update":
                await talk.update(ids[0], facts.text(fact, operation.version), given)
            case "delete":
                for name in ids:
                    await talk.delete(id=name)
            case "delete-user":
                await talk.delete(user=user)
            case "search":
                depth, query = operation.k or 1, facts.query(fact, operation.version)
                passages = await talk.search(query, min(depth, _DEEP), given)
                seen = any(fact == each for p in passages for each, _ in facts.versions_in(p.text))
                if depth > _DEEP and not seen:  # Seldom; and many results take long to judge.
                    passages = await talk.search(query, depth, given)
                event.texts = [passage.text for passage in passages]
                event.scores = [passage.score for passage in passages]
            case "list":
                event.texts = await talk.list_texts(user)
            case "ready":
                await talk.ready()
            case "disk-full" | "disk-free":
                self._troubled = operation.op == "disk-full"
                full = self.folder if self._troubled else None
                limit_files(self._subject.processes(talk), full)
            case "model-spoiled" | "model-well" if self._subject.model_faults:
                self._troubled = operation.op == "model-spoiled"
                self._subject.model_faults.spoil(operation.version or 0 if self._troubled else None)
            case "reopen" | "kill":
                await self._reopen(killed=operation.op == "kill")

    async def _open(self) -> None:
        threads, elsewhere = self._program.clients, self._program.elsewhere
        self._talk = await self._subject.open(threads, elsewhere, self.folder)
        agent = self._talk.agent
        if threads > 1 and isinstance(agent, RetrievalAgent) and not elsewhere:
            agent.memory = _PausedMemory(agent.memory, lambda: self._together)

    async def _reopen(self, killed: bool) -> None:
        """Let the memory be made anew over what it stored: in its folder, or else saved."""
        before, saved = self._talk, self.folder / "saved"
        by_folder = self._subject.factory.takes_folder
        if not by_folder:
            shutil.rmtree(saved, ignore_errors=True)
            saved.mkdir()
            await before.save(saved)
        await self._subject.end(before, kill=killed)
        await self._open()
        if not by_folder:
            await self._talk.load(saved)


class _PausedMemory:
    """A memory whose sync methods pause at random lines of its own code, when it ``pauses``.

    So threads meet in it: calls often take microseconds and hardly ever overlap. A memory that is
    right whatever the threads do is right with pauses.
    """

    def __init__(self, memory: object, pauses: Callable[[], bool]) -> None:
        self._memory, self._pauses, self._rng = memory, pauses, Random(0)  # noqa: S311

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._memory, name)
        if not self._pauses() or not callable(method) or inspect.iscoroutinefunction(method):
            return method

        @wraps(method)
        def call(*arguments: object, **fields: object) -> object:
            before = sys.gettrace()
            sys.settrace(self._tracer())
            try:
                return method(*arguments, **fields)
            finally:
                sys.settrace(before)

        return call

    def _tracer(self) -> Any:
        share, left = self._rng.choice(_SHARES), _PAUSES

        def trace(frame: FrameType, event: str, value: object) -> Any:
            nonlocal left
            if not left or frame.f_code.co_filename.startswith(("<frozen", *_NOT_OURS)):
                return None
            if event == "line" and self._rng.random() < share:
                left -= 1
                time.sleep(_SECONDS)
            return trace

        return trace
