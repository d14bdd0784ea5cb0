"""The agent under examination: fresh instances of it, and calls that end.

An instance is made and called as the engine does it: an async agent in the event loop, any other
in a thread of its own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from mabench.agents import RetrievalAgent
from mabench.check.calls import CallError, Calls, HangError, described
from mabench.check.facts import Fact
from mabench.contract import Agent, AgentError, Answer, Query, answer_of
from mabench.families import family_of, load_prompts, search_query
from mabench.lookup import AgentSpec, make_agent, resolve
from mabench.models import ModelChoice, ReadingModel, make_model
from mabench.runs.engine.calls import Caller

_FAMILY = family_of("ruler_qa1_197K")
_PROMPTS = load_prompts()
_MAX_TOKENS = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked to check; all that another process needs to make the same agent.

    Attributes:
        agent: a name as for ``mabench run``, or a factory.
        limit: seconds that a call may take.
        model: the model that reads.
        resolving: what else finding the agent takes: keyword arguments of ``resolve``.
    """

    agent: str | Callable[[], object]
    limit: float
    model: ModelChoice | None = None
    resolving: Mapping[str, Any] = field(default_factory=dict)

    def examinee(self) -> Examinee:
        """Find the agent.

        Raises:
            UsageError: when there is no such agent or setting.
            MissingPackageError: when the model takes a package that is not installed.
        """
        # Kept replies would make any agent look deterministic.
        model = make_model(replace(self.model, cache=False)) if self.model else None
        return Examinee(resolve(self.agent, model, **self.resolving), self.limit, model)


class Examinee:
    """Makes fresh instances of the agent.

    Attributes:
        name: the agent's name with its settings.
        found: the share of what was memorized that is found, once that was checked.
    """

    def __init__(self, spec: AgentSpec, limit: float, model: ReadingModel | None = None) -> None:
        self.name = spec.name
        self.found = 0.0
        self._spec = spec
        self._limit = limit
        self._model = model

    @asynccontextmanager
    async def fresh(self) -> AsyncIterator[Instance]:
        """Make a fresh instance and close it in the end.

        Raises:
            CallError: when it cannot be made.
        """
        caller = Caller(1)
        make = partial(make_agent, self._spec)
        try:
            calls = Calls(caller, self._limit)
            agent = await calls.call("making it", _later(make) if self._spec.is_async else make)
            instance = Instance(cast(Agent, agent), calls)
            try:
                yield instance
            finally:
                await instance.close()
        finally:
            caller.close()

    async def close(self) -> None:
        """Give the model's connections back."""
        if self._model:
            await self._model.close()


class Instance:
    """One instance of the agent."""

    def __init__(self, agent: Agent, calls: Calls) -> None:
        self.agent = agent
        self._calls = calls

    async def memorize(self, text: str) -> None:
        """Tell a text.

        Raises:
            CallError: when the agent raises.
            HangError: when it takes too long.
        """
        await self._calls.call("memorize", self.agent.memorize, text)

    async def tell(self, facts: Iterable[Fact]) -> None:
        """Tell facts, one at a time."""
        for fact in facts:
            await self.memorize(fact.text)

    async def ask(self, question: str) -> Answer:
        """Return the answer to a question; errors as for ``memorize``."""
        answer = await self._calls.call("answer", self.agent.answer, query_of(question))
        try:
            return answer_of(answer)
        except AgentError as error:
            raise CallError(f"answer failed: {described(error)}") from error

    async def ask_all(self, facts: Iterable[Fact]) -> list[Answer]:
        """Return the answers to the questions for facts, in order."""
        return [await self.ask(fact.question) for fact in facts]

    async def search(self, query: Query) -> None:
        """Let a memory search, without its reader; an agent of another kind answers."""
        if isinstance(self.agent, RetrievalAgent):
            await self._calls.call(
                "search", self.agent.memory.search, query.search_query, self.agent.k
            )
        else:
            await self._calls.call("answer", self.agent.answer, query)

    async def stats(self) -> Mapping[str, int]:
        """Return what the agent says it holds: ``memories``, ``bytes``; empty when it does not.

        Raises:
            HangError: when it takes too long.
        """
        method = self.method("stats")
        try:
            found = await self._calls.call("stats", method) if method else None
        except HangError:
            raise
        except CallError:  # No score depends on it.
            return {}
        return found if isinstance(found, Mapping) else {}

    async def call(self, name: str, *arguments: object) -> Any:
        """Call another method of the agent; errors as for ``memorize``."""
        return await self._calls.call(name, getattr(self.agent, name), *arguments)

    def method(self, name: str) -> Callable[..., Any] | None:
        """Return an optional method of the agent, None where it has none."""
        method = getattr(self.agent, name, None)
        return method if callable(method) else None

    async def close(self) -> None:
        """Close the agent where it can be closed, unless it hangs.

        Raises:
            HangError: when that takes too long.
        """
        close = self.method("close")
        if close is None or self._calls.hung:
            return
        try:
            await self._calls.call("close", close)
        except HangError:
            raise
        except CallError:  # What was answered stands, as in a run.
            return


def _later(make: Callable[[], Agent]) -> Callable[[], Awaitable[Agent]]:
    """Return ``make`` as an async function, to be called in the event loop."""

    async def made() -> Agent:
        return make()

    return made


def query_of(question: str) -> Query:
    """Return a query as a run makes it."""
    prompt = _PROMPTS.ask(_FAMILY.name, question)
    return Query(
        prompt, question=question, search_query=search_query(prompt), max_tokens=_MAX_TOKENS
    )
