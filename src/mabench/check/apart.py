"""Do rows and questions stay apart: one by one, at a time, and across processes?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from itertools import chain

from mabench.check.facts import Fact, Facts, are_alike, facts_in, too_few
from mabench.check.findings import Verdict, failed, passed, skipped, warning
from mabench.check.instances import CallError, CheckedAgent, Neighbour, at_a_time
from mabench.contract import Answer

_FACTS = 6
_AT_A_TIME = 4
_QUESTIONS = 8
_SHARED = "share a folder, a collection or a server's name space"


async def rows_stay_apart(agent: CheckedAgent) -> Verdict:
    """Tell two instances different facts, and a third nothing once they are closed."""
    facts = Facts("rows apart")
    first_facts, second_facts = facts.take(_FACTS), facts.take(_FACTS)
    async with agent.fresh() as first:
        await first.tell(first_facts)
        async with agent.fresh() as second:
            await second.tell(second_facts)
            leaked = await second.known(first_facts) + await first.known(second_facts)
            kept = await first.known(first_facts)
    if leaked:
        return failed(
            f"one row knows what only another was told {_example(leaked)}: it leaks between "
            "rows; instances share what they store"
        )
    if too_few(kept, first_facts, agent.found_share):
        return failed(
            f"once a second row was told, the first knows {len(kept)} of {_FACTS} facts: a new "
            "instance wipes or replaces what another stored"
        )
    both = first_facts + second_facts
    async with agent.fresh() as third:
        left = facts_in(await third.ask_all_untold(both), both)
    if left:
        return failed(
            f"a fresh row knows what closed rows were told {_example(left)}: it leaks between "
            "rows; what is memorized outlives its instance"
        )
    return passed("two rows know their own facts and nothing of each other")


async def rows_stay_apart_in_parallel(agent: CheckedAgent) -> Verdict:
    """Tell four instances different facts at the same time, and ask them at the same time."""
    facts = Facts("rows in parallel")
    told = [facts.take(_FACTS) for _ in range(_AT_A_TIME)]
    async with AsyncExitStack() as open_rows:
        rows = [await open_rows.enter_async_context(agent.fresh()) for _ in told]
        await at_a_time(row.tell(own) for row, own in zip(rows, told, strict=True))
        kept = await at_a_time(row.known(own) for row, own in zip(rows, told, strict=True))
        leaked = await at_a_time(
            row.known(_all(facts_told[:2] for facts_told in told if facts_told is not own))
            for row, own in zip(rows, told, strict=True)
        )
    if any(leaked):
        return failed(
            f"of {_AT_A_TIME} rows at a time, one knows what only another was told "
            f"{_example(_all(leaked))}: it leaks between rows"
        )
    if too_few(_all(kept), _all(told), agent.found_share):
        return failed(
            f"{_AT_A_TIME} rows at a time know {_counts(kept)} of {_FACTS} facts each: what is "
            "memorized in parallel is lost"
        )
    return passed(f"{_AT_A_TIME} rows at a time know their own facts and nothing of each other")


async def questions_stay_apart(agent: CheckedAgent) -> Verdict:
    """Ask an instance its first eight questions at the same time, and another one by one.

    Where it can be, the first is in a process of its own: imports are made there at the same time.
    """
    told = Facts("questions in parallel").take(_QUESTIONS)
    alone = await _answers_one_by_one(agent, told)
    try:
        if isinstance(agent.spec.agent, str):
            async with agent.elsewhere(calls=_QUESTIONS) as other:
                await other("tell", told)
                together = await other("ask_all", told)
        else:
            async with agent.fresh(calls=_QUESTIONS) as instance:
                await instance.tell(told)
                together = await instance.ask_all(told)
    except CallError as error:
        return warning(f"it cannot be asked {_QUESTIONS} questions at a time: {error}")
    before, after = facts_in(alone, told), facts_in(together, told)
    if too_few(after, told, len(before) / _QUESTIONS):
        return failed(
            f"asked one at a time it knows {len(before)} of {_QUESTIONS} facts, asked all at a "
            f"time {len(after)}: questions in parallel disturb each other"
        )
    if are_alike(alone, together):
        return passed(f"{_QUESTIONS} questions at a time are answered as they are one by one")
    if are_alike(alone, await _answers_one_by_one(agent, told)):
        return failed(
            f"{_QUESTIONS} questions at a time are answered otherwise than one by one, though two "
            "instances answer alike: questions in parallel disturb each other"
        )
    return warning(
        f"{_QUESTIONS} questions at a time are answered otherwise than one by one; as two "
        "instances do not answer alike either, this need not come from asking in parallel"
    )


async def _answers_one_by_one(agent: CheckedAgent, told: Sequence[Fact]) -> list[Answer]:
    async with agent.fresh() as instance:
        await instance.tell(told)
        return await instance.ask_all(told)


async def processes_stay_apart(agent: CheckedAgent) -> Verdict:
    """Tell an instance here and one in each of two other processes different facts.

    Two others, since they start alike: names that are counted up in a process meet there.
    """
    if not isinstance(agent.spec.agent, str):
        return skipped(
            "a factory cannot be sent to another process; name it package.module:factory"
        )
    facts = Facts("processes apart")
    told = [facts.take(_FACTS) for _ in range(3)]
    seen, left = await _seen_by_processes(agent, told)
    pairs = [*zip(seen, told, strict=True)]
    foreign = [fact for known, own in pairs for fact in known if fact not in own]
    if foreign:
        return failed(
            f"one process knows what only another was told {_example(foreign)}: processes {_SHARED}"
        )
    if left:
        return failed(
            f"a fresh instance knows what other processes were told {_example(left)}: processes "
            f"{_SHARED}"
        )
    if any(too_few(known, own, agent.found_share) for known, own in pairs):
        return failed(
            f"three processes know {_counts(seen)} of {_FACTS} facts each: one wipes what another "
            f"stored; they {_SHARED}"
        )
    return passed("three processes know their own facts and nothing of each other")


async def _seen_by_processes(
    agent: CheckedAgent, told: Sequence[Sequence[Fact]]
) -> tuple[list[list[Fact]], list[Fact]]:
    """Return what each process knows, the first being this one, and a fresh instance here."""
    everything = _all(told)
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(agent.fresh())
        await here.tell(told[0])
        others: list[Neighbour] = []
        for own in told[1:]:
            others.append(await stack.enter_async_context(agent.elsewhere()))
            await others[-1]("tell", own)
        fresh = await stack.enter_async_context(agent.fresh())
        answers = [await here.ask_all(everything)]
        answers += [await other("ask_all", everything) for other in others]
        left = facts_in(await fresh.ask_all_untold(everything), everything)
    return [facts_in(given, everything) for given in answers], left


def _all(groups: Iterable[Sequence[Fact]]) -> list[Fact]:
    return [*chain.from_iterable(groups)]


def _counts(groups: Iterable[Sequence[Fact]]) -> str:
    return ", ".join(str(len(group)) for group in groups)


def _example(facts: Sequence[Fact]) -> str:
    return f"({facts[0].text!r})"
