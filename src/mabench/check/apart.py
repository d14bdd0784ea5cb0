"""Is what a row was told found there, and nowhere else: not in other rows, answers, processes?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from itertools import chain

from mabench.bench.facts import Fact
from mabench.check.answers import are_alike, known_facts, too_few
from mabench.check.findings import Check, Verdict, failed, passed, skipped, warning
from mabench.check.instances import CallError, CheckedAgent, at_a_time
from mabench.printable import write_count

# A memory that finds fewer of twenty plain facts than this share is worth a look.
_GOOD_SHARE = 0.8
_FEW = 5  # Texts that a search is asked for, of twenty.
# What the first two checks tell alike: an earlier run of the second may have left it behind.
_CHECK = "found"
_FACTS, _AT_A_TIME, _QUESTIONS = 6, 4, 8
_ASKED, _BETWEEN = 6, 10
# Where memories can meet: outside of processes, or within one.
_SHARED = "share something outside of them, such as a folder, a collection or a name space"
_SHARED_WITHIN = (
    "share something in their process, such as a class attribute or a module's variable"
)


async def _fresh_knows_nothing(agent: CheckedAgent) -> Verdict:
    facts = agent.facts(_CHECK).take(5)
    async with agent.fresh() as instance:
        held = (await instance.stats()).memories
        answers = await instance.answer_all_untold(facts)
    if known_facts(answers, facts):
        return failed(
            "a fresh instance knows facts from an earlier check: memories outlive their instance, "
            "in something that instances share"
        )
    # Later answers may hold what answering wrote into the memory, which is another fault.
    passages = len(answers[0].retrieved)
    if passages or held:
        seen = f"holds {write_count(held or 0, 'memory')}"
        if passages:
            seen = f"retrieves {write_count(passages, 'passage')}"
        return failed(
            f"a fresh instance {seen} although nothing was memorized: it starts with data that "
            "something else stored"
        )
    return passed("a fresh instance knows nothing")


async def _memorizing_stores(agent: CheckedAgent) -> Verdict:
    facts = agent.facts(_CHECK).take(20)
    async with agent.fresh(facts) as instance:
        answers = await instance.answer_all(facts)
        more = len(await instance.search_whole(facts[0].question, _FEW))
    number = len(known_facts(answers, facts))
    share = number / len(facts)
    by = "retrieved passages" if any(answer.retrieved for answer in answers) else "its answers"
    seen = f"{number} of {len(facts)} facts are found, by {by}"
    if not number:
        return failed(
            f"{seen}: it stores nothing, or its search does not find what it stores", share
        )
    if share < _GOOD_SHARE:
        return warning(f"{seen}: less than {100 * _GOOD_SHARE:.0f} % of plain single facts", share)
    if more > _FEW:
        beyond = f"a search for k = {_FEW} returned {more} texts, of which the first {_FEW} count"
        return warning(f"{seen}; {beyond}", share)
    return passed(seen, share)


async def _rows_stay_apart(agent: CheckedAgent) -> Verdict:
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


async def _rows_stay_apart_in_parallel(agent: CheckedAgent) -> Verdict:
    facts = agent.facts("rows in parallel")
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
            f"of {_AT_A_TIME} concurrent rows, one knows facts that only another was given "
            f"{_example([*chain(*leaked)])}: it leaks between rows"
        )
    if too_few([*chain(*own)], [*chain(*groups)], agent.found_share):
        return failed(
            f"{_AT_A_TIME} concurrent rows know {_counts(own)} of {_FACTS} facts each: parallel "
            "writes are lost"
        )
    return passed(f"{_AT_A_TIME} concurrent rows know only their own facts")


async def _questions_stay_apart(agent: CheckedAgent) -> Verdict:
    """Ask an instance its first eight questions at the same time, and another one by one.

    Where it can be, the first is in a process of its own: imports are made there at the same time.
    """
    facts = agent.facts("questions in parallel").take(_QUESTIONS)
    alone = await agent.answer_afresh(facts)
    try:
        if isinstance(agent.spec.agent, str):
            async with agent.elsewhere(facts, _QUESTIONS) as answer_all:
                together = await answer_all(facts)
        else:
            together = await agent.answer_afresh(facts, _QUESTIONS)
    except CallError as error:
        return warning(f"it cannot answer {_QUESTIONS} questions at once: {error}")
    before, after = known_facts(alone, facts), known_facts(together, facts)
    if too_few(after, facts, len(before) / _QUESTIONS):
        return failed(
            f"asked one at a time it knows {len(before)} of {_QUESTIONS} facts, asked all at "
            f"once {len(after)}: parallel questions disturb each other"
        )
    if are_alike(alone, together):
        return passed(f"{_QUESTIONS} questions at once get the same answers as one by one")
    if are_alike(alone, await agent.answer_afresh(facts)):
        return failed(
            f"{_QUESTIONS} questions at once get other answers than one by one, though two "
            "instances answer alike: parallel questions disturb each other"
        )
    return warning(
        f"{_QUESTIONS} questions at once get other answers than one by one; since two instances "
        "do not answer alike either, parallel asking may not be the cause"
    )


async def _processes_stay_apart(agent: CheckedAgent) -> Verdict:
    """Tell an instance here and one in each of two other processes different facts.

    Two others, since they start alike: names that are counted up in a process meet there.
    """
    if not isinstance(agent.spec.agent, str):
        return skipped(
            "a factory cannot be sent to another process; name it package.module:factory"
        )
    facts = agent.facts("processes apart")
    groups = [facts.take(_FACTS) for _ in range(1 + agent.others)]
    everything = [*chain(*groups)]
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(agent.fresh(groups[0]))
        instances = [agent.elsewhere(group) for group in groups[1:]]
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
            f"processes {_SHARED}"
        )
    if of_others := [fact for fact in leaked if fact not in groups[0]]:
        return failed(
            f"a fresh instance knows facts of other processes {_example(of_others)}: processes "
            f"{_SHARED}"
        )
    if leaked:  # Only of the instance in its own process.
        return failed(
            "a fresh instance knows facts that another one in its process was given "
            f"{_example(leaked)}: instances {_SHARED_WITHIN}"
        )
    if any(too_few(facts_there, own, agent.found_share) for facts_there, own in pairs):
        return failed(
            f"three processes know {_counts(recalled)} of {_FACTS} facts each: one wipes "
            f"another's data; they {_SHARED}"
        )
    return passed("three processes know only their own facts")


async def _answering_changes_nothing(agent: CheckedAgent) -> Verdict:
    """Ask some questions, ten others that hold false statements, and the first ones again."""
    facts = agent.facts("unchanged by answering")
    first, others, lies = facts.take(_ASKED), facts.take(_BETWEEN), facts.take(_BETWEEN)
    async with agent.fresh(first + others) as instance:
        stats = await instance.stats()
        before = await instance.answer_all(first)
        for lie, other in zip(lies, others, strict=True):
            await instance.answer(f"I was told this: {lie.text} {other.question}")
        after = await instance.answer_all(first)
        believed = await instance.recall(lies)
        stats_after = await instance.stats()
    if believed:
        return failed(
            f"the text of a question is found later ({believed[0].text!r}): answering writes "
            "into the memory (a search that stores its query)"
        )
    if stats.memories != stats_after.memories:
        return failed(
            f"it held {stats.memories} memories before the questions and {stats_after.memories} "
            "after: answering changes the memory"
        )
    if are_alike(before, after):
        return passed("answers do not change after other questions")
    # An agent that is changed by questions is told from one that never answers twice alike by
    # what another instance, told the same, answers at first.
    repeated = await agent.answer_afresh(first, told=first + others)
    steady = are_alike(before, repeated)
    at_first, later = known_facts([*before, *repeated], first * 2), known_facts(after, first)
    # What answers by chance may find fewer now and then, but hardly nothing.
    nothing = not later and len(at_first) >= _ASKED
    if (steady and len(later) < len(at_first) / 2) or nothing:
        return failed(
            f"of {_ASKED} facts {len(known_facts(before, first))} were found at first and "
            f"{len(later)} after other questions: answering removes memories"
        )
    if steady:
        return failed(
            "answers change after other questions, though two instances answer alike at first: "
            "answering changes the memory"
        )
    return warning(
        "answers change after other questions; since two instances do not answer alike either, "
        "the memory itself may not have changed"
    )


async def _search_before_add(agent: CheckedAgent) -> Verdict:
    facts = agent.facts("search before add").take(3)
    async with agent.fresh() as instance:
        try:
            await instance.answer(facts[0].question)
        except CallError as error:
            return failed(f"a search of an empty memory fails: {error}")
        await instance.tell_facts(facts)
        recalled = await instance.recall(facts)
    if not recalled and too_few((), facts, agent.found_share):
        return failed("nothing memorized after a first question is found")
    return passed("search works on an empty memory")


async def _empty_text(agent: CheckedAgent) -> Verdict:
    facts = agent.facts("empty text").take(3)
    async with agent.fresh(facts[:1]) as instance:
        await instance.tell("")
        await instance.tell(" \n\t ")
        await instance.tell_facts(facts[1:])
        recalled = await instance.recall(facts)
    if not recalled and too_few((), facts, agent.found_share):
        return failed("nothing is found after an empty text was memorized")
    return passed("empty texts do no harm")


def _counts(groups: Iterable[Sequence[Fact]]) -> str:
    return ", ".join(str(len(group)) for group in groups)


def _example(facts: Sequence[Fact]) -> str:
    return f"({facts[0].text!r})"


CHECKS = (
    Check("fresh instance", _fresh_knows_nothing, needs_found=False),
    Check("found", _memorizing_stores, needs_found=False),
    Check("rows apart", _rows_stay_apart),
    Check("rows in parallel", _rows_stay_apart_in_parallel),
    Check("questions in parallel", _questions_stay_apart),
    Check("processes apart", _processes_stay_apart),
    Check("unchanged by answering", _answering_changes_nothing, needs_found=False),
    Check("search before add", _search_before_add, invalidates=False, needs_found=False),
    Check("empty text", _empty_text, invalidates=False, needs_found=False),
)
