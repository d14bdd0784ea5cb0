"""Checks whether answers depend on what was told alone: not on other questions, nor on chance."""

from __future__ import annotations

from mabench.check.agent import CheckedAgent
from mabench.check.answers import are_alike, known_facts, too_few
from mabench.check.findings import Verdict, failed, passed, warning
from mabench.check.instance import CallError
from mabench.check.processes import instance_in_process

_QUESTIONS = 8  # That are asked at once.
_ASKED_TWICE = 6  # That are asked again after others.
_ASKED_BETWEEN = 10  # Those others.
_REPEATED_QUESTIONS = 10  # That two instances are asked.


async def concurrent_questions_stay_apart(agent: CheckedAgent) -> Verdict:
    """Ask an instance its first eight questions at the same time, and another one by one.

    Where it can be, the first is in a process of its own: imports are made there at the same time.
    """
    facts = agent.facts("questions in parallel").take(_QUESTIONS)
    alone = await agent.answer_afresh(facts)
    try:
        if isinstance(agent.spec.agent, str):
            async with instance_in_process(agent, facts, clients=_QUESTIONS) as answer_all:
                together = await answer_all(facts)
        else:
            together = await agent.answer_afresh(facts, clients=_QUESTIONS)
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


async def answering_changes_nothing(agent: CheckedAgent) -> Verdict:
    """Ask some questions, ten others that hold false statements, and the first ones again."""
    facts = agent.facts("unchanged by answering")
    first = facts.take(_ASKED_TWICE)
    others, lies = facts.take(_ASKED_BETWEEN), facts.take(_ASKED_BETWEEN)
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
    nothing = not later and len(at_first) >= _ASKED_TWICE
    if (steady and len(later) < len(at_first) / 2) or nothing:
        return failed(
            f"of {_ASKED_TWICE} facts {len(known_facts(before, first))} were found at first and "
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


async def instances_answer_alike(agent: CheckedAgent) -> Verdict:
    """Tell two instances the same facts, and ask them the same questions."""
    facts = agent.facts("deterministic").take(_REPEATED_QUESTIONS)
    first, second = [await agent.answer_afresh(facts) for _ in range(2)]
    pairs = zip(first, second, strict=True)
    different = sum(not are_alike([one], [other]) for one, other in pairs)
    if different:
        return warning(
            f"two instances with the same history answer {different} of {len(facts)} questions "
            "differently: a run cannot be reproduced; `repeat` shows the spread"
        )
    return passed("two instances with the same history give the same answers")
