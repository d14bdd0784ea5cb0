"""Checks whether what a row was told is found in that row alone: in no other row or process.

Each row of a data set has an instance of its own. Here, instances are told different facts, and
each is asked for those of the others.
"""

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
# What explains that facts of one instance are found in another: something outside of processes,
# or within one.
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
    if too_few(own, first_facts, expected=agent.found_share):
        return failed(
            f"after a second row was memorized, the first knows {len(own)} of {_FACTS} facts: a "
            "new instance wipes or replaces another's data"
        )
    both = first_facts + second_facts
    async with agent.fresh() as third:
        left_behind = known_facts(await third.answer_all_untold(both), both)
    if left_behind:
        return failed(
            f"a fresh row knows facts of closed rows {_example(left_behind)}: it leaks between "
            "rows; memories outlive their instance"
        )
    return passed("two rows know only their own facts")


async def concurrent_rows_stay_apart(agent: CheckedAgent) -> Verdict:
    """Tell four instances different facts at the same time, and ask each for all of them."""
    invented = agent.facts("rows in parallel")
    facts_of_rows = [invented.take(_FACTS) for _ in range(_CONCURRENT_ROWS)]
    async with AsyncExitStack() as open_rows:
        rows = [await open_rows.enter_async_context(agent.fresh()) for _ in facts_of_rows]
        pairs = list(zip(rows, facts_of_rows, strict=True))
        await run_together(row.tell_facts(facts) for row, facts in pairs)
        own = await run_together(row.recall(facts) for row, facts in pairs)
        leaked = await run_together(
            row.recall(_some_of_others(facts, facts_of_rows)) for row, facts in pairs
        )
    if any(leaked):
        return failed(
            f"of {_CONCURRENT_ROWS} concurrent rows, one knows facts that only another was given "
            f"{_example(list(chain(*leaked)))}: it leaks between rows"
        )
    everything = list(chain(*facts_of_rows))
    if too_few(list(chain(*own)), everything, expected=agent.found_share):
        return failed(
            f"{_CONCURRENT_ROWS} concurrent rows know {_counts(own)} of {_FACTS} facts each: "
            "parallel writes are lost"
        )
    return passed(f"{_CONCURRENT_ROWS} concurrent rows know only their own facts")


def _some_of_others(own: Sequence[Fact], facts_of_rows: Sequence[Sequence[Fact]]) -> list[Fact]:
    """Return two facts of each row but the one whose facts are ``own``."""
    return [fact for facts in facts_of_rows if facts is not own for fact in facts[:2]]


async def processes_stay_apart(agent: CheckedAgent) -> Verdict:
    """Tell an instance here and one in each of two other processes different facts.

    There are two others because these start alike: if each process counts up the names of what it
    stores, the same names occur in both. Afterwards, all three are asked for all facts, and so is a
    fresh instance here.
    """
    if not isinstance(agent.spec.agent, str):
        return skipped(
            "a factory cannot be sent to another process; name it package.module:factory"
        )
    invented = agent.facts("processes apart")
    facts_here, *facts_of_others = (invented.take(_FACTS) for _ in range(1 + OTHER_PROCESSES))
    told = [facts_here, *facts_of_others]
    everything = list(chain(*told))
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(agent.fresh(facts_here))
        ask_others = [
            await stack.enter_async_context(instance_in_process(agent, facts))
            for facts in facts_of_others
        ]
        fresh = await stack.enter_async_context(agent.fresh())
        answers = [await here.answer_all(everything)]
        answers += [await ask_other(everything) for ask_other in ask_others]
        known_to_fresh = known_facts(await fresh.answer_all_untold(everything), everything)
    known = [known_facts(answers_there, everything) for answers_there in answers]
    return _judge_processes(agent, told, known, known_to_fresh)


def _judge_processes(
    agent: CheckedAgent,
    told: Sequence[Sequence[Fact]],
    known: Sequence[Sequence[Fact]],
    known_to_fresh: Sequence[Fact],
) -> Verdict:
    """Return what it shows which facts the instances know that were told facts.

    ``told`` and ``known`` have an entry for each instance: first for the one in this process, then
    for those in others. The fresh instance is in this process, and was told nothing.
    """
    pairs = list(zip(told, known, strict=True))
    foreign = [fact for own, known_there in pairs for fact in known_there if fact not in own]
    if foreign:
        return failed(
            f"one process knows facts that only another was given {_example(foreign)}: "
            f"processes {_SHARED_OUTSIDE}"
        )
    of_other_processes = [fact for fact in known_to_fresh if fact not in told[0]]
    if of_other_processes:
        return failed(
            f"a fresh instance knows facts of other processes {_example(of_other_processes)}: "
            f"processes {_SHARED_OUTSIDE}"
        )
    if known_to_fresh:  # Only of the other instance in its own process.
        return failed(
            "a fresh instance knows facts that another one in its process was given "
            f"{_example(known_to_fresh)}: instances {_SHARED_WITHIN}"
        )
    if any(too_few(known_there, own, expected=agent.found_share) for own, known_there in pairs):
        return failed(
            f"three processes know {_counts(known)} of {_FACTS} facts each: one wipes "
            f"another's data; they {_SHARED_OUTSIDE}"
        )
    return passed("three processes know only their own facts")


def _counts(known: Iterable[Sequence[Fact]]) -> str:
    """Return how many facts each instance knows, for a message: ``6, 6, 0``."""
    return ", ".join(str(len(facts)) for facts in known)


def _example(facts: Sequence[Fact]) -> str:
    """Return the first of some facts in brackets, for a message."""
    return f"({facts[0].text!r})"
