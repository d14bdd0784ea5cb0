"""The memory that is stressed: what it is, what can be done with it, and making it.

It lives in this process, or with ``elsewhere`` in one of its own that can be killed.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path

from mabench.agents import RetrievalAgent
from mabench.contract.answers import describe_error, text_of
from mabench.contract.takes import Takes
from mabench.errors import MabenchError
from mabench.lookup import AgentFactory
from mabench.printable import printable
from mabench.redact import redact
from mabench.remote.channel import RemoteMemory
from mabench.remote.keeper import started_by
from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from mabench.stress_tests.model_faults import ModelFaults
from mabench.stress_tests.operations import InventedFacts
from mabench.stress_tests.programs import Abilities

_MAKE_SECONDS = 300.0
_LONGEST_LINE = 300
SLOWNESS = 20  # A call hangs after so many times the longest that was seen, and
_SHARED = 16  # Calls at a time with which each may take twice as long before it hangs.


@dataclass(slots=True, kw_only=True)
class Subject:
    """The memory that is stressed.

    Attributes:
        spec: how it is named.
        factory: makes it in this process, or where its name says that it lives.
        killable: makes it in a process of its own; None where that cannot be.
        takes, abilities: what it declares, and what can be done with it.
        facts: the words of what it is told.
        folder: where all that it stores goes; whoever makes this removes it.
        hang: seconds after which a call hangs, by itself.
        longest: what a call took by itself when tried, in seconds.
        patience: seconds that a write may take to be shown where it is shown later.
        lag: seconds that it took when tried, where nothing says when it is ready.
        model_faults: what misbehaves in front of the server of models that it calls.
    """

    spec: AgentSpec
    factory: AgentFactory
    facts: InventedFacts
    folder: Path
    killable: AgentFactory | None = None
    takes: Takes = field(default_factory=Takes)
    abilities: Abilities = field(default_factory=lambda: Abilities(frozenset()))
    hang: float = 120.0
    longest: float = 0.0
    patience: float = 10.0
    lag: float = 0.0
    model_faults: ModelFaults | None = None

    @property
    def name(self) -> str:
        """The name of the memory with its settings."""
        return self.factory.name

    def folder_of_its_own(self) -> Path:
        """Return a new, empty folder."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    def converse(
        self, folder: Path | None, threads: int = 1, elsewhere: bool = False
    ) -> Conversation:
        """Return a conversation, to be made, with a memory that stores in ``folder``."""
        waits = 1 + (threads - 1) / _SHARED  # Where one waits for all others.
        seconds = max(self.hang, SLOWNESS * self.longest * waits)
        factory = self.killable if elsewhere and self.killable else self.factory
        return Conversation(
            factory,
            address=self.model_faults.address if self.model_faults else None,
            threads=threads,
            make_seconds=_MAKE_SECONDS,
            memorize_seconds=seconds,
            answer_seconds=seconds,
            folder=folder,
        )


def find_subject(spec: AgentSpec, seed: int, folder: Path, patience: float) -> Subject:
    """Look a memory up, without making it.

    What ``open_agent`` raises is raised.
    """
    factory, _ = open_agent(RunSpec(agent=spec))
    subject = Subject(spec=spec, factory=factory, facts=InventedFacts(seed), folder=folder)
    subject.patience = patience
    if spec.python is None and (name := importable_name(spec.agent)):
        own = replace(spec, agent=name, python=sys.executable)
        with suppress(MabenchError):
            subject.killable, _ = open_agent(RunSpec(agent=own))
    elif spec.python is not None or str(spec.agent).startswith("stdio:"):
        subject.killable = factory
    return subject


def importable_name(agent: str | Callable[..., object]) -> str | None:
    """Return the name by which another process finds a factory; None where it cannot."""
    if isinstance(agent, str):
        return None if agent.startswith(("stdio:", "mcp:", "http://", "https://")) else agent
    module, name = getattr(agent, "__module__", ""), getattr(agent, "__qualname__", "")
    try:
        there: object = reduce(getattr, name.split("."), importlib.import_module(module))
    except (ImportError, AttributeError, ValueError):
        return None
    return f"{module}:{name}" if there is agent and module != "__main__" else None


def in_a_line(error: BaseException) -> str:
    """Return kind (of none of ours) and message of an error in a line, without secrets."""
    message = text_of(error) if isinstance(error, MabenchError) else describe_error(error)
    return printable(redact(" ".join(redact(message).split())))[:_LONGEST_LINE]


async def kill(talk: Conversation) -> None:
    """End a memory in a process of its own at once, as ``kill -9`` does."""
    if isinstance(memory := memory_of(talk), RemoteMemory):
        await memory.kill()


def memory_of(talk: Conversation) -> object:
    """Return the memory that is talked with."""
    return talk.agent.memory if isinstance(talk.agent, RetrievalAgent) else talk.agent


def processes_of(talk: Conversation) -> list[int]:
    """Return the processes of a memory that does not live in this one."""
    memory = memory_of(talk)
    keeper = memory.process if isinstance(memory, RemoteMemory) else None
    return [] if keeper is None else [*started_by(keeper)]


def limit_files(talk: Conversation, folder: Path | None) -> None:
    """Let no file of a process grow beyond the largest in a folder, or again without a limit.

    To a program, that is a full disk: what it writes fails.
    """
    import resource  # Windows has none.

    files = (file for file in folder.rglob("*") if file.is_file()) if folder else ()
    largest = max((file.stat().st_size for file in files), default=0)
    for process in processes_of(talk) if sys.platform == "linux" else ():
        _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
        limit = hard if folder is None else largest
        resource.prlimit(process, resource.RLIMIT_FSIZE, (limit, hard))
