"""Instances of the checked agent in processes of their own, started as an executor starts its own.

The process here sends facts through a pipe, and the other process sends the answers to their
questions. Calls there raise what calls here raise. What the agent's model costs there is a cost of
the check.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import NamedTuple

from mabench.bench.facts import Fact
from mabench.check.agent import CheckedAgent
from mabench.check.instance import CallError, HangError
from mabench.contract import Answer
from mabench.contract.answers import describe_in_a_line
from mabench.models import ModelStoppedError, ReadingModel
from mabench.redact import clean_streams, redact_streams
from mabench.runs.worker import live_with_run
from mabench.tasks.loops import run_in_loop
from mabench.tasks.threads import in_thread

# How many processes a check has beside this one, which share what may be spent.
OTHER_PROCESSES = 2
# Seconds beside its calls that a process may take: starting Python and importing much.
_START_SECONDS = 60
_POLL_SECONDS = 0.5  # How long a wait for the pipe takes before the time limit is looked at.
_LONGEST_ENDING = 10  # Seconds that a process may take to end by itself.

# Returns the answers to the questions for facts, in order.
AnswerAll = Callable[[Sequence[Fact]], Awaitable[list[Answer]]]


class _PipeMessage(NamedTuple):
    """What another process sends through the pipe after it was told or asked for facts."""

    failure: str | None  # What failed, in a line; None if nothing did.
    answers: list[Answer]
    spent: float  # US dollars that its model cost since the last message.
    is_out_of_money: bool  # Whether its share of the cost is spent.


@asynccontextmanager
async def instance_in_process(
    agent: CheckedAgent, facts: Sequence[Fact], clients: int = 1
) -> AsyncIterator[AnswerAll]:
    """Make an instance in another process and tell it facts; end the process afterwards.

    Yields a function that asks the instance for facts and returns its answers. ``clients`` is how
    many calls may be under way at a time in the instance.
    """
    context = multiprocessing.get_context("spawn")
    max_cost_there = None
    if agent.model is not None and agent.max_cost is not None:
        max_cost_there = max(0.0, agent.max_cost - agent.model.spent) / OTHER_PROCESSES
    pipe, pipe_there = context.Pipe()
    find_there = partial(CheckedAgent.find, agent.spec, agent.timeout, max_cost_there)
    # No daemon, which could not start processes of its own, as some memories do.
    process = context.Process(target=_serve, args=(find_there, clients, facts, pipe_there))
    process.start()
    pipe_there.close()  # So that its end is noticed when the process dies.

    async def answer_all(asked_facts: Sequence[Fact]) -> list[Answer]:
        """Return the answers of the instance there to the questions for facts."""
        with suppress(OSError):  # It fails if the process has ended, which receiving reports.
            pipe.send(asked_facts)
        return await _receive(agent, pipe, calls=len(asked_facts))

    try:
        await _receive(agent, pipe, calls=1 + len(facts))  # It is made, and told each fact.
        yield answer_all
    except HangError:
        process.kill()
        raise
    finally:
        pipe.close()
        await in_thread(partial(process.join, min(agent.timeout, _LONGEST_ENDING)))
        process.kill()
        await in_thread(process.join)


async def _receive(agent: CheckedAgent, pipe: Connection, calls: int) -> list[Answer]:
    """Return the answers that the other process sends, and add what they cost to the model's cost.

    ``calls`` is how many calls of the agent it makes for them, which limits the time. Raises
    ``HangError`` after that time, ``CallError`` for a failure there, and ``ModelStoppedError`` if
    the model has cost there what it may.
    """
    limit = calls * agent.timeout + _START_SECONDS
    budget = agent.subject.clock.budget(limit)
    try:
        # In short waits: a thread that waits long holds up whoever interrupts.
        while not await in_thread(partial(pipe.poll, _POLL_SECONDS)):
            if budget.is_over():
                raise HangError(f"in a second process: no result within {limit:g} s")
        message: _PipeMessage = pipe.recv()
    except (EOFError, OSError) as error:
        raise CallError("a second process ended before it answered") from error
    if agent.model is not None:
        agent.model.spent += message.spent
    if message.is_out_of_money:
        raise ModelStoppedError
    if message.failure:
        raise CallError(f"in a second process, {message.failure}")
    return message.answers


def _serve(
    find_agent: Callable[[], CheckedAgent],
    clients: int,
    facts: Sequence[Fact],
    pipe: Connection,
) -> None:
    """Be the other process: tell an instance facts, and answer until the pipe is closed.

    Everything that fails is sent through the pipe.
    """
    live_with_run()
    sys.stdout = sys.stderr  # What the agent prints is no result.
    redact_streams()
    clean_streams()
    sender = _Sender(pipe)

    async def serve() -> None:
        """Make the agent and an instance, and answer what is asked."""
        try:
            agent = find_agent()
            sender.model = agent.model
            async with agent.fresh(facts, clients) as instance:
                with suppress(EOFError, OSError):  # The pipe was closed.
                    sender.send([])
                    while True:
                        asked_facts = await in_thread(pipe.recv)
                        sender.send(await instance.answer_all(asked_facts))
        except Exception as error:
            with suppress(OSError):
                sender.send([], error)

    run_in_loop(serve())


class _Sender:
    """Sends messages through a pipe, each with what the model cost since the one before."""

    def __init__(self, pipe: Connection) -> None:
        """Begin with no cost, before the model is known."""
        self.model: ReadingModel | None = None  # Known once the agent is.
        self._pipe = pipe
        self._reported_cost = 0.0  # US dollars.

    def send(self, answers: list[Answer], error: Exception | None = None) -> None:
        """Send answers, or none and the error for which there are none."""
        cost = 0.0 if self.model is None else self.model.spent
        message = _PipeMessage(
            failure=None if error is None else describe_in_a_line(error),
            answers=answers,
            spent=cost - self._reported_cost,
            is_out_of_money=isinstance(error, ModelStoppedError),
        )
        self._pipe.send(message)
        self._reported_cost = cost
