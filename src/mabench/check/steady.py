"""Does answering leave the memory as it was, and do two instances answer alike?"""

from __future__ import annotations

from mabench.check.facts import Fact, Facts, facts_in, plain, texts_of
from mabench.check.findings import Verdict, failed, passed, warning
from mabench.check.instances import CheckedAgent
from mabench.contract import Answer

_ASKED = 6
_BETWEEN = 10


async def answering_changes_nothing(agent: CheckedAgent) -> Verdict:
    """Ask some questions, ten others that hold false statements, and the first ones again."""
    facts = Facts("unchanged by answering")
    told = facts.take(_ASKED + _BETWEEN)
    asked, others = told[:_ASKED], told[_ASKED:]
    lies = facts.take(_BETWEEN)
    async with agent.fresh() as instance:
        await instance.tell(told)
        stats = await instance.stats()
        before = await instance.ask_all(asked)
        for lie, other in zip(lies, others, strict=True):
            await instance.ask(f"I was told this: {lie.text} {other.question}")
        after = await instance.ask_all(asked)
        believed = facts_in(await instance.ask_all(lies), lies)
        stats_after = await instance.stats()
    if believed:
        return failed(
            f"what stood in a question is found later ({believed[0].text!r}): answering writes "
            "into the memory (a search that stores its query)"
        )
    number, number_after = stats.memories, stats_after.memories
    if number != number_after:
        return failed(
            f"it held {number} memories before it was asked and {number_after} after: answering "
            "changes the memory"
        )
    if _alike(before, after):
        return passed("questions are answered alike after others were asked")
    async with agent.fresh() as twin:
        await twin.tell(told)
        repeated = await twin.ask_all(asked)
    return _changed(asked, before, after, repeated)


def _changed(
    asked: list[Fact], before: list[Answer], after: list[Answer], repeated: list[Answer]
) -> Verdict:
    """Tell an agent that is changed by questions from one that never answers twice alike.

    ``repeated`` is what another instance, told the same, answers at first.
    """
    steady = _alike(before, repeated)
    first = facts_in([*before, *repeated], asked * 2)
    kept = facts_in(after, asked)
    fewer = len(kept) < len(first) / 2
    # What answers by chance may find fewer now and then, but hardly nothing.
    none = not kept and len(first) >= len(asked)
    if (steady and fewer) or none:
        return failed(
            f"of {len(asked)} facts {len(facts_in(before, asked))} were found at first and "
            f"{len(kept)} after other questions: answering takes away from the memory"
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
    told = Facts("deterministic").take(10)
    answers = []
    for _ in range(2):
        async with agent.fresh() as instance:
            await instance.tell(told)
            answers.append(await instance.ask_all(told))
    different = sum(not _alike([one], [other]) for one, other in zip(*answers, strict=True))
    if different:
        return warning(
            f"two instances that were told the same answer {different} of {len(told)} questions "
            "differently: a run cannot be reproduced; `repeat` shows the spread"
        )
    return passed("two instances that were told the same answer the same")


def _alike(some: list[Answer], others: list[Answer]) -> bool:
    """Whether answers and passages are the same, in the same order; scores may differ."""
    return [list(map(plain, texts_of(answer))) for answer in some] == [
        list(map(plain, texts_of(answer))) for answer in others
    ]
