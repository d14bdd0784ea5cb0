"""The memory that is stressed: what it is and can do, making it, and what it lives in.

It lives in this process, or with ``elsewhere`` in one of its own that can be killed. It is tried
out first; what cannot be judged is not looked into, and said.
"""

from __future__ import annotations

import asyncio
import math
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Self, TypeVar

from mabench.agents import RetrievalAgent
from mabench.bench.versioned_facts import VersionedFacts
from mabench.contract import Passage
from mabench.contract.answers import describe_in_a_line
from mabench.contract.methods import Takes
from mabench.errors import MabenchError, UsageError
from mabench.lookup import AgentFactory
from mabench.remote.channel import Remote
from mabench.remote.keeper import started_by
from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from mabench.stressing.operations import TIMES, USERS, Abilities, facts_of_seed
from mabench.stressing.outside import SpoilingMeter, bytes_in
from mabench.stressing.report import Readiness, percentiles
from mabench.tasks.loops import run_watched

_T = TypeVar("_T")

_MAKE_SECONDS = 150.0
_SLOWNESS = 20  # A call hangs after so many times the longest that was seen, and
_SHARED = 16  # calls at a time with which each may take twice as long.
_LAST_SECONDS = 3.0  # That what is under way has to end once all is to stop.
# When it is tried:
_TEXTS, _SECONDS = 10, 30.0  # That are added, if they take no longer.
_PAUSE = 0.01
# Seconds within which no call hangs: the first may load a model, and later ones do not. Clients of
# models try again, and wait between.
_FIRST, _LEAST_HANG, _LEAST_WITH_FAULTS = 120.0, 3.0, 30.0
_SHORT = 0.05  # Seconds within which a text is found at once.
_LATE = 5.0


