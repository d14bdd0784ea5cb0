"""Checks whether an agent stores what it is told, and nothing was in it before.

Facts are invented, so that only an agent that was told them can know them.
"""

from __future__ import annotations

from mabench.check.agent import CheckedAgent
from mabench.check.answers import known_facts, too_few
from mabench.check.findings import Verdict, failed, passed, warning
from mabench.check.instance import CallError
from mabench.printable import write_count

_FACTS = 20
# A memory that finds a smaller share of plain facts than this is worth a look.
_GOOD_SHARE = 0.8
_FEW_TEXTS = 5  # That a search is asked for, of twenty.
# The topic of the facts in the check ``found``. A fresh instance is asked for these, because an
# earlier run of that check may have left them behind.
_TOPIC = "found"


async def fresh_instance_knows_nothing(agent: CheckedAgent) -> Verdict:
    """Ask a fresh instance for facts that it never got; it must retrieve and hold nothing."""
    facts = agent.facts(_TOPIC).take(5)
    async with agent.fresh() as instance:
        stats = await instance.stats()
        answers = await instance.answer_all_untold(facts)
    if known_facts(answers, facts):
        return failed(
            "a fresh instance knows facts from an earlier check: memories outlive their instance, "
            "in something that instances share"
        )
    # Later answers may hold what answering wrote into the memory, which is another fault.
    passages = len(answers[0].retrieved)
    fault = None
    if passages:
        fault = f"retrieves {write_count(passages, 'passage')}"
    elif stats.memories:
        fault = f"holds {write_count(stats.memories, 'memory')}"
    if fault is not None:
        return failed(
            f"a fresh instance {fault} although nothing was memorized: it starts with data that "
            "something else stored"
        )
    return passed("a fresh instance knows nothing")


async def memorized_facts_are_found(agent: CheckedAgent) -> Verdict:
    """Memorize 20 facts and ask for them, and for fewer passages than there are.

    The verdict has the share of the facts that are found, by which other checks judge.
    """
    facts = agent.facts(_TOPIC).take(_FACTS)
    async with agent.fresh(facts) as instance:
        answers = await instance.answer_all(facts)
        passages = await instance.search_without_cut(facts[0].question, _FEW_TEXTS)
    found = len(known_facts(answers, facts))
    share = found / len(facts)
    retrieves = any(answer.retrieved for answer in answers)
    by = "retrieved passages" if retrieves else "its answers"
    message = f"{found} of {len(facts)} facts are found, by {by}"
    if found == 0:
        return failed(
            f"{message}: it stores nothing, or its search does not find what it stores", share
        )
    if share < _GOOD_SHARE:
        return warning(
            f"{message}: less than {100 * _GOOD_SHARE:.0f} % of plain single facts", share
        )
    if len(passages) > _FEW_TEXTS:
        return warning(
            f"{message}; a search for k = {_FEW_TEXTS} returned {len(passages)} texts, of which "
            f"the first {_FEW_TEXTS} count",
            share,
        )
    return passed(message, share)


async def empty_memory_can_be_searched(agent: CheckedAgent) -> Verdict:
    """Ask an instance that was told nothing, and tell it facts afterwards.

    The question must not fail, and some of the facts must be found.
    """
    facts = agent.facts("search before add").take(3)
    async with agent.fresh() as instance:
        try:
            await instance.answer(facts[0].question)
        except CallError as error:
            return failed(f"a search of an empty memory fails: {error}")
        await instance.tell_facts(facts)
        recalled = await instance.recall(facts)
    if not recalled and too_few(recalled, facts, expected=agent.found_share):
        return failed("nothing memorized after a first question is found")
    return passed("search works on an empty memory")


async def empty_texts_do_no_harm(agent: CheckedAgent) -> Verdict:
    """Memorize an empty text and blanks between facts, some of which must be found."""
    facts = agent.facts("empty text").take(3)
    async with agent.fresh(facts[:1]) as instance:
        await instance.tell("")
        await instance.tell(" \n\t ")
        await instance.tell_facts(facts[1:])
        recalled = await instance.recall(facts)
    if not recalled and too_few(recalled, facts, expected=agent.found_share):
        return failed("nothing is found after an empty text was memorized")
    return passed("empty texts do no harm")
