"""Fresh instances of the agent that is checked, here and in other processes.

Calls of them raise CallError when they fail, HangError when they take too long, and
ModelUnavailableError when the model's server answers no request.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Literal, Self, TypeVar

from mabench.check.facts import Fact, facts_in
from mabench.contract import Answer, Query, Stats
from mabench.contract.raised import describe_error, text_of
from mabench.errors import MabenchError, UsageError
from mabench.families import family_of, load_prompts, search_query
from mabench.lookup import AgentFactory
from mabench.models import ModelStoppedError, ModelUnavailableError, ReadingModel
from mabench.printable import clean_streams, printable
from mabench.redact import redact, redact_streams
from mabench.runs.engine.elsewhere import live_with_run
from mabench.runs.engine.session import AgentSession
from mabench.runs.opening import open_reader, resolve_agent
from mabench.specs import AgentSpec
from mabench.tasks.loops import in_thread, run_in_loop
from mabench.tasks.stopping import Stop

_FAMILY = family_of("ruler_qa1_197K")
_PROMPTS = load_prompts()
_MAX_TOKENS = 50
_LONGEST_LINE = 300
# Seconds beside its calls that a process may take: starting Python and importing much.
_GRACE = 60
_WAIT = 0.5
_PROCESSES = 2  # As many as a check has beside this one, which share what may be spent.

_T = TypeVar("_T")
# Calls ``tell`` or ``ask_all`` of an instance elsewhere.
Neighbour = Callable[[Literal["tell", "ask_all"], Sequence[Fact]], Awaitable[Any]]


class CallError(MabenchError):
    """A call of the agent failed; the message says which and how."""


class HangError(MabenchError):
    """A call of the agent took too long; the message says which."""


@dataclass(frozen=True, kw_only=True)
class CheckedAgent:
    """The agent that is checked.

    Attributes:
        spec: which agent it is; replies of its model are not kept.
        timeout: how many seconds a call of it may take.
        model: the model that its instances share; None without one.
        factory: makes an instance.
        max_cost: how many US dollars its model may cost here and in other processes.
        found_share: the share of memorized facts that it finds, once that was measured.
        stop: whether a signal asked the check to stop, and what it waits for.
    """

    spec: AgentSpec
    timeout: float
    model: ReadingModel | None
    factory: AgentFactory
    max_cost: float | None = None
    found_share: float = 0.0
    stop: Stop = field(default_factory=Stop)

    @classmethod
    def of(cls, spec: AgentSpec, timeout: float, max_cost: float | None = None) -> Self:
        """Look the agent up.

        Raises:
            UsageError: when there is no such agent or setting, or the price of its model is
                unknown though the cost is limited.
            MissingPackageError: when the model takes a package that is not installed.
        """
        # Kept replies would make any agent look deterministic.
        spec = replace(spec, model=spec.model and replace(spec.model, cache=False))
        model = open_reader(spec)
        if model is not None and max_cost is not None:
            model.limit_spending(max_cost)
        factory = resolve_agent(spec, model)
        return cls(spec=spec, timeout=timeout, model=model, factory=factory, max_cost=max_cost)

    @property
    def left(self) -> float | None:
        """How many US dollars are left of what the model may cost; None without a limit."""
        if self.model is None or self.max_cost is None:
            return None
        return max(0.0, self.max_cost - self.model.spent)

    @asynccontextmanager
    async def fresh(self, calls: int = 1) -> AsyncIterator[Instance]:
        """Make a fresh instance for some calls at a time; close it in the end, unless it hangs."""
        seconds = self.timeout
        session = AgentSession(
            self.factory,
            threads=calls,
            make_seconds=seconds,
            memorize_seconds=seconds,
            answer_seconds=seconds,
        )
        instance = Instance(session, seconds, calls)
        await instance.checked("making it", session.make())
        try:
            yield instance
        finally:
            if session.hung:
                session.abandon()
            else:
                with contextlib.suppress(CallError):  # It does no harm, as in a run.
                    await instance.checked("close", session.close())

    @asynccontextmanager
    async def elsewhere(self, calls: int = 1) -> AsyncIterator[Neighbour]:
        """Make a fresh instance in a process of its own, which ends in the end."""
        context = multiprocessing.get_context("spawn")
        share = None if self.left is None else self.left / _PROCESSES
        pipe, there = context.Pipe()
        # No daemon, which could not start processes of its own, as some memories do.
        process = context.Process(
            target=_serve, args=(self.spec, self.timeout, share, calls, there)
        )
        process.start()
        there.close()  # So that its end is noticed when the process dies.
        neighbour = partial(_call_there, pipe, self.timeout, self.model)
        try:
            await neighbour("tell", ())  # Returns once the instance is made.
            yield neighbour
        except HangError:
            process.kill()
            raise
        finally:
            pipe.close()
            await in_thread(partial(process.join, min(self.timeout, 10)))
            if process.is_alive():
                process.kill()
                await in_thread(process.join)


class Instance:
    """One instance of the agent."""

    def __init__(self, session: AgentSession, seconds: float, calls: int) -> None:
        self.session = session
        self._seconds = seconds
        self._calls = calls

    async def memorize(self, text: str) -> None:
        """Tell a text."""
        await self.checked("memorize", self.session.memorize(text))

    async def tell(self, facts: Iterable[Fact]) -> None:
        """Tell facts, one at a time."""
        for fact in facts:
            await self.memorize(fact.text)

    async def ask(self, question: str) -> Answer:
        """Return the answer to a question."""
        return await self.checked("answer", self.session.answer(query_of(question)))

    async def ask_all(self, facts: Iterable[Fact]) -> list[Answer]:
        """Return the answers to the questions for facts, in order."""
        if self._calls > 1:
            return await at_a_time(self.ask(fact.question) for fact in facts)
        return [await self.ask(fact.question) for fact in facts]

    async def ask_all_untold(self, facts: Iterable[Fact]) -> list[Answer]:
        """Ask an instance that was told nothing: where it fails, the answer is empty."""
        answers = []
        for fact in facts:
            answer = Answer("")
            with contextlib.suppress(CallError):
                answer = await self.ask(fact.question)
            answers.append(answer)
        return answers

    async def known(self, facts: Sequence[Fact]) -> list[Fact]:
        """Ask for facts and return those that are known."""
        return facts_in(await self.ask_all(facts), facts)

    async def stats(self) -> Stats:
        """Return what it says it holds; a failure says nothing, as no score depends on it."""
        with contextlib.suppress(CallError):
            return await self.checked("stats", self.session.stats())
        return Stats()

    async def checked(self, name: str, call: Awaitable[_T]) -> _T:
        """Return what a call of the session returns; ``name`` is what messages call it."""
        try:
            return await call
        except (ModelUnavailableError, ModelStoppedError):
            raise  # It is no fault of the memory, and no check can be carried out.
        except UsageError as error:
            if error.parameter == "model":
                raise  # Nor is this: the check was asked for wrongly.
            raise CallError(_line(error)) from error  # It says itself what failed.
        except Exception as error:
            if self.session.hung:
                raise HangError(
                    f"{name} hangs: no result within {self._seconds:g} s; if it is only slow, "
                    "allow more with `timeout`"
                ) from error
            raise CallError(f"{name} failed: {_line(error)}") from error


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
    prompt = _PROMPTS.ask(_FAMILY.name, question)
    return Query(
        prompt, question=question, search_query=search_query(prompt), max_tokens=_MAX_TOKENS
    )


def _line(error: BaseException) -> str:
    """Return the kind and the message of an error in one short line, without secrets.

    The kind of our own errors is left out. Characters that a terminal cannot show, or obeys,
    are replaced.
    """
    message = text_of(error) if isinstance(error, MabenchError) else describe_error(error)
    return printable(redact(" ".join(redact(message).split())))[:_LONGEST_LINE]


async def _call_there(
    pipe: Connection,
    timeout: float,
    model: ReadingModel | None,
    method: Literal["tell", "ask_all"],
    facts: Sequence[Fact],
) -> Any:
    """Call a method of the instance at the other end of a pipe, and return its result.

    What its model has cost there counts as a cost of ``model``.
    """
    limit = max(len(facts), 1) * timeout + _GRACE
    end = time.monotonic() + limit
    with contextlib.suppress(OSError):  # A process that has ended is told of below.
        pipe.send((method, facts))
    try:
        # In short waits: a thread that waits long holds up whoever interrupts.
        while not await in_thread(partial(pipe.poll, _WAIT)):
            if time.monotonic() > end:
                raise HangError(f"in a second process: no result within {limit:g} s")
        failure, result, spent, stopped = pipe.recv()
    except (EOFError, OSError) as error:
        raise CallError("a second process ended before it answered") from error
    if model is not None:
        model.spent += spent
    if stopped:
        raise ModelStoppedError
    if failure:
        raise CallError(f"in a second process, {failure}")
    return result


def _serve(
    spec: AgentSpec, timeout: float, max_cost: float | None, calls: int, pipe: Connection
) -> None:
    """Serve one instance until the pipe is closed; what the agent prints is no result."""
    live_with_run()
    sys.stdout = sys.stderr
    redact_streams()
    clean_streams()
    run_in_loop(_serve_instance(spec, timeout, max_cost, calls, pipe))


async def _serve_instance(
    spec: AgentSpec, timeout: float, max_cost: float | None, calls: int, pipe: Connection
) -> None:
    told = 0.0  # Of what the model has cost.
    agent = None
    try:
        agent = CheckedAgent.of(spec, timeout, max_cost)
        async with agent.fresh(calls) as instance:
            with contextlib.suppress(EOFError, OSError):
                while True:
                    method, facts = await in_thread(pipe.recv)
                    result = await getattr(instance, method)(facts)
                    spent = agent.model.spent if agent.model else 0.0
                    pipe.send((None, result, spent - told, False))
                    told = spent
    except Exception as error:
        spent = agent.model.spent if agent and agent.model else 0.0
        with contextlib.suppress(OSError):
            pipe.send((_line(error), None, spent - told, isinstance(error, ModelStoppedError)))
