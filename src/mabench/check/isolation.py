"""Checks whether what a row was told is found in that row alone: in no other row or process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from itertools import chain

from mabench.bench.facts import Fact
from mabench.check.agent import CheckedAgent
from mabench.check.answers import known_facts, too_few
from mabench.check.findings import Verdict, failed, passed, skipped
from mabench.check.instance import run_together
from mabench.check.processes import OTHER_PROCESSES, instance_in_process

_FACTS = 6  # That each row is told.
_CONCURRENT_ROWS = 4
# Where memories can meet: outside of processes, or within one.
_SHARED_OUTSIDE = "share something outside of them, such as a folder, a collection or a name space"
_SHARED_WITHIN = (
    "share something in their process, such as a class attribute or a module's variable"
)


async def rows_stay_apart(agent: CheckedAgent) -> Verdict:
    """Tell two instances different facts, and a third nothing once they are closed."""
    facts = agent.facts("rows apart")
    first_facts, second_facts = facts.take(_FACTS), facts.take(_FACTS)
    async with agent.fresh(first_facts) as first, agent.fresh(second_facts) as second:
        leaked = await second.recall(first_facts) + await first.recall(second_facts)
        own = await first.recall(first_facts)
    if leaked:
        return failed(
            f"one row knows facts that only another was given {_example(leaked)}: it leaks "
            "between rows; instances share what they store"
        )
    if too_few(own, first_facts, agent.found_share):
        return failed(
            f"after a second row was memorized, the first knows {len(own)} of {_FACTS} facts: a "
            "new instance wipes or replaces another's data"
        )
    both = first_facts + second_facts
    async with agent.fresh() as third:
        outlived = known_facts(await third.answer_all_untold(both), both)
    if outlived:
        return failed(
            f"a fresh row knows facts of closed rows {_example(outlived)}: it leaks between "
            "rows; memories outlive their instance"
        )
    return passed("two rows know only their own facts")


async def concurrent_rows_stay_apart(agent: CheckedAgent) -> Verdict:
    """Tell four instances different facts at the same time, and ask each for all of them."""
    facts = agent.facts("rows in parallel")
    groups = [facts.take(_FACTS) for _ in range(_CONCURRENT_ROWS)]
    async with AsyncExitStack() as open_rows:
        rows = [await open_rows.enter_async_context(agent.fresh()) for _ in groups]
        pairs = [*zip(rows, groups, strict=True)]
        await run_together(row.tell_facts(group) for row, group in pairs)
        own = await run_together(row.recall(group) for row, group in pairs)
        leaked = await run_together(
            row.recall([fact for other in groups if other is not group for fact in other[:2]])
            for row, group in pairs
        )
    if any(leaked):
        return failed(
            f"of {_CONCURRENT_ROWS} concurrent rows, one knows facts that only another was given "
            f"{_example([*chain(*leaked)])}: it leaks between rows"
        )
    if too_few([*chain(*own)], [*chain(*groups)], agent.found_share):
        return failed(
            f"{_CONCURRENT_ROWS} concurrent rows know {_counts(own)} of {_FACTS} facts each: "
            "parallel writes are lost"
        )
    return passed(f"{_CONCURRENT_ROWS} concurrent rows know only their own facts")


async def processes_stay_apart(agent: CheckedAgent) -> Verdict:
    """Tell an instance here and one in each of two other processes different facts.

    Two others, since they start alike: names that are counted up in a process meet there.
    """
    if not isinstance(agent.spec.agent, str):
        return skipped(
            "a factory cannot be sent to another process; name it package.module:factory"
        )
    facts = agent.facts("processes apart")
    groups = [facts.take(_FACTS) for _ in range(1 + OTHER_PROCESSES)]
    everything = [*chain(*groups)]
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(agent.fresh(groups[0]))
        instances = [instance_in_process(agent, group) for group in groups[1:]]
        others = [await stack.enter_async_context(instance) for instance in instances]
        fresh = await stack.enter_async_context(agent.fresh())
        answers = [await here.answer_all(everything)]
        answers += [await answer_all(everything) for answer_all in others]
        leaked = known_facts(await fresh.answer_all_untold(everything), everything)
    recalled = [known_facts(answers_there, everything) for answers_there in answers]
    pairs = [*zip(recalled, groups, strict=True)]
    foreign = [fact for facts_there, own in pairs for fact in facts_there if fact not in own]
    if foreign:
        return failed(
            f"one process knows facts that only another was given {_example(foreign)}: "
            f"processes {_SHARED_OUTSIDE}"
        )
    if of_others := [fact for fact in leaked if fact not in groups[0]]:
        return failed(
            f"a fresh instance knows facts of other processes {_example(of_others)}: processes "
            f"{_SHARED_OUTSIDE}"
        )
    if leaked:  # Only of the instance in its own process.
        return failed(
            "a fresh instance knows facts that another one in its process was given "
            f"{_example(leaked)}: instances {_SHARED_WITHIN}"
        )
    if any(too_few(facts_there, own, agent.found_share) for facts_there, own in pairs):
        return failed(
            f"three processes know {_counts(recalled)} of {_FACTS} facts each: one wipes "
            f"another's data; they {_SHARED_OUTSIDE}"
        )
    return passed("three processes know only their own facts")


def _counts(groups: Iterable[Sequence[Fact]]) -> str:
    """Return how many facts each group has, for a message."""
    return ", ".join(str(len(group)) for group in groups)


def _example(facts: Sequence[Fact]) -> str:
    """Return the first of some facts, for a message."""
    return f"({facts[0].text!r})"
