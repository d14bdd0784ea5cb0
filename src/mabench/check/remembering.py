"""Does a fresh instance know nothing, and is what was memorized found, also when it was saved?"""

from __future__ import annotations

import tempfile
from pathlib import Path

from mabench.check.facts import Facts, facts_in, too_few
from mabench.check.findings import Verdict, failed, passed, skipped, warning
from mabench.check.instances import CheckedAgent

# A memory that finds fewer of twenty plain facts than this share is worth a look.
_GOOD_SHARE = 0.8
# Both checks have the same facts: an earlier run of the second one may have left them behind.
_CHECK = "found"
_SAVED_FACTS = 10


async def fresh_knows_nothing(agent: CheckedAgent) -> Verdict:
    """Ask a fresh instance for facts that nobody told it."""
    facts = Facts(_CHECK).take(5)
    async with agent.fresh() as instance:
        held = (await instance.stats()).memories
        answers = await instance.ask_all_untold(facts)
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


async def memorized_is_found(agent: CheckedAgent) -> Verdict:
    """Tell twenty facts, one a chunk, and ask for each."""
    facts = Facts(_CHECK).take(20)
    async with agent.fresh() as instance:
        await instance.tell(facts)
        answers = await instance.ask_all(facts)
    number = len(facts_in(answers, facts))
    agent.found_share = number / len(facts)
    by = "retrieved passages" if any(answer.retrieved for answer in answers) else "its answers"
    seen = f"{number} of {len(facts)} facts are found, by {by}"
    if not number:
        return failed(f"{seen}: it stores nothing, or what it stores cannot be found")
    if agent.found_share < _GOOD_SHARE:
        return warning(f"{seen}: less than {_GOOD_SHARE:.0%} of plain single facts")
    return passed(seen)


async def saved_memory_comes_back(agent: CheckedAgent) -> Verdict:
    """Save an instance, close it, and ask a fresh one that has loaded what was saved."""
    facts = Facts("save and load").take(_SAVED_FACTS)
    with tempfile.TemporaryDirectory(prefix="mabench-check-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "memory"
        folder.mkdir()
        async with agent.fresh() as instance:
            offered = [method for method in ("save", "load") if instance.has(method)]
            if len(offered) < 2:
                return skipped(_not_offered(offered))
            await instance.tell(facts)
            await instance.save(folder)
            before = await instance.known(facts)
        async with agent.fresh() as loaded:
            await loaded.load(folder)
            after = await loaded.known(facts)
    seen = (
        f"of {_SAVED_FACTS} facts {len(before)} are found by the instance that was saved and "
        f"{len(after)} by the one that loaded it"
    )
    if too_few(after, facts, len(before) / _SAVED_FACTS):
        return failed(f"{seen}: save and load lose what was memorized")
    return warning(seen) if len(after) < len(before) else passed(seen)


def _not_offered(offered: list[str]) -> str:
    return f"only {offered[0]} is offered; runs need both" if offered else "not offered"
