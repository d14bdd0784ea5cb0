"""Fresh instances of the agent that is checked, here and in processes of their own.

Calls of them raise CallError when they fail, HangError when they take too long, and
ModelUnavailableError when the model's server answers no request.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, ClassVar, Self, TypeVar

from mabench.bench.facts import Fact, Facts
from mabench.check.answers import known_facts
from mabench.contract import Answer, Passage, Query, Stats, passages_of
from mabench.contract.answers import describe_in_a_line
from mabench.data import Question
from mabench.errors import MabenchError, UsageError
from mabench.families import Prompts, family_of
from mabench.injection import Prompting
from mabench.lookup import AgentFactory
from mabench.models import ModelStoppedError, ModelUnavailableError, ReadingModel
from mabench.redact import clean_streams, redact_streams
from mabench.runs.conversation import Conversation
from mabench.runs.opening import open_agent
from mabench.runs.worker import live_with_run
from mabench.specs import AgentSpec, RunSpec
from mabench.tasks.loops import run_in_loop
from mabench.tasks.stopping import Stop
from mabench.tasks.threads import in_thread

_FAMILY = family_of("ruler_qa1_197K")
_PROMPTING = Prompting(RunSpec(), Prompts.load())
_GRACE = 60  # Seconds beside its calls that a process may take: starting Python and importing much.
_WAIT = 0.5  # Seconds.

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
    # Processes that a check has beside this one, which share what may be spent.
    others: ClassVar[int] = 2

    @classmethod
    def of(cls, spec: AgentSpec, timeout: float, max_cost: float | None = None) -> Self:
        """Look the agent up; what ``open_agent`` and ``limit_spending`` raise is raised."""
        # Kept replies would make any agent look deterministic.
        spec = replace(spec, model=spec.model and replace(spec.model, cache=False))
        factory, model = open_agent(RunSpec(agent=spec))
        if model is not None and max_cost is not None:
            model.limit_spending(max_cost)
        return cls(spec=spec, timeout=timeout, model=model, factory=factory, max_cost=max_cost)

    def facts(self, topic: str) -> Facts:
        """Return the facts of a topic: the same in every check, and others for each topic."""
        return Facts(f"mabench check: {topic}")

    @asynccontextmanager
    async def fresh(self, facts: Iterable[Fact] = (), calls: int = 1) -> AsyncIterator[Instance]:
        """Make an instance for some calls at a time, tell it facts, close it unless it hangs."""
        kinds = ("make_seconds", "memorize_seconds", "answer_seconds")
        limits: dict[str, Any] = dict.fromkeys(kinds, self.timeout)
        instance = Instance(self.factory, threads=calls, **limits)
        await instance.make()
        try:
            await instance.tell_facts(facts)
            yield instance
        finally:
            if instance.hung:
                instance.abandon()
            else:
                with suppress(CallError):  # It does no harm, as in a run.
                    await instance.close()

    async def answer_afresh(
        self, facts: Sequence[Fact], calls: int = 1, told: Sequence[Fact] = ()
    ) -> list[Answer]:
        """Return what a fresh instance answers to facts that it was told, perhaps among others."""
        async with self.fresh(told or facts, calls) as instance:
            return await instance.answer_all(facts)

    @asynccontextmanager
    async def elsewhere(
        self, facts: Sequence[Fact], calls: int = 1
    ) -> AsyncIterator[Callable[[Sequence[Fact]], Awaitable[list[Answer]]]]:
        """Make an instance in another process, tell it facts, and yield what asks it for some."""
        context = multiprocessing.get_context("spawn")
        share = None
        if self.model is not None and self.max_cost is not None:
            share = max(0.0, self.max_cost - self.model.spent) / self.others
        pipe, there = context.Pipe()
        find = partial(CheckedAgent.of, self.spec, self.timeout, share)
        # No daemon, which could not start processes of its own, as some memories do.
        process = context.Process(target=_serve, args=(find, calls, facts, there))
        process.start()
        there.close()  # So that its end is noticed when the process dies.

        async def answer_all(asked: Sequence[Fact]) -> list[Answer]:
            with suppress(OSError):  # A process that has ended is told of below.
                pipe.send(asked)
            return await self._receive(pipe, len(asked))

        try:
            await self._receive(pipe, 1 + len(facts))
            yield answer_all
        except HangError:
            process.kill()
            raise
        finally:
            pipe.close()
            await in_thread(partial(process.join, min(self.timeout, 10)))
            process.kill()
            await in_thread(process.join)

    async def _receive(self, pipe: Connection, calls: int) -> list[Answer]:
        """Return what so many calls there come to; what its model cost there is a cost of ours."""
        limit = calls * self.timeout + _GRACE
        end = time.monotonic() + limit
        try:
            # In short waits: a thread that waits long holds up whoever interrupts.
            while not await in_thread(partial(pipe.poll, _WAIT)):
                if time.monotonic() > end:
                    raise HangError(f"in a second process: no result within {limit:g} s")
            failure, answers, spent, stopped = pipe.recv()
        except (EOFError, OSError) as error:
            raise CallError("a second process ended before it answered") from error
        if self.model is not None:
            self.model.spent += spent
        if stopped:
            raise ModelStoppedError
        if failure:
            raise CallError(f"in a second process, {failure}")
        return answers  # type: ignore[no-any-return]


class Instance(Conversation):
    """A conversation with one instance of the agent, of which every failure names the call."""

    async def tell_facts(self, facts: Iterable[Fact], **fields: object) -> None:
        """Tell facts, one at a time."""
        for fact in facts:
            await self.tell(fact.text, fields)

    async def answer(self, question: str, **asked: Any) -> Answer:
        """Return the answer to a question, once what was told can be found; ``asked`` when."""
        await self.ready()
        query = _query_of(question)
        query.time, query.user = asked.get("time"), asked.get("user")
        return await self.ask(query)

    async def look_up(self, question: str) -> None:
        """Search as for a question, if the agent searches; else let it answer."""
        if self.searches:
            await self.search(_query_of(question).search_query)
        else:
            await self.answer(question)

    async def search_whole(self, question: str, k: int) -> list[Passage]:
        """Return all that a search for ``k`` passages returns; nothing if the agent has none."""
        if not self.searches:
            return []
        words = _query_of(question).search_query
        return await self._call("search", words, k, read=passages_of)  # type: ignore[no-any-return]

    async def answer_all(self, facts: Iterable[Fact], **asked: Any) -> list[Answer]:
        """Return the answers to the questions for facts, in order."""
        if self.threads > 1:
            return await at_a_time(self.answer(fact.question, **asked) for fact in facts)
        return [await self.answer(fact.question, **asked) for fact in facts]

    async def answer_all_untold(self, facts: Iterable[Fact]) -> list[Answer]:
        """Ask an instance that was told nothing: where it fails, the answer is empty."""
        answers = []
        for fact in facts:
            answers.append(Answer(""))
            with suppress(CallError):
                answers[-1] = await self.answer(fact.question)
        return answers

    async def recall(self, facts: Sequence[Fact], **asked: Any) -> list[Fact]:
        """Ask for facts, at a ``time`` or by a ``user``, and return those that are known."""
        return known_facts(await self.answer_all(facts, **asked), facts)

    async def stats(self) -> Stats:
        """Return what it says it holds; a failure says nothing, as no score depends on it."""
        with suppress(CallError):
            return await super().stats()
        return Stats()

    async def make(self) -> None:
        """Make it."""
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
            raise CallError(describe_in_a_line(error)) from error  # It says itself what failed.
        except Exception as error:
            if self.hung:
                raise HangError(
                    f"{name} hangs: no result within {self.answer_seconds:g} s; if it is only "
                    "slow, allow more with `timeout`"
                ) from error
            raise CallError(f"{name} failed: {describe_in_a_line(error)}") from error


async def at_a_time(work: Iterable[Coroutine[Any, Any, _T]]) -> list[_T]:
    """Do all at the same time; raise the first failure when all have ended."""
    results = []
    for result in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
        results.append(result)
    return results


def _query_of(question: str) -> Query:
    return _PROMPTING.query(_FAMILY, Question("", 0, 0, "", question, ()))


def _serve(
    find: Callable[[], CheckedAgent], calls: int, facts: Sequence[Fact], pipe: Connection
) -> None:
    """Serve one instance until the pipe is closed; what the agent prints is no result."""
    live_with_run()
    sys.stdout = sys.stderr
    redact_streams()
    clean_streams()
    agent: CheckedAgent | None = None
    reported = 0.0  # Of what the model has cost.

    def send(answers: list[Answer], error: Exception | None = None) -> None:
        nonlocal reported
        before, reported = reported, agent.model.spent if agent and agent.model else 0.0
        stopped = isinstance(error, ModelStoppedError)
        pipe.send((error and describe_in_a_line(error), answers, reported - before, stopped))

    async def serve() -> None:
        nonlocal agent
        try:
            agent = find()
            async with agent.fresh(facts, calls) as instance:
                with suppress(EOFError, OSError):
                    send([])
                    while True:
                        send(await instance.answer_all(await in_thread(pipe.recv)))
        except Exception as error:
            with suppress(OSError):
                send([], error)

    run_in_loop(serve())
