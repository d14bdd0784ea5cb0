"""Instances of the checked agent in processes of their own, started as an executor starts its own.

Calls there raise what calls here raise. What its model costs there is a cost of the check.
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
from mabench.models import ModelStoppedError
from mabench.redact import clean_streams, redact_streams
from mabench.runs.worker import live_with_run
from mabench.tasks.loops import run_in_loop
from mabench.tasks.threads import in_thread

# How many processes a check has beside this one, which share what may be spent.
OTHER_PROCESSES = 2
# Seconds beside its calls that a process may take: starting Python and importing much.
_START_SECONDS = 60
_POLL_SECONDS = 0.5
_LONGEST_ENDING = 10  # Seconds that a process may take to end by itself.

AnswerAll = Callable[[Sequence[Fact]], Awaitable[list[Answer]]]


class _PipeMessage(NamedTuple):
    """What another process sends through the pipe."""

    failure: str | None  # In a line; None if nothing failed.
    answers: list[Answer]
    spent: float  # US dollars, of its model since the last reply.
    is_out_of_money: bool  # Whether its share of the cost is spent.


@asynccontextmanager
async def instance_in_process(
    agent: CheckedAgent, facts: Sequence[Fact], clients: int = 1
) -> AsyncIterator[AnswerAll]:
    """Make an instance in another process, tell it facts, and yield what asks it for some."""
    context = multiprocessing.get_context("spawn")
    share = None
    if agent.model is not None and agent.max_cost is not None:
        share = max(0.0, agent.max_cost - agent.model.spent) / OTHER_PROCESSES
    pipe, pipe_there = context.Pipe()
    find_there = partial(CheckedAgent.find, agent.spec, agent.timeout, share)
    # No daemon, which could not start processes of its own, as some memories do.
    process = context.Process(target=_serve, args=(find_there, clients, facts, pipe_there))
    process.start()
    pipe_there.close()  # So that its end is noticed when the process dies.

    async def answer_all(asked: Sequence[Fact]) -> list[Answer]:
        with suppress(OSError):  # It fails if the process has ended, which receiving reports.
            pipe.send(asked)
        return await _receive(agent, pipe, len(asked))

    try:
        await _receive(agent, pipe, 1 + len(facts))
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
    """Return the answers that the other process sends after that many calls there."""
    limit = calls * agent.timeout + _START_SECONDS
    budget = agent.subject.clock.budget(limit)
    try:
        # In short waits: a thread that waits long holds up whoever interrupts.
        while not await in_thread(partial(pipe.poll, _POLL_SECONDS)):
            if budget.is_over():
                raise HangError(f"in a second process: no result within {limit:g} s")
        reply: _PipeMessage = pipe.recv()
    except (EOFError, OSError) as error:
        raise CallError("a second process ended before it answered") from error
    if agent.model is not None:
        agent.model.spent += reply.spent
    if reply.is_out_of_money:
        raise ModelStoppedError
    if reply.failure:
        raise CallError(f"in a second process, {reply.failure}")
    return reply.answers


def _serve(
    find_agent: Callable[[], CheckedAgent],
    clients: int,
    facts: Sequence[Fact],
    pipe: Connection,
) -> None:
    """Serve one instance until the pipe is closed; what the agent prints is no result."""
    live_with_run()
    sys.stdout = sys.stderr
    redact_streams()
    clean_streams()
    agent: CheckedAgent | None = None
    reported_cost = 0.0

    def send(answers: list[Answer], error: Exception | None = None) -> None:
        nonlocal reported_cost
        cost = agent.model.spent if agent and agent.model else 0.0
        failure = describe_in_a_line(error) if error else None
        is_out_of_money = isinstance(error, ModelStoppedError)
        pipe.send(_PipeMessage(failure, answers, cost - reported_cost, is_out_of_money))
        reported_cost = cost

    async def serve() -> None:
        nonlocal agent
        try:
            agent = find_agent()
            async with agent.fresh(facts, clients) as instance:
                with suppress(EOFError, OSError):
                    send([])
                    while True:
                        send(await instance.answer_all(await in_thread(pipe.recv)))
        except Exception as error:
            with suppress(OSError):
                send([], error)

    run_in_loop(serve())
