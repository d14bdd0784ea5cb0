"""The memory that is stressed: what it is, making it, and what it lives in.

It lives in this process, or with ``elsewhere`` in one of its own that can be killed.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeVar

from mabench.agents import RetrievalAgent
from mabench.contract.methods import Takes
from mabench.errors import MabenchError
from mabench.lookup import AgentFactory
from mabench.remote.channel import Remote
from mabench.remote.keeper import started_by
from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from mabench.stress_tests.model_faults import SpoilingMeter
from mabench.stress_tests.operations import InventedFacts
from mabench.stress_tests.programs import Abilities
from mabench.tasks.loops import run_watched

_T = TypeVar("_T")

_MAKE_SECONDS = 150.0
_SLOWNESS = 20  # A call hangs after so many times the longest that was seen, and
_SHARED = 16  # calls at a time with which each may take twice as long.
_LAST_SECONDS = 3.0  # That what is under way has to end once all is to stop.


@dataclass(slots=True, kw_only=True)
class Subject:
    """The memory that is stressed."""

    factory: AgentFactory  # Makes it in this process, or where its name says that it lives.
    facts: InventedFacts  # The words of what it is told.
    folder: Path  # Where all that it stores goes; whoever makes this removes it.
    patience: float  # Seconds that a write may take to be shown where it is shown later.
    killable: AgentFactory | None = None  # Makes it in a process of its own; None if that fails.
    takes: Takes = field(default_factory=Takes)  # What it declares.
    abilities: Abilities = field(default_factory=lambda: Abilities(frozenset()))
    least_hang: float = 0.0  # Seconds within which no call hangs.
    longest: float = 0.0  # Seconds of the longest call when it was tried, one at a time.
    lag: float = 0.0  # Seconds that it took when tried, where nothing says when it is ready.
    model_faults: SpoilingMeter | None = None  # In front of the server of models that it calls.
    until: float = math.inf  # The moment after which no more operations of histories begin.
    _making: bool = False
    _stopped: bool = False
    _under_way: int = 0

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
        stores = factory.takes_folder
        talk = Conversation(
            factory,
            address=self.model_faults.address if self.model_faults else None,
            threads=threads,
            make_seconds=_MAKE_SECONDS,
            memorize_seconds=seconds,
            answer_seconds=seconds,
            folder=(folder or self.folder_of_its_own()) if stores else None,
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
            await end(talk)

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


def find_subject(spec: AgentSpec, seed: int, folder: Path, patience: float) -> Subject:
    """Look a memory up, without making it; what ``open_agent`` raises is raised."""
    factory, _ = open_agent(RunSpec(agent=spec))
    subject = Subject(factory=factory, facts=InventedFacts(seed), folder=folder, patience=patience)
    if spec.python is not None or str(spec.agent).startswith("stdio:"):
        subject.killable = factory
    elif name := _importable_name(spec.agent):
        own = replace(spec, agent=name, python=sys.executable)
        with suppress(MabenchError):
            subject.killable, _ = open_agent(RunSpec(agent=own))
    return subject


def _importable_name(agent: str | Callable[..., object]) -> str | None:
    """Return the name by which another process finds a factory; None where it cannot."""
    if isinstance(agent, str):
        return None if agent.startswith(("mcp:", "http://", "https://")) else agent
    name = f"{getattr(agent, '__module__', '')}:{getattr(agent, '__qualname__', '')}"
    with suppress(ImportError, AttributeError, ValueError):
        if resolve_name(name) is agent and not name.startswith("__main__:"):
            return name
    return None


async def end(talk: Conversation, abandon: bool = False) -> None:
    """Close a memory, unless it hangs: what is closed is not asked any more."""
    if abandon or talk.hung:
        talk.abandon()
        return
    with suppress(Exception):
        await talk.close()


def remote_memory(talk: Conversation) -> Remote | None:
    """Return the memory that is talked with, if it does not live in this process."""
    memory: object = talk.agent.memory if isinstance(talk.agent, RetrievalAgent) else None
    return memory if isinstance(memory, Remote) else None


def processes_of(talk: Conversation) -> list[int]:
    """Return the processes of a memory that does not live in this one."""
    memory = remote_memory(talk)
    return [*started_by(memory.process)] if memory and memory.process else []
