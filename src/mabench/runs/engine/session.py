"""One session of an agent: a fresh one is made, told a history, asked questions and closed.

The engine has a session for every row, and ``mabench check`` for every instance that it makes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from mabench.agents import RetrievalAgent
from mabench.agents.baselines import Oracle
from mabench.contract import Agent, Answer, Query, Stats, answer_of, stats_of
from mabench.contract.raised import attempt
from mabench.lookup import AgentFactory, make_agent
from mabench.models import ModelAddress
from mabench.runs.engine.calls import Caller


class AgentSession:
    """A fresh agent and the calls of its methods, sync or async, within limits of seconds.

    The methods raise the exceptions that the agent raises, an AgentRaisedError for whatever else
    it raises, and TimeoutError for a call that runs out of time. Call ``make`` first and ``close``
    last.

    Args:
        factory: makes the agent.
        address: where the agent calls its model, instead of the model's own.
        threads: how many sync calls may be under way at a time.
        make_seconds: how long making a sync agent may take; None for any time.
        memorize_seconds: the same for memorizing a chunk, saving, loading and stats.
        answer_seconds: the same for answering, searching and closing.

    Attributes:
        agent: the agent, once it is made.
        hung: whether a call has run out of time.
    """

    agent: Agent

    def __init__(
        self,
        factory: AgentFactory,
        *,
        address: ModelAddress | None = None,
        threads: int = 1,
        make_seconds: float | None = None,
        memorize_seconds: float | None = None,
        answer_seconds: float | None = None,
    ) -> None:
        self.hung = False
        self._factory = factory
        self._address = address
        self._calls = Caller(threads)
        self._make_seconds = make_seconds
        self._memorize_seconds = memorize_seconds
        self._answer_seconds = answer_seconds

    @property
    def searches(self) -> bool:
        """Whether the agent is a memory with a reader, which reads what a search finds."""
        return isinstance(self.agent, RetrievalAgent)

    def has(self, method: str) -> bool:
        """Whether the agent has an optional method: ``save``, ``load``, ``stats``, ``close``."""
        try:
            return callable(attempt(lambda: getattr(self.agent, method, None)))
        except Exception:
            return False

    async def make(self) -> None:
        """Make the agent: an async one in the event loop, any other in a thread.

        Raises:
            UsageError: when it cannot be made or lacks a method.
            TimeoutError: when that takes too long.
        """
        try:
            make = partial(make_agent, self._factory, self._address)
            if self._factory.is_async:
                self.agent = (await self._calls.call_in_loop(make)).result()
            else:
                self.agent = await self._call(self._make_seconds, make)
        except BaseException:
            self.abandon()
            raise

    async def memorize(self, chunk: str) -> None:
        """Tell the agent a chunk."""
        await self._call(self._memorize_seconds, self._method("memorize"), chunk)

    async def answer(self, query: Query) -> Answer:
        """Ask the agent.

        Raises:
            AgentError: when it returns no answer.
        """
        result = await self._call(self._answer_seconds, self._method("answer"), query)
        # What it returned may run code of the agent, too, when it is looked at.
        answer: Answer = await self._call(self._answer_seconds, answer_of, result)
        return answer

    def show_gold(self, gold: Callable[[], str]) -> None:
        """Open the private door for our own oracle alone, and only when it was asked by name."""
        agent = self.agent
        if self._factory.takes_gold and type(agent) is Oracle:
            agent.receive_gold(gold())

    async def search(self, query: Query) -> None:
        """Let a memory search without its reader; an agent of another kind answers."""
        agent = self.agent
        if isinstance(agent, RetrievalAgent):
            search = attempt(lambda: agent.memory.search)
            await self._call(self._answer_seconds, search, query.search_query, agent.k)
        else:
            await self._call(self._answer_seconds, self._method("answer"), query)

    async def save(self, folder: Path) -> None:
        """Let an agent that ``has("save")`` save itself in an empty folder."""
        await self._call(self._memorize_seconds, self._method("save"), folder)

    async def load(self, folder: Path) -> None:
        """Let an agent that ``has("load")`` load what was saved in a folder."""
        await self._call(self._memorize_seconds, self._method("load"), folder)

    async def stats(self) -> Stats:
        """Return what the agent says it holds; nothing is known of one without ``stats``."""
        if not self.has("stats"):
            return Stats()
        result = await self._call(self._memorize_seconds, self._method("stats"))
        stats: Stats = await self._call(self._memorize_seconds, stats_of, result)
        return stats

    async def close(self) -> None:
        """Close the agent, where it can be closed, and let its threads end."""
        try:
            if self.has("close"):
                await self._call(self._answer_seconds, self._method("close"))
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Let the threads end, and leave the agent as it is."""
        self._calls.close()

    def _method(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Any] = attempt(lambda: getattr(self.agent, name))
        return method

    async def _call(
        self, seconds: float | None, method: Callable[..., Any], *arguments: object
    ) -> Any:
        try:
            async with asyncio.timeout(seconds):
                outcome = await self._calls.call(method, *arguments)
        except TimeoutError as error:  # Never the agent's own, which is an outcome.
            self.hung = True
            raise TimeoutError(f"no result within {seconds:g} s") from error
        return outcome.result()
