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

    spec: AgentSpec  # Which agent; the replies of its model are not cached.
    subject: Subject[Instance]  # Makes instances of the agent.
    model: ReadingModel | None  # The language model that its instances share, if any.
    max_cost: float | None = None  # US dollars, here and in other processes.
    # The share of memorized facts that it finds, from the check that measures this; 0 before.
    found_share: float = 0.0
    stop: Stop = field(default_factory=Stop)  # Says whether the checks are to stop.

    @classmethod
    def find(cls, spec: AgentSpec, timeout: float, max_cost: float | None = None) -> Self:
        """Look an agent up, each call of which may take ``timeout`` seconds.

        Its model may cost ``max_cost`` US dollars; None is no limit. What ``open_agent`` and
        ``limit_spending`` raise is raised.
        """
        # Cached replies would make any agent look deterministic.
        uncached_model = None if spec.model is None else replace(spec.model, cache=False)
        uncached_spec = replace(spec, model=uncached_model)
        factory, model = open_agent(RunSpec(agent=uncached_spec))
        if model is not None and max_cost is not None:
            model.limit_spending(max_cost)
        clock = Clock(make_seconds=timeout, least_call_seconds=timeout)
        # An agent that cannot be closed does no harm, as in a run.
        subject = Subject(factory, Instance, clock, harmless_when_closing=CallError)
        return cls(spec=uncached_spec, subject=subject, model=model, max_cost=max_cost)

    @property
    def timeout(self) -> float:
        """How many seconds a call of it may take."""
        return self.subject.clock.call_seconds()

    def facts(self, topic: str) -> Facts:
        """Return the invented facts of a topic: always the same, and others for each topic."""
        return Facts(f"mabench check: {topic}")

    @asynccontextmanager
    async def fresh(self, facts: Iterable[Fact] = (), clients: int = 1) -> AsyncIterator[Instance]:
        """Make an instance, tell it facts, and close it in the end.

        ``clients`` is how many calls may be under way at a time.
        """
        async with self.subject.fresh(clients=clients) as instance:
            await instance.tell_facts(facts)
            yield instance

    async def answer_afresh(
        self, facts: Sequence[Fact], clients: int = 1, told: Sequence[Fact] = ()
    ) -> list[Answer]:
        """Return the answers of a fresh instance to the questions for facts.

        It is told these facts, or those of ``told`` if there are any.
        """
        async with self.fresh(told or facts, clients) as instance:
            return await instance.answer_all(facts)
