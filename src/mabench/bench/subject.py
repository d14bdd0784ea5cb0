"""The subject of a test: the agent or memory under test, and how its instances come and go.

``check`` and ``stress`` make, reopen, kill and close instances here alone, with the limits of one
clock. Nothing here says what an instance should know: that is for those who talk with it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Generic, TypeVar

from mabench.agents import RetrievalAgent
from mabench.bench.clock import Clock
from mabench.errors import MabenchError
from mabench.lookup import AgentFactory
from mabench.models import ModelAddress
from mabench.remote.channel import Remote
from mabench.remote.keeper import started_by
from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from mabench.tasks.loops import run_to_end

ResultT = TypeVar("ResultT")
InstanceT = TypeVar("InstanceT", bound=Conversation)

_LAST_SECONDS = 3.0  # What is under way may take this long to end once all is to stop.
_POLL_SECONDS = 0.01


@dataclass(slots=True)
class Subject(Generic[InstanceT]):
    """The agent or memory under test."""

    factory: AgentFactory  # Makes it in this process, or where its name says that it lives.
    instance_type: type[InstanceT]  # The kind of conversation in which its instances are used.
    clock: Clock
    _: KW_ONLY
    # Makes it in a process of its own, which can be killed; None if that is not possible.
    process_factory: AgentFactory | None = None
    # In which each instance stores in a new folder, which stays; None for folders that are removed
    # with their instance.
    folder: Path | None = None
    model_address: ModelAddress | None = None  # Of its model, instead of the model's own.
    # An error of this kind is passed over when an instance is closed.
    harmless_when_closing: type[Exception] = Exception
    _under_way: int = field(default=0, init=False)

    def new_folder(self) -> Path:
        """Return a new, empty folder in that of the subject."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    async def open(
        self, *, clients: int = 1, own_process: bool = False, folder: Path | None = None
    ) -> InstanceT:
        """Make an instance.

        Args:
            clients: how many calls may be under way at a time.
            own_process: whether it is to live in a process of its own, if that is possible.
            folder: where it stores, and may have stored before; a new one if left out.

        Raises what ``AgentFactory.make_agent`` raises.
        """
        factory = self.process_factory if own_process and self.process_factory else self.factory
        if not factory.takes_folder:
            folder = None
        elif folder is None and self.folder is not None:
            folder = self.new_folder()
        call_seconds = self.clock.call_seconds(clients)
        instance = self.instance_type(
            factory,
            address=self.model_address,
            threads=clients,
            make_seconds=self.clock.make_seconds,
            memorize_seconds=call_seconds,
            answer_seconds=call_seconds,
            folder=folder,
        )
        await instance.make()
        return instance

    @asynccontextmanager
    async def fresh(
        self, *, clients: int = 1, own_process: bool = False
    ) -> AsyncIterator[InstanceT]:
        """Make an instance that was told nothing, and close it in the end; as ``open``."""
        instance = await self.open(clients=clients, own_process=own_process)
        try:
            yield instance
        finally:
            await self.close(instance)

    async def close(self, instance: InstanceT, *, abandon: bool = False) -> None:
        """Close an instance; one that hangs, or that is abandoned, is not called any more."""
        if abandon or instance.hung:
            instance.abandon()
            return
        with suppress(self.harmless_when_closing):
            await instance.close()

    async def kill(self, instance: InstanceT) -> None:
        """Kill the process of an instance that lives in one of its own; abandon any other."""
        if memory := _remote_memory(instance):
            await memory.kill()
        instance.abandon()

    def processes_of(self, instance: InstanceT) -> list[int]:
        """Return the numbers of an instance's processes; none if it lives in this one."""
        memory = _remote_memory(instance)
        return [*started_by(memory.process)] if memory and memory.process else []

    def run(
        self,
        work: Coroutine[Any, Any, ResultT],
        run: Callable[[Coroutine[Any, Any, ResultT]], ResultT] = run_to_end,
    ) -> ResultT:
        """Run async work to its end with ``run``, and know meanwhile that it is under way."""

        async def count_as_under_way() -> ResultT:
            self._under_way += 1
            try:
                return await work
            finally:
                self._under_way -= 1

        return run(count_as_under_way())

    def stop(self) -> None:
        """Let nothing more begin, and wait a moment for what is under way to end and be closed."""
        self.clock.stop()
        end = time.monotonic() + _LAST_SECONDS
        while self._under_way and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)


def find_process_factory(spec: AgentSpec, factory: AgentFactory) -> AgentFactory | None:
    """Return what makes an agent in a process of its own; None if it cannot be looked up there.

    ``factory`` is what makes it otherwise, and is returned if that is in its own process anyway.
    """
    name = factory.name.partition("[")[0]  # Without settings.
    if spec.python is not None or name.startswith("stdio:"):
        return factory
    with suppress(MabenchError, ImportError, AttributeError, ValueError):
        if isinstance(spec.agent, str) or resolve_name(name) is spec.agent:
            there = replace(spec, agent=name, python=sys.executable)
            return open_agent(RunSpec(agent=there))[0]
    return None


def _remote_memory(instance: Conversation) -> Remote | None:
    """Return the memory of an instance, if it lives outside of this process."""
    memory: object = instance.agent.memory if isinstance(instance.agent, RetrievalAgent) else None
    return memory if isinstance(memory, Remote) else None
