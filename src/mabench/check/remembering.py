"""Does a fresh instance know nothing, and is what was memorized found?"""

from __future__ import annotations

from mabench.check.examinee import Examinee
from mabench.check.facts import Facts
from mabench.check.findings import Verdict, failed, passed, warning
from mabench.check.knowledge import answers_untold, known_of

# A memory that finds fewer of twenty plain facts than this share is worth a look.
GOOD_SHARE = 0.8
# Both checks have the same facts: an earlier run of the second one may have left them behind.
_CHECK = "found"


async def fresh_knows_nothing(examinee: Examinee) -> Verdict:
    """Ask a fresh instance for facts that nobody told it."""
    facts = Facts(_CHECK).take(5)
    async with examinee.fresh() as instance:
        held = (await instance.stats()).get("memories", 0)
        answers = await answers_untold(instance, facts)
    if known_of(answers, facts):
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


async def memorized_is_found(examinee: Examinee) -> Verdict:
    """Tell twenty facts, one a chunk, and ask for each."""
    facts = Facts(_CHECK).take(20)
    async with examinee.fresh() as instance:
        await instance.tell(facts)
        answers = await instance.ask_all(facts)
    number = len(known_of(answers, facts))
    examinee.found = number / len(facts)
    by = "retrieved passages" if any(answer.retrieved for answer in answers) else "its answers"
    seen = f"{number} of {len(facts)} facts are found, by {by}"
    if not number:
        return failed(f"{seen}: it stores nothing, or what it stores cannot be found")
    if examinee.found < GOOD_SHARE:
        return warning(f"{seen}: less than {GOOD_SHARE:.0%} of plain single facts")
    return passed(seen)