@dataclass(slots=True, kw_only=True)
class Subject:
    """The memory that is stressed."""

    factory: AgentFactory  # Makes it in this process, or where its name says that it lives.
    facts: VersionedFacts  # The words of what it is told.
    folder: Path  # Where all that it stores goes; whoever makes this removes it.
    patience: float  # Seconds that a write may take to be shown where it is shown later.
    killable: AgentFactory | None = None  # Makes it in a process of its own; None if that fails.
    takes: Takes = field(default_factory=Takes)  # What it declares.
    abilities: Abilities = field(default_factory=lambda: Abilities(frozenset()))
    least_hang: float = 0.0  # Seconds within which no call hangs.
    longest: float = 0.0  # Seconds of the longest call when it was tried, one at a time.
    records: int = 1  # Of different texts that a text became then, at most.
    lag: float = 0.0  # Seconds that it took when tried, where nothing says when it is ready.
    model_faults: SpoilingMeter | None = None  # In front of the server of models that it calls.
    until: float = math.inf  # The moment after which no more operations of histories begin.
    _making: bool = False
    _stopped: bool = False
    _under_way: int = 0

    @classmethod
    def find(cls, spec: AgentSpec, seed: int, folder: Path, patience: float) -> Self:
        """Look a memory up, without making it; what ``open_agent`` raises is raised."""
        factory, _ = open_agent(RunSpec(agent=spec))
        facts, name = facts_of_seed(seed), factory.name.partition("[")[0]
        subject = cls(factory=factory, facts=facts, folder=folder, patience=patience)
        with suppress(MabenchError, ImportError, AttributeError, ValueError):
            if spec.python is not None or name.startswith("stdio:"):
                subject.killable = factory
            elif isinstance(spec.agent, str) or resolve_name(name) is spec.agent:
                own = replace(spec, agent=name, python=sys.executable)
                subject.killable, _ = open_agent(RunSpec(agent=own))
        return subject

    def try_out(self) -> tuple[Readiness | None, list[str]]:
        """Set what can be done with it; return how soon texts are found, and what is not tried.

        A UsageError says that it cannot be made, or cannot be told anything.
        """
        self.least_hang = _FIRST
        try:
            return self.run(_try_out(self))
        except MabenchError:
            raise
        except Exception as error:
            message = f"{self.factory.name} cannot be stressed: {describe_in_a_line(error)}"
            raise UsageError(message, parameter="agent") from error

    def hang(self, threads: int = 1) -> float:
        """Return the seconds after which one of so many calls at a time hangs."""
        # Where one waits for all others, each takes as long as all.
        return max(self.least_hang, _SLOWNESS * self.longest * (1 + (threads - 1) / _SHARED))

    def folder_of_its_own(self) -> Path:
        """Return a new, empty folder."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    async def open(
        self, threads: int = 1, elsewhere: bool = False, folder: Path | None = None
    ) -> Conversation:
        """Make a fresh memory, over what a folder holds or in an empty one, if it takes one."""
        seconds = self.hang(threads)
        factory = self.killable if elsewhere and self.killable else self.factory
        talk = Conversation(
            factory,
            address=self.model_faults.address if self.model_faults else None,
            threads=threads,
            make_seconds=_MAKE_SECONDS,
            memorize_seconds=seconds,
            answer_seconds=seconds,
            folder=(folder or self.folder_of_its_own()) if factory.takes_folder else None,
        )
        self._making = True
        try:
            await talk.make()
        finally:
            self._making = False
        return talk

    @asynccontextmanager
    async def talking(
        self, threads: int = 1, elsewhere: bool = False
    ) -> AsyncIterator[Conversation]:
        """Talk with a fresh memory, and close it."""
        talk = await self.open(threads, elsewhere)
        try:
            yield talk
        finally:
            await self.end(talk)

    async def end(self, talk: Conversation, *, abandon: bool = False, kill: bool = False) -> None:
        """Close a memory, or kill its process; one that hangs is not asked any more."""
        if kill and (memory := _remote_memory(talk)):
            await memory.kill()
        if abandon or kill or talk.hung:
            talk.abandon()
            return
        with suppress(Exception):
            await talk.close()

    def processes(self, talk: Conversation) -> list[int]:
        """Return the processes of a memory that does not live in this one."""
        memory = _remote_memory(talk)
        return [*started_by(memory.process)] if memory and memory.process else []

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run async work to its end; raise ``LoopBlockedError`` where a method blocks its loop."""

        async def known() -> _T:
            self._under_way += 1
            try:
                return await work
            finally:
                self._under_way -= 1

        self._making = False
        return run_watched(known(), lambda: _MAKE_SECONDS if self._making else self.hang())

    def is_over(self, end: float) -> bool:
        """Return whether a moment has passed, or all is to stop."""
        return self._stopped or time.monotonic() > end

    def stop(self) -> None:
        """Let nothing more begin, and wait a moment for what is under way to end and be closed."""
        self._stopped, end = True, time.monotonic() + _LAST_SECONDS
        while self._under_way and time.monotonic() < end:
            time.sleep(0.01)


def _remote_memory(talk: Conversation) -> Remote | None:
    memory: object = talk.agent.memory if isinstance(talk.agent, RetrievalAgent) else None
    return memory if isinstance(memory, Remote) else None


async def _try_out(subject: Subject) -> tuple[Readiness | None, list[str]]:
    name, facts = subject.factory.name, subject.facts
    async with subject.talking() as talk:
        if not talk.searches:
            raise UsageError(
                f"{name} is an agent, not a memory: stress needs add(text) and search(query, k)",
                parameter="agent",
            )
        subject.takes = talk.takes
        ids, lags = await _add_and_search(subject, talk)
    stores = talk.folder is not None and bytes_in(talk.folder) > 0
    async with subject.talking() as talk:
        passages: list[Passage] = []
        with suppress(Exception):  # Some cannot search what is empty; histories show it.
            passages = await talk.search(facts.query(0), 5 * _TEXTS, {"user": USERS[0]})
        if any((0, 0) in facts.versions_in(passage.text) for passage in passages):
            raise UsageError(
                f"{name}: a fresh memory knows what another was told, so nothing can be "
                "tested; `mabench check` says more",
                parameter="agent",
            )
    if subject.killable is not subject.factory:
        try:
            async with subject.talking(elsewhere=True):
                pass
        except Exception:  # It cannot be made in a process of its own.
            subject.killable = None
    subject.least_hang = _LEAST_WITH_FAULTS if subject.model_faults else _LEAST_HANG
    declared = "ready" in subject.takes.methods
    if not declared and lags and max(lags) > _SHORT:
        subject.lag = max(lags)
    not_tried = _find_abilities(subject, ids, stores)
    return Readiness(declared, len(lags), *percentiles(lags)) if lags else None, not_tried


