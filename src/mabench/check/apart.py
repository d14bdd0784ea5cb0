"""Do rows and questions stay apart: one by one, at a time, and across processes?"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from itertools import chain
from multiprocessing.connection import Connection
from typing import Any, Literal

from mabench.check.facts import Fact, Facts, are_alike, facts_in, too_few
from mabench.check.findings import Verdict, failed, passed, skipped, warning
from mabench.check.instances import CallError, CheckedAgent, HangError, at_a_time, short_line
from mabench.contract import Answer
from mabench.models import ModelStoppedError
from mabench.printable import clean_streams
from mabench.redact import redact_streams
from mabench.runs.processes import live_with_run
from mabench.specs import AgentSpec
from mabench.tasks.loops import in_thread, run_in_loop

_FACTS, _AT_A_TIME, _QUESTIONS = 6, 4, 8
_OTHERS = 2  # Processes that a check has beside this one, which share what may be spent.
_SHARED = "share a folder, a collection or a server's name space"
_GRACE = 60  # Seconds beside its calls that a process may take: starting Python and importing much.
_WAIT = 0.5  # Seconds.

# Calls ``tell_facts`` or ``answer_all`` of an instance elsewhere.
_Neighbour = Callable[[Literal["tell_facts", "answer_all"], Sequence[Fact]], Awaitable[Any]]


async def rows_stay_apart(agent: CheckedAgent) -> Verdict:
    """Tell two instances different facts, and a third nothing once they are closed."""
    facts = Facts("rows apart")
    first_facts, second_facts = facts.take(_FACTS), facts.take(_FACTS)
    async with agent.fresh() as first:
        await first.tell_facts(first_facts)
        async with agent.fresh() as second:
            await second.tell_facts(second_facts)
            leaked = await second.recall(first_facts) + await first.recall(second_facts)
            own = await first.recall(first_facts)
    if leaked:
        return failed(
            f"one row knows what only another was told {_example(leaked)}: it leaks between "
            "rows; instances share what they store"
        )
    if too_few(own, first_facts, agent.found_share):
        return failed(
            f"once a second row was told, the first knows {len(own)} of {_FACTS} facts: a new "
            "instance wipes or replaces what another stored"
        )
    both = first_facts + second_facts
    async with agent.fresh() as third:
        outlived = facts_in(await third.answer_all_untold(both), both)
    if outlived:
        return failed(
            f"a fresh row knows what closed rows were told {_example(outlived)}: it leaks between "
            "rows; what is memorized outlives its instance"
        )
    return passed("two rows know their own facts and nothing of each other")


async def rows_stay_apart_in_parallel(agent: CheckedAgent) -> Verdict:
    """Tell four instances different facts at the same time, and ask them at the same time."""
    facts = Facts("rows in parallel")
    groups = [facts.take(_FACTS) for _ in range(_AT_A_TIME)]
    async with AsyncExitStack() as open_rows:
        rows = [await open_rows.enter_async_context(agent.fresh()) for _ in groups]
        pairs = [*zip(rows, groups, strict=True)]
        await at_a_time(row.tell_facts(group) for row, group in pairs)
        own = await at_a_time(row.recall(group) for row, group in pairs)
        leaked = await at_a_time(
            row.recall([fact for other in groups if other is not group for fact in other[:2]])
            for row, group in pairs
        )
    if any(leaked):
        return failed(
            f"of {_AT_A_TIME} rows at a time, one knows what only another was told "
            f"{_example([*chain(*leaked)])}: it leaks between rows"
        )
    if too_few([*chain(*own)], [*chain(*groups)], agent.found_share):
        return failed(
            f"{_AT_A_TIME} rows at a time know {_counts(own)} of {_FACTS} facts each: what is "
            "memorized in parallel is lost"
        )
    return passed(f"{_AT_A_TIME} rows at a time know their own facts and nothing of each other")


async def questions_stay_apart(agent: CheckedAgent) -> Verdict:
    """Ask an instance its first eight questions at the same time, and another one by one.

    Where it can be, the first is in a process of its own: imports are made there at the same time.
    """
    facts = Facts("questions in parallel").take(_QUESTIONS)

    async def answer_one_by_one() -> list[Answer]:
        async with agent.fresh() as instance:
            await instance.tell_facts(facts)
            return await instance.answer_all(facts)

    alone = await answer_one_by_one()
    try:
        if isinstance(agent.spec.agent, str):
            async with _instance_elsewhere(agent, calls=_QUESTIONS) as call:
                await call("tell_facts", facts)
                together = await call("answer_all", facts)
        else:
            async with agent.fresh(calls=_QUESTIONS) as instance:
                await instance.tell_facts(facts)
                together = await instance.answer_all(facts)
    except CallError as error:
        return warning(f"it cannot be asked {_QUESTIONS} questions at a time: {error}")
    before, after = facts_in(alone, facts), facts_in(together, facts)
    if too_few(after, facts, len(before) / _QUESTIONS):
        return failed(
            f"asked one at a time it knows {len(before)} of {_QUESTIONS} facts, asked all at a "
            f"time {len(after)}: questions in parallel disturb each other"
        )
    if are_alike(alone, together):
        return passed(f"{_QUESTIONS} questions at a time are answered as they are one by one")
    if are_alike(alone, await answer_one_by_one()):
        return failed(
            f"{_QUESTIONS} questions at a time are answered otherwise than one by one, though two "
            "instances answer alike: questions in parallel disturb each other"
        )
    return warning(
        f"{_QUESTIONS} questions at a time are answered otherwise than one by one; as two "
        "instances do not answer alike either, this need not come from asking in parallel"
    )


async def processes_stay_apart(agent: CheckedAgent) -> Verdict:
    """Tell an instance here and one in each of two other processes different facts.

    Two others, since they start alike: names that are counted up in a process meet there.
    """
    if not isinstance(agent.spec.agent, str):
        return skipped(
            "a factory cannot be sent to another process; name it package.module:factory"
        )
    facts = Facts("processes apart")
    groups = [facts.take(_FACTS) for _ in range(1 + _OTHERS)]
    everything = [*chain(*groups)]
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(agent.fresh())
        await here.tell_facts(groups[0])
        others: list[_Neighbour] = []
        for group in groups[1:]:
            others.append(await stack.enter_async_context(_instance_elsewhere(agent)))
            await others[-1]("tell_facts", group)
        fresh = await stack.enter_async_context(agent.fresh())
        answers = [await here.answer_all(everything)]
        answers += [await call("answer_all", everything) for call in others]
        leaked = facts_in(await fresh.answer_all_untold(everything), everything)
    recalled = [facts_in(answers_there, everything) for answers_there in answers]
    pairs = [*zip(recalled, groups, strict=True)]
    foreign = [fact for facts_there, own in pairs for fact in facts_there if fact not in own]
    if foreign:
        return failed(
            f"one process knows what only another was told {_example(foreign)}: processes {_SHARED}"
        )
    if leaked:
        return failed(
            f"a fresh instance knows what other processes were told {_example(leaked)}: processes "
            f"{_SHARED}"
        )
    if any(too_few(facts_there, own, agent.found_share) for facts_there, own in pairs):
        return failed(
            f"three processes know {_counts(recalled)} of {_FACTS} facts each: one wipes what "
            f"another stored; they {_SHARED}"
        )
    return passed("three processes know their own facts and nothing of each other")


@asynccontextmanager
async def _instance_elsewhere(agent: CheckedAgent, calls: int = 1) -> AsyncIterator[_Neighbour]:
    """Make a fresh instance in a process of its own, which ends in the end."""
    context = multiprocessing.get_context("spawn")
    share = None
    if agent.model is not None and agent.max_cost is not None:
        share = max(0.0, agent.max_cost - agent.model.spent) / _OTHERS
    pipe, there = context.Pipe()
    # No daemon, which could not start processes of its own, as some memories do.
    process = context.Process(target=_serve, args=(agent.spec, agent.timeout, share, calls, there))
    process.start()
    there.close()  # So that its end is noticed when the process dies.
    neighbour = partial(_call_there, pipe, agent)
    try:
        await neighbour("tell_facts", ())  # Returns once the instance is made.
        yield neighbour
    except HangError:
        process.kill()
        raise
    finally:
        pipe.close()
        await in_thread(partial(process.join, min(agent.timeout, 10)))
        if process.is_alive():
            process.kill()
            await in_thread(process.join)


async def _call_there(
    pipe: Connection,
    agent: CheckedAgent,
    method: Literal["tell_facts", "answer_all"],
    facts: Sequence[Fact],
) -> Any:
    """Call a method of the instance at the other end of a pipe, and return its result.

    What its model has cost there counts as a cost of the model here.
    """
    limit = max(len(facts), 1) * agent.timeout + _GRACE
    end = time.monotonic() + limit
    with suppress(OSError):  # A process that has ended is told of below.
        pipe.send((method, facts))
    try:
        # In short waits: a thread that waits long holds up whoever interrupts.
        while not await in_thread(partial(pipe.poll, _WAIT)):
            if time.monotonic() > end:
                raise HangError(f"in a second process: no result within {limit:g} s")
        failure, result, spent, stopped = pipe.recv()
    except (EOFError, OSError) as error:
        raise CallError("a second process ended before it answered") from error
    if agent.model is not None:
        agent.model.spent += spent
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
    agent: CheckedAgent | None = None
    reported = 0.0  # Of what the model has cost.

    def new_cost() -> float:
        nonlocal reported
        before, reported = reported, agent.model.spent if agent and agent.model else 0.0
        return reported - before

    async def serve() -> None:
        nonlocal agent
        try:
            agent = CheckedAgent.of(spec, timeout, max_cost)
            async with agent.fresh(calls) as instance:
                with suppress(EOFError, OSError):
                    while True:
                        method, facts = await in_thread(pipe.recv)
                        result = await getattr(instance, method)(facts)
                        pipe.send((None, result, new_cost(), False))
        except Exception as error:
            with suppress(OSError):
                stopped = isinstance(error, ModelStoppedError)
                pipe.send((short_line(error), None, new_cost(), stopped))

    run_in_loop(serve())


def _counts(groups: Iterable[Sequence[Fact]]) -> str:
    return ", ".join(str(len(group)) for group in groups)


def _example(facts: Sequence[Fact]) -> str:
    return f"({facts[0].text!r})"
