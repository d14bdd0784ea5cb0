"""Carries operations of a history out on an instance of the memory, and records what happened.

It must never judge what it records: the model does.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Self

from mabench.agents import RetrievalAgent
from mabench.contract import Passage
from mabench.contract.answers import describe_in_a_line
from mabench.runs.conversation import Conversation
from mabench.stressing.faults.disk import fill_disk, free_disk
from mabench.stressing.interleaving import PausingMemory
from mabench.stressing.operations import TOLD, Operation, text_of
from mabench.stressing.reference.events import Event
from mabench.stressing.stressed import StressedMemory

_FIRST_DEPTH = 50  # Results that are looked at first: many take long to judge.


class Execution:
    """An instance of the memory in the course of one history; to be opened before all else."""

    def __init__(self, memory: StressedMemory, clients: int, own_process: bool) -> None:
        self._memory, self._clients, self._own_process = memory, clients, own_process
        self._instance: Conversation
        # The ids of all texts about a fact that a user was told.
        self._ids: dict[tuple[int, str | None], list[object]] = {}
        self._deleted: set[tuple[int, str | None]] = set()  # Facts of users, until told again.
        self._runs_together = False  # Whether several calls are made at a time.
        self.is_disturbed = False  # Whether something outside of the memory does not work.
        self.folder = memory.subject.new_folder()

    def is_over(self) -> bool:
        """Return whether time is up, or a call hangs: all that follow would take as long."""
        return self._instance.hung or self._memory.budget.is_over()

    async def open(self) -> Self:
        """Make the instance, over what is in its folder; raises as ``Subject.open``."""
        instance = await self._memory.subject.open(
            clients=self._clients, own_process=self._own_process, folder=self.folder
        )
        agent = instance.agent
        if self._clients > 1 and isinstance(agent, RetrievalAgent) and not self._own_process:
            agent.memory = PausingMemory(agent.memory, lambda: self._runs_together)
        self._instance = instance
        return self

    async def close(self, *, abandon: bool) -> None:
        """End all disturbances, and close the instance unless it is abandoned."""
        if self._memory.model_faults:
            self._memory.model_faults.behave()
        await self._memory.subject.close(self._instance, abandon=abandon)

    def remove_files(self) -> None:
        """Remove what the memory stored."""
        shutil.rmtree(self.folder, ignore_errors=True)

    async def carry_out_step(self, step: Mapping[int, Operation]) -> list[tuple[int, Event]]:
        """Carry out the operations of a step, given by positions, each client its own in order.

        Returns the position of each event with it, as they ended; but reads last, so that all
        writes are known that were under way with them.
        """
        by_client: dict[int, list[int]] = {}
        for position, operation in step.items():
            by_client.setdefault(operation.client, []).append(position)
        last = step[max(step)]
        runs_together = len(by_client) > 1 or (last.clients or 1) > 1
        events: list[tuple[int, Event]] = []

        async def run_client(positions: list[int]) -> None:
            for position in positions:
                if not self.is_over():
                    done = await self.carry_out(step[position], alone=not runs_together)
                    events.extend((position, event) for event in done)

        self._runs_together = runs_together
        await asyncio.gather(*map(run_client, by_client.values()))
        self._runs_together = False

        def reads_last(placed: tuple[int, Event]) -> tuple[bool, float]:
            _, event = placed
            return event.operation.reads, event.end

        return sorted(events, key=reads_last)

    async def carry_out(self, operation: Operation, *, alone: bool = True) -> list[Event]:
        """Carry out an operation on each of its facts; ``alone`` if nothing else is under way."""
        waiting = [operation]
        if operation.count is not None:
            waiting = [replace(operation, fact=fact, count=None) for fact in operation.facts]
        clients = min(operation.clients or 1, len(waiting))
        events: list[Event] = []

        async def run_client() -> None:
            while waiting and not self.is_over():
                each = waiting.pop(0)
                if each.op in ("update", "delete") and not self._ids.get(self._key(each)):
                    continue  # What it is about has no id.
                event = Event(each, time.perf_counter(), 0.0, alone=alone and clients == 1)
                try:
                    await self._call(each, event)
                except Exception as error:
                    event.error = describe_in_a_line(error)
                    event.hung = self._instance.hung and isinstance(error, TimeoutError)
                event.end = time.perf_counter()
                events.append(event)

        await asyncio.gather(*(run_client() for _ in range(clients)))
        return events

    async def _call(self, operation: Operation, event: Event) -> None:
        """Carry out an operation on one fact, and add to its event what it showed."""
        instance = self._instance
        _, user = key = self._key(operation)
        ids = [*self._ids.get(key, [])]
        fields = {"user": user, "time": operation.time}
        text = text_of(operation, self._memory.facts) or ""
        match operation.op:
            case "add" | "paraphrase":
                self._note_ids(key, await instance.tell(text, fields))
            case op if op in TOLD:
                # Ids of what is contradicted may be no longer valid; histories do not use them.
                await instance.tell(text, fields)
            case "update":
                for name in ids:
                    await instance.update(name, text, fields)
            case "delete":
                for name in ids:
                    await instance.delete(id=name)
                self._deleted.add(key)
            case "delete-user":
                await instance.delete(user=user)
                self._deleted |= {each for each in self._ids if each[1] == user}
            case "search":
                await self._search(operation, fields, event)
            case "list":
                event.texts = await instance.list_texts(user)
            case "ready":
                await instance.ready()
            case "maintain":
                await instance.maintain()
            case "reopen":
                await self._reopen(kill=False)
            case "kill":
                await self._reopen(kill=True)
            case _:
                self._disturb(operation)

    def _note_ids(self, key: tuple[int, str | None], told: Sequence[object]) -> None:
        """Keep the ids of a text: a text that is told again may get the same ids, or others."""
        if key in self._deleted:
            self._deleted.discard(key)
            self._ids[key] = []
        ids = self._ids.setdefault(key, [])
        ids += [name for name in told if name not in ids]

    def _key(self, operation: Operation) -> tuple[int, str | None]:
        """Return the fact that an operation is about, and whose it is."""
        # Where only one of adding and searching takes a user, nobody's texts would be found.
        user = operation.user if self._memory.abilities.by_user else None
        return operation.fact or 0, user

    async def _search(
        self, operation: Operation, fields: Mapping[str, object], event: Event
    ) -> None:
        """Search for few results, and for as many as are asked for if the fact is not there."""
        facts, fact, depth = self._memory.facts, operation.fact or 0, operation.k or 1
        query = facts.query(fact, operation.version)
        passages = await self._instance.search(query, min(depth, _FIRST_DEPTH), fields)
        if depth > _FIRST_DEPTH and not self._show_fact(passages, fact):
            passages = await self._instance.search(query, depth, fields)
        event.texts = [passage.text for passage in passages]
        event.scores = [passage.score for passage in passages]

    def _show_fact(self, passages: Sequence[Passage], fact: int) -> bool:
        """Return whether any passage shows a version of a fact."""
        facts = self._memory.facts
        return any(
            fact == shown for passage in passages for shown, _ in facts.versions_in(passage.text)
        )

    def _disturb(self, operation: Operation) -> None:
        """Begin or end a disturbance from outside."""
        server = self._memory.model_faults
        match operation.op:
            case "disk-full":
                fill_disk(self._memory.subject.processes_of(self._instance), self.folder)
                self.is_disturbed = True
            case "disk-free":
                free_disk(self._memory.subject.processes_of(self._instance))
                self.is_disturbed = False
            case "model-spoiled" if server:
                server.spoil(operation.version or 0)
                self.is_disturbed = True
            case "model-well" if server:
                server.behave()
                self.is_disturbed = False

    async def _reopen(self, *, kill: bool) -> None:
        """Make the memory anew over what it stored: in its folder, or else saved."""
        subject, before, saved = self._memory.subject, self._instance, self.folder / "saved"
        keeps_folder = subject.factory.takes_folder
        if not keeps_folder:
            shutil.rmtree(saved, ignore_errors=True)
            saved.mkdir()
            await before.save(saved)
        if kill:
            await subject.kill(before)
        else:
            await subject.close(before)
        await self.open()
        if not keeps_folder:
            await self._instance.load(saved)
