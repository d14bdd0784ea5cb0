"""Do two rows stay apart: one after the other, at a time, and across processes?"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack
from typing import Any

from mabench.check.examinee import Asked, Examinee
from mabench.check.facts import Fact, Facts
from mabench.check.findings import Verdict, failed, passed, skipped
from mabench.check.knowledge import known, known_of, known_untold, too_few
from mabench.check.neighbour import Neighbour

_FACTS = 6
_AT_A_TIME = 4


async def rows_stay_apart(examinee: Examinee) -> Verdict:
    """Tell two instances different facts, and a third nothing once they are closed."""
    facts = Facts("rows apart")
    first_facts, second_facts = facts.take(_FACTS), facts.take(_FACTS)
    async with examinee.fresh() as first:
        await first.tell(first_facts)
        async with examinee.fresh() as second:
            await second.tell(second_facts)
            leaked = await known(second, first_facts) + await known(first, second_facts)
            kept = await known(first, first_facts)
    if leaked:
        return failed(
            f"one row knows what only another was told {_example(leaked)}: it leaks between "
            "rows; instances share what they store"
        )
    if too_few(kept, first_facts, examinee.found):
        return failed(
            f"once a second row was told, the first knows {len(kept)} of {_FACTS} facts: a new "
            "instance wipes or replaces what another stored"
        )
    async with examinee.fresh() as third:
        left = await known_untold(third, first_facts + second_facts)
    if left:
        return failed(
            f"a fresh row knows what closed rows were told {_example(left)}: it leaks between "
            "rows; what is memorized outlives its instance"
        )
    return passed("two rows know their own facts and nothing of each other")


async def rows_stay_apart_in_parallel(examinee: Examinee) -> Verdict:
    """Tell four instances different facts at the same time, and ask them at the same time."""
    facts = Facts("rows in parallel")
    told = [facts.take(_FACTS) for _ in range(_AT_A_TIME)]
    async with AsyncExitStack() as open_rows:
        rows = [await open_rows.enter_async_context(examinee.fresh()) for _ in told]
        await _at_a_time(row.tell(own) for row, own in zip(rows, told, strict=True))
        kept = await _at_a_time(known(row, own) for row, own in zip(rows, told, strict=True))
        leaked = await _at_a_time(
            known(row, _all(facts_told[:2] for facts_told in told if facts_told is not own))
            for row, own in zip(rows, told, strict=True)
        )
    if any(leaked):
        return failed(
            f"of {_AT_A_TIME} rows at a time, one knows what only another was told "
            f"{_example(_all(leaked))}: it leaks between rows"
        )
    if too_few(_all(kept), _all(told), examinee.found):
        counts = ", ".join(str(len(mine)) for mine in kept)
        return failed(
            f"{_AT_A_TIME} rows at a time know {counts} of {_FACTS} facts each: what is "
            "memorized in parallel is lost"
        )
    return passed(f"{_AT_A_TIME} rows at a time know their own facts and nothing of each other")


async def processes_stay_apart(examinee: Examinee, asked: Asked) -> Verdict:
    """Tell an instance here and one in each of two other processes different facts.

    Two others, since they start alike: names that are counted up in a process meet there.
    """
    if not isinstance(asked.agent, str):
        return skipped(
            "a factory cannot be sent to another process; name it package.module:factory"
        )
    facts = Facts("processes apart")
    told = [facts.take(_FACTS) for _ in range(3)]
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(examinee.fresh())
        await here.tell(told[0])
        others: list[Neighbour] = []
        for own in told[1:]:
            other = await stack.enter_async_context(Neighbour(asked))
            await other.tell(own)
            others.append(other)
        fresh = await stack.enter_async_context(examinee.fresh())
        everything = _all(told)
        answers = [await here.ask_all(everything)]
        answers += [await other.ask_all(everything) for other in others]
        seen = [known_of(given, everything) for given in answers]
        left = await known_untold(fresh, everything)
    return _judged(seen, told, left, examinee.found)


def _judged(
    seen: Sequence[Sequence[Fact]], told: Sequence[Sequence[Fact]], left: list[Fact], found: float
) -> Verdict:
    for known_there, own in zip(seen, told, strict=True):
        foreign = [fact for fact in known_there if fact not in own]
        if foreign:
            return failed(
                f"one process knows what only another was told {_example(foreign)}: processes "
                "share a folder, a collection or a server's name space"
            )
    if left:
        return failed(
            f"a fresh instance knows what other processes were told {_example(left)}: processes "
            "share a folder, a collection or a server's name space"
        )
    if any(too_few(mine, own, found) for mine, own in zip(seen, told, strict=True)):
        counts = ", ".join(str(len(mine)) for mine in seen)
        return failed(
            f"three processes know {counts} of {_FACTS} facts each: one wipes what another "
            "stored; they share a folder, a collection or a server's name space"
        )
    return passed("three processes know their own facts and nothing of each other")


async def _at_a_time(work: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
    """Do all at the same time; raise the first failure when all have ended."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def _all(groups: Iterable[Sequence[Fact]]) -> list[Fact]:
    return [fact for group in groups for fact in group]


def _example(facts: Sequence[Fact]) -> str:
    return f"({facts[0].text!r})"