async def _add_and_search(subject: Subject, talk: Conversation) -> tuple[list[object], list[float]]:
    """Return ids of a text, and the seconds until each was found; set what calls and texts take."""
    facts, user, begun = subject.facts, {"user": USERS[0]}, time.monotonic()
    ids, lags = list[object](), list[float]()
    for fact in range(_TEXTS):
        if fact and time.monotonic() > begun + _SECONDS:
            break
        start = time.perf_counter()
        ids = await talk.tell(facts.text(fact), {**user, "time": TIMES[0]})
        added = time.perf_counter()
        subject.longest = max(subject.longest, added - start)
        await talk.ready()
        while True:
            asked = time.perf_counter()
            passages = await talk.search(facts.query(fact), 5 * _TEXTS, user)
            now = time.perf_counter()
            subject.longest = max(subject.longest, now - asked)
            texts = [passage.text for passage in passages]
            counts = (len(facts.count_records(told, 0, texts)) for told in range(fact + 1))
            subject.records = max(subject.records, *counts)
            if any((fact, 0) in facts.versions_in(text) for text in texts):
                break
            # One that is not found at all is looked into by histories.
            if now - added > min(subject.patience, _LATE):
                return ids, lags
            await asyncio.sleep(_PAUSE)
        lags.append(round(asked - added, 4))
    return ids, lags


def _find_abilities(subject: Subject, ids: list[object], stores: bool) -> list[str]:
    """Set what can be done with a memory that gave a text these ids; return what is not tried."""
    takes = subject.takes
    methods, fields, deletes = takes.methods, takes.fields, takes.fields.get("delete", ())
    by_user = "user" in takes.told & takes.asked
    timed = frozenset(op for op in ("add", "update", "search") if "time" in fields.get(op, ()))
    timed = timed if "add" in timed else frozenset()
    kills = stores and subject.killable is not None
    can = {
        "add": True,
        "search": True,
        "update": len(ids) == 1 and "update" in methods,
        "delete": bool(ids) and "id" in deletes,
        "delete-user": by_user and "user" in deletes,
        "list": "list" in methods and (not by_user or "user" in fields.get("list", ())),
        "ready": "ready" in methods,
        "reopen": stores or {"save", "load"} <= methods,
        **dict.fromkeys(("kill", "disk-full", "disk-free"), kills),
        **dict.fromkeys(("model-spoiled", "model-well"), subject.model_faults is not None),
    }
    kinds = frozenset(kind for kind, offered in can.items() if offered)
    subject.abilities = Abilities(kinds, timed, by_user, max(len(ids), subject.records))
    no_id, takes_one = "add returns no id", subject.factory.takes_folder
    not_updated = no_id if "update" in methods else "it has no update(id, text)"
    not_deleted = no_id if "delete" in methods else "it has no delete"
    no_files = "it stores nothing in its folder" if takes_one else "it takes no `folder`"
    no_process = "it cannot be created in another process; name it module:factory"
    reasons = [
        (can["update"], "stale values after an update", not_updated),
        (can["delete"] or can["delete-user"], "leftovers of a deletion", not_deleted),
        (by_user, "other users' texts", "add and search take no user"),
        ("search" in timed, "as-of searches", "add and search take no time"),
        (stores, "leftovers in files, and kill -9", no_files),
        (kills or not stores, "kill -9", no_process),
    ]
    return [f"{what}: {why}" for tried, what, why in reasons if not tried]
