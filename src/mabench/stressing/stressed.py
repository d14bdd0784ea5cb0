"""The memory that is stressed: the bench's subject, what it is told, and what its trial showed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from mabench.bench.clock import Clock, TimeBudget
from mabench.bench.subject import Subject, find_process_factory
from mabench.bench.versioned_facts import VersionedFacts
from mabench.contract.methods import Takes
from mabench.models import ReadingModel
from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from mabench.stressing.abilities import Abilities
from mabench.stressing.faults.model_server import FaultyModelServer
from mabench.stressing.operations import facts_of_seed

_MAKE_SECONDS = 150.0
# Until its trial is over, no call hangs within this time: the first may load a model.
_FIRST_CALL_SECONDS = 120.0


@dataclass(slots=True, kw_only=True)
class StressedMemory:
    """The memory that is stressed."""

    subject: Subject[Conversation]
    facts: VersionedFacts  # The words of what it is told.
    patience: float  # Seconds that a write may take to be found where writes are found later.
    takes: Takes = field(default_factory=Takes)  # What it declares.
    abilities: Abilities = field(default_factory=lambda: Abilities(frozenset()))
    # Whether writes are found later, though it has no method that says when.
    finds_late: bool = False
    model: ReadingModel | None = None  # That reads what it finds.
    model_faults: FaultyModelServer | None = None  # In front of the models' server that it calls.
    budget: TimeBudget = field(init=False)  # In which operations of histories may begin.

    def __post_init__(self) -> None:
        self.budget = self.clock.budget(math.inf)

    @classmethod
    def find(cls, spec: AgentSpec, seed: int, folder: Path, patience: float) -> Self:
        """Look a memory up, without making it; what ``open_agent`` raises is raised.

        All that it stores goes into ``folder``, which the caller removes.
        """
        factory, model = open_agent(RunSpec(agent=spec))
        subject = Subject(
            factory,
            Conversation,
            Clock(make_seconds=_MAKE_SECONDS, least_call_seconds=_FIRST_CALL_SECONDS),
            process_factory=find_process_factory(spec, factory),
            folder=folder,
        )
        return cls(subject=subject, facts=facts_of_seed(seed), patience=patience, model=model)

    @property
    def name(self) -> str:
        """Its name, with its settings."""
        return self.subject.factory.name

    @property
    def clock(self) -> Clock:
        """Limits the time of its calls."""
        return self.subject.clock

    def call_through(self, server: FaultyModelServer) -> None:
        """Let it call its models through a server that can misbehave."""
        self.model_faults = server
        self.subject.model_address = server.address
