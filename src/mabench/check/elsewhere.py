"""An instance of the agent in a process of its own, and what is asked of it there."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection

from mabench.check.facts import Fact
from mabench.check.instances import CallError, CheckedAgent, HangError, short_line
from mabench.contract import Answer
from mabench.models import ModelStoppedError
from mabench.printable import clean_streams
from mabench.redact import redact_streams
from mabench.runs.processes import live_with_run
from mabench.specs import AgentSpec
from mabench.tasks.loops import in_thread, run_in_loop

OTHERS = 2  # Processes that a check has beside this one, which share what may be spent.
_GRACE = 60  # Seconds beside its calls that a process may take: starting Python and importing much.
_WAIT = 0.5  # Seconds.


@asynccontextmanager
async def open_elsewhere(
    agent: CheckedAgent, facts: Sequence[Fact], calls: int = 1
) -> AsyncIterator[Callable[[Sequence[Fact]], Awaitable[list[Answer]]]]:
    """Make an instance in a process of its own and tell it facts; yield what asks it for some."""
    context = multiprocessing.get_context("spawn")
    share = None
    if agent.model is not None and agent.max_cost is not None:
        share = max(0.0, agent.max_cost - agent.model.spent) / OTHERS
    pipe, there = context.Pipe()
    arguments = (agent.spec, agent.timeout, share, calls, facts, there)
    # No daemon, which could not start processes of its own, as some memories do.
    process = context.Process(target=_serve, args=arguments)
    process.start()
    there.close()  # So that its end is noticed when the process dies.

    async def answer_all(asked: Sequence[Fact]) -> list[Answer]:
        with suppress(OSError):  # A process that has ended is told of below.
            pipe.send(asked)
        return await _receive(pipe, agent, len(asked))

    try:
        await _receive(pipe, agent, 1 + len(facts))
        yield answer_all
    except HangError:
        process.kill()
        raise
    finally:
        pipe.close()
        await in_thread(partial(process.join, min(agent.timeout, 10)))
        if process.is_alive():
            process.kill()
            await in_thread(process.join)


async def _receive(pipe: Connection, agent: CheckedAgent, calls: int) -> list[Answer]:
    """Return what so many calls there come to; what its model cost there is a cost of ours."""
    limit = calls * agent.timeout + _GRACE
    end = time.monotonic() + limit
    try:
        # In short waits: a thread that waits long holds up whoever interrupts.
        while not await in_thread(partial(pipe.poll, _WAIT)):
            if time.monotonic() > end:
                raise HangError(f"in a second process: no result within {limit:g} s")
        failure, answers, spent, stopped = pipe.recv()
    except (EOFError, OSError) as error:
        raise CallError("a second process ended before it answered") from error
    if agent.model is not None:
        agent.model.spent += spent
    if stopped:
        raise ModelStoppedError
    if failure:
        raise CallError(f"in a second process, {failure}")
    return answers  # type: ignore[no-any-return]


def _serve(
    spec: AgentSpec,
    timeout: float,
    max_cost: float | None,
    calls: int,
    facts: Sequence[Fact],
    pipe: Connection,
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
        pipe.send((error and short_line(error), answers, reported - before, stopped))

    async def serve() -> None:
        nonlocal agent
        try:
            agent = CheckedAgent.of(spec, timeout, max_cost)
            async with agent.fresh(facts, calls) as instance:
                with suppress(EOFError, OSError):
                    send([])
                    while True:
                        send(await instance.answer_all(await in_thread(pipe.recv)))
        except Exception as error:
            with suppress(OSError):
                send([], error)

    run_in_loop(serve())
