"""The agent that is checked: fresh instances of it, and what all checks know about it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Self

from mabench.bench.clock import Clock
from mabench.bench.facts import Fact, Facts
from mabench.bench.subject import Subject
from mabench.check.instance import CallError, Instance
from mabench.contract import Answer
from mabench.models import ReadingModel
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from mabench.tasks.stopping import Stop


@dataclass(frozen=True, kw_only=True)
class CheckedAgent:
    """The agent that is checked."""

    spec: AgentSpec  # Replies of its model are not kept.
    subject: Subject[Instance]
    model: ReadingModel | None  # Which its instances share.
    max_cost: float | None = None  # US dollars, here and in other processes.
    found_share: float = 0.0  # Of memorized facts, once that was measured.
    stop: Stop = field(default_factory=Stop)

    @classmethod
    def find(cls, spec: AgentSpec, timeout: float, max_cost: float | None = None) -> Self:
        """Look an agent up, each call of which may take ``timeout`` seconds.

        What ``open_agent`` and ``limit_spending`` raise is raised.
        """
        # Kept replies would make any agent look deterministic.
        spec = replace(spec, model=spec.model and replace(spec.model, cache=False))
        factory, model = open_agent(RunSpec(agent=spec))
        if model is not None and max_cost is not None:
            model.limit_spending(max_cost)
        clock = Clock(make_seconds=timeout, least_call_seconds=timeout)
        # An agent that cannot be closed does no harm, as in a run.
        subject = Subject(factory, Instance, clock, harmless_when_closing=CallError)
        return cls(spec=spec, subject=subject, model=model, max_cost=max_cost)

    @property
    def timeout(self) -> float:
        """How many seconds a call of it may take."""
        return self.subject.clock.call_seconds()

    def facts(self, topic: str) -> Facts:
        """Return the facts of a topic: the same in every check, and others for each topic."""
        return Facts(f"mabench check: {topic}")

    @asynccontextmanager
    async def fresh(self, facts: Iterable[Fact] = (), clients: int = 1) -> AsyncIterator[Instance]:
        """Make an instance for some calls at a time, tell it facts, and close it in the end."""
        async with self.subject.fresh(clients=clients) as instance:
            await instance.tell_facts(facts)
            yield instance

    async def answer_afresh(
        self, facts: Sequence[Fact], clients: int = 1, told: Sequence[Fact] = ()
    ) -> list[Answer]:
        """Return what a fresh instance answers to questions for facts.

        It was told these facts, or, if ``told`` is given, those.
        """
        async with self.fresh(told or facts, clients) as instance:
            return await instance.answer_all(facts)
