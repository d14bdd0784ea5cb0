"""Is what was memorized found, and nothing else; also when it was saved, and after answering?"""

from __future__ import annotations

import tempfile
from pathlib import Path

from mabench.check.facts import Facts, are_alike, facts_in, too_few
from mabench.check.findings import Verdict, failed, passed, skipped, warning
from mabench.check.instances import CheckedAgent

# A memory that finds fewer of twenty plain facts than this share is worth a look.
_GOOD_SHARE = 0.8
# Both checks have the same facts: an earlier run of the second one may have left them behind.
_CHECK = "found"
_SAVED_FACTS = 10
_ASKED = 6
_BETWEEN = 10


async def fresh_knows_nothing(agent: CheckedAgent) -> Verdict:
    """Ask a fresh instance for facts that nobody told it."""
    facts = Facts(_CHECK).take(5)
    async with agent.fresh() as instance:
        held = (await instance.stats()).memories
        answers = await instance.answer_all_untold(facts)
    if facts_in(answers, facts):
        return failed(
            "a fresh instance knows what an earlier check told another: what is memorized "
            "outlives its instance, in a folder, collection or server that all share"
        )
    # Later answers may hold what answering wrote into the memory, which is another fault.
    passages = len(answers[0].retrieved)
    if passages or held:
        seen = f"retrieves {passages} passages" if passages else f"holds {held} memories"
        return failed(
            f"a fresh instance {seen} although nothing was memorized: it starts with what "
            "something else stored"
        )
    return passed("a fresh instance knows nothing")


async def memorizing_stores(agent: CheckedAgent) -> Verdict:
    """Tell twenty facts, one a chunk, and ask for each."""
    facts = Facts(_CHECK).take(20)
    async with agent.fresh() as instance:
        await instance.tell_facts(facts)
        answers = await instance.answer_all(facts)
    number = len(facts_in(answers, facts))
    share = number / len(facts)
    by = "retrieved passages" if any(answer.retrieved for answer in answers) else "its answers"
    seen = f"{number} of {len(facts)} facts are found, by {by}"
    if not number:
        return failed(f"{seen}: it stores nothing, or what it stores cannot be found", share)
    if share < _GOOD_SHARE:
        return warning(f"{seen}: less than {_GOOD_SHARE:.0%} of plain single facts", share)
    return passed(seen, share)


async def saved_memory_comes_back(agent: CheckedAgent) -> Verdict:
    """Save an instance, close it, and ask a fresh one that has loaded what was saved."""
    facts = Facts("save and load").take(_SAVED_FACTS)
    with tempfile.TemporaryDirectory(prefix="mabench-check-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "memory"
        folder.mkdir()
        async with agent.fresh() as saved:
            offered = [method for method in ("save", "load") if saved.has(method)]
            if not offered:
                return skipped("not offered")
            if len(offered) == 1:
                return skipped(f"only {offered[0]} is offered; runs need both")
            await saved.tell_facts(facts)
            await saved.save(folder)
            before = await saved.recall(facts)
        async with agent.fresh() as loaded:
            await loaded.load(folder)
            after = await loaded.recall(facts)
    seen = (
        f"of {_SAVED_FACTS} facts {len(before)} are found by the instance that was saved and "
        f"{len(after)} by the one that loaded it"
    )
    if too_few(after, facts, len(before) / _SAVED_FACTS):
        return failed(f"{seen}: save and load lose what was memorized")
    return warning(seen) if len(after) < len(before) else passed(seen)


async def answering_changes_nothing(agent: CheckedAgent) -> Verdict:
    """Ask some questions, ten others that hold false statements, and the first ones again."""
    facts = Facts("unchanged by answering")
    first, others, lies = facts.take(_ASKED), facts.take(_BETWEEN), facts.take(_BETWEEN)
    async with agent.fresh() as instance:
        await instance.tell_facts(first + others)
        stats = await instance.stats()
        before = await instance.answer_all(first)
        for lie, other in zip(lies, others, strict=True):
            await instance.answer(f"I was told this: {lie.text} {other.question}")
        after = await instance.answer_all(first)
        believed = await instance.recall(lies)
        stats_after = await instance.stats()
    if believed:
        return failed(
            f"what stood in a question is found later ({believed[0].text!r}): answering writes "
            "into the memory (a search that stores its query)"
        )
    if stats.memories != stats_after.memories:
        return failed(
            f"it held {stats.memories} memories before it was asked and {stats_after.memories} "
            "after: answering changes the memory"
        )
    if are_alike(before, after):
        return passed("questions are answered alike after others were asked")
    # An agent that is changed by questions is told from one that never answers twice alike by
    # what another instance, told the same, answers at first.
    async with agent.fresh() as twin:
        await twin.tell_facts(first + others)
        repeated = await twin.answer_all(first)
    steady = are_alike(before, repeated)
    at_first = facts_in([*before, *repeated], first * 2)
    later = facts_in(after, first)
    fewer = len(later) < len(at_first) / 2
    # What answers by chance may find fewer now and then, but hardly nothing.
    nothing = not later and len(at_first) >= _ASKED
    if (steady and fewer) or nothing:
        return failed(
            f"of {_ASKED} facts {len(facts_in(before, first))} were found at first and "
            f"{len(later)} after other questions: answering takes away from the memory"
        )
    if steady:
        return failed(
            "the same questions are answered otherwise after others were asked, though two "
            "instances answer them alike at first: answering changes the memory"
        )
    return warning(
        "the same questions are answered otherwise after others were asked; as two instances "
        "do not answer alike either, this need not come from a change of the memory"
    )


async def instances_answer_alike(agent: CheckedAgent) -> Verdict:
    """Tell two instances the same and ask them the same."""
    facts = Facts("deterministic").take(10)
    answers = []
    for _ in range(2):
        async with agent.fresh() as instance:
            await instance.tell_facts(facts)
            answers.append(await instance.answer_all(facts))
    different = sum(
        not are_alike([first], [second]) for first, second in zip(*answers, strict=True)
    )
    if different:
        return warning(
            f"two instances that were told the same answer {different} of {len(facts)} questions "
            "differently: a run cannot be reproduced; `repeat` shows the spread"
        )
    return passed("two instances that were told the same answer the same")
