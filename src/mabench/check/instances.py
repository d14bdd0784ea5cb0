"""Fresh instances of the agent that is checked, and conversations with them.

Calls of them raise CallError when they fail, HangError when they take too long, and
ModelUnavailableError when the model's server answers no request.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

from mabench.check.facts import Fact, facts_in
from mabench.contract import Answer, Query, Stats
from mabench.contract.answers import describe_error, text_of
from mabench.data import Question
from mabench.errors import MabenchError, UsageError
from mabench.families import family_of, load_prompts
from mabench.injection import Prompting
from mabench.lookup import AgentFactory
from mabench.models import ModelStoppedError, ModelUnavailableError, ReadingModel
from mabench.printable import printable
from mabench.redact import redact
from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.specs import AgentSpec, RunSpec
from mabench.tasks.stopping import Stop

_FAMILY = family_of("ruler_qa1_197K")
_PROMPTING = Prompting(RunSpec(), load_prompts())
_LONGEST_LINE = 300

_T = TypeVar("_T")


class CallError(MabenchError):
    """A call of the agent failed; the message says which and how."""


class HangError(MabenchError):
    """A call of the agent took too long; the message says which."""


@dataclass(frozen=True, kw_only=True)
class CheckedAgent:
    """The agent that is checked."""

    spec: AgentSpec  # Replies of its model are not kept.
    timeout: float  # Seconds that a call of it may take.
    model: ReadingModel | None  # Which its instances share.
    factory: AgentFactory
    max_cost: float | None = None  # US dollars, here and in other processes.
    found_share: float = 0.0  # Of memorized facts, once that was measured.
    stop: Stop = field(default_factory=Stop)

    @classmethod
    def of(cls, spec: AgentSpec, timeout: float, max_cost: float | None = None) -> Self:
        """Look the agent up; what ``open_agent`` and ``limit_spending`` raise is raised."""
        # Kept replies would make any agent look deterministic.
        spec = replace(spec, model=spec.model and replace(spec.model, cache=False))
        factory, model = open_agent(RunSpec(agent=spec))
        if model is not None and max_cost is not None:
            model.limit_spending(max_cost)
        return cls(spec=spec, timeout=timeout, model=model, factory=factory, max_cost=max_cost)

    @asynccontextmanager
    async def fresh(self, calls: int = 1) -> AsyncIterator[Instance]:
        """Make a fresh instance for some calls at a time; close it in the end, unless it hangs."""
        instance = Instance(self, calls)
        await instance.make()
        try:
            yield instance
        finally:
            if instance.hung:
                instance.abandon()
            else:
                with suppress(CallError):  # It does no harm, as in a run.
                    await instance.close()


class Instance(Conversation):
    """A conversation with one instance of the agent, of which every failure names the call."""

    def __init__(self, agent: CheckedAgent, calls: int) -> None:
        seconds = agent.timeout
        super().__init__(
            agent.factory,
            threads=calls,
            make_seconds=seconds,
            memorize_seconds=seconds,
            answer_seconds=seconds,
        )

    async def tell_facts(self, facts: Iterable[Fact]) -> None:
        """Tell facts, one at a time."""
        for fact in facts:
            await self.tell(fact.text)

    async def answer(self, question: str) -> Answer:
        """Return the answer to a question."""
        return await self.ask(query_of(question))

    async def answer_all(self, facts: Iterable[Fact]) -> list[Answer]:
        """Return the answers to the questions for facts, in order."""
        if self.threads > 1:
            return await at_a_time(self.answer(fact.question) for fact in facts)
        return [await self.answer(fact.question) for fact in facts]

    async def answer_all_untold(self, facts: Iterable[Fact]) -> list[Answer]:
        """Ask an instance that was told nothing: where it fails, the answer is empty."""
        answers = []
        for fact in facts:
            answers.append(Answer(""))
            with suppress(CallError):
                answers[-1] = await self.answer(fact.question)
        return answers

    async def recall(self, facts: Sequence[Fact]) -> list[Fact]:
        """Ask for facts and return those that are known."""
        return facts_in(await self.answer_all(facts), facts)

    async def stats(self) -> Stats:
        """Return what it says it holds; a failure says nothing, as no score depends on it."""
        with suppress(CallError):
            return await super().stats()
        return Stats()

    async def make(self) -> None:
        """Make the instance."""
        await self._name_failure("making it", super().make())

    async def _call(self, name: str, *arguments: object, **options: Any) -> Any:
        return await self._name_failure(name, super()._call(name, *arguments, **options))

    async def _name_failure(self, name: str, call: Awaitable[_T]) -> _T:
        try:
            return await call
        except (ModelUnavailableError, ModelStoppedError):
            raise  # It is no fault of the memory, and no check can be carried out.
        except UsageError as error:
            if error.parameter == "model":
                raise  # Nor is this: the check was asked for wrongly.
            raise CallError(short_line(error)) from error  # It says itself what failed.
        except Exception as error:
            if self.hung:
                raise HangError(
                    f"{name} hangs: no result within {self.answer_seconds:g} s; if it is only "
                    "slow, allow more with `timeout`"
                ) from error
            raise CallError(f"{name} failed: {short_line(error)}") from error


async def at_a_time(work: Iterable[Coroutine[Any, Any, _T]]) -> list[_T]:
    """Do all at the same time; raise the first failure when all have ended."""
    results = []
    for result in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
        results.append(result)
    return results


def query_of(question: str) -> Query:
    """Return a query as a run makes it."""
    return _PROMPTING.query(_FAMILY, Question("", 0, 0, "", question, ()))


def short_line(error: BaseException) -> str:
    """Return kind and message of an error in one short line, printable and without secrets.

    The kind of our own errors is left out.
    """
    message = text_of(error) if isinstance(error, MabenchError) else describe_error(error)
    return printable(redact(" ".join(redact(message).split())))[:_LONGEST_LINE]
