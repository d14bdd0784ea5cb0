"""Checks whether answers depend on what was told alone: not on other questions, nor on chance.

An agent "knows" a fact if its answer or a retrieved passage has the gold. ``agent.found_share`` is
the share of facts that it knows if nothing disturbs it.
"""

from __future__ import annotations

from collections.abc import Sequence

from mabench.bench.facts import Fact
from mabench.check.agent import CheckedAgent
from mabench.check.answers import are_alike, known_facts, too_few
from mabench.check.findings import Verdict, failed, passed, warning
from mabench.check.instance import CallError
from mabench.check.processes import instance_in_process
from mabench.contract import Answer

# Numbers of questions:
_QUESTIONS = 8  # that are asked at once,
_ASKED_TWICE = 6  # that are asked again after others,
_ASKED_BETWEEN = 10  # of those others,
_REPEATED_QUESTIONS = 10  # and that two instances are asked.


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
    known_alone, known_together = known_facts(alone, facts), known_facts(together, facts)
    if too_few(known_together, facts, expected=len(known_alone) / _QUESTIONS):
        return failed(
            f"asked one at a time it knows {len(known_alone)} of {_QUESTIONS} facts, asked all at "
            f"once {len(known_together)}: parallel questions disturb each other"
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
    invented = agent.facts("unchanged by answering")
    facts = invented.take(_ASKED_TWICE)
    other_facts, lies = invented.take(_ASKED_BETWEEN), invented.take(_ASKED_BETWEEN)
    async with agent.fresh(facts + other_facts) as instance:
        stats = await instance.stats()
        before = await instance.answer_all(facts)
        for lie, other in zip(lies, other_facts, strict=True):
            await instance.answer(f"I was told this: {lie.text} {other.question}")
        after = await instance.answer_all(facts)
        known_lies = await instance.recall(lies)
        stats_after = await instance.stats()
    if known_lies:
        return failed(
            f"the text of a question is found later ({known_lies[0].text!r}): answering writes "
            "into the memory (a search that stores its query)"
        )
    if stats.memories != stats_after.memories:
        return failed(
            f"it held {stats.memories} memories before the questions and {stats_after.memories} "
            "after: answering changes the memory"
        )
    if are_alike(before, after):
        return passed("answers do not change after other questions")
    # The questions may have changed the agent, or it never answers twice alike. What another
    # instance answers at first, told the same, tells which.
    repeated = await agent.answer_afresh(facts, told=facts + other_facts)
    return _judge_change(facts, before, after, repeated)


def _judge_change(
    facts: Sequence[Fact],
    before: Sequence[Answer],
    after: Sequence[Answer],
    repeated: Sequence[Answer],
) -> Verdict:
    """Return what answers show that differ before and after other questions.

    ``repeated`` are the first answers of another instance that was told the same.
    """
    is_steady = are_alike(before, repeated)
    known_before, known_after = known_facts(before, facts), known_facts(after, facts)
    known_at_first = len(known_before) + len(known_facts(repeated, facts))  # Of both instances.
    finds_few = len(known_after) < known_at_first / 2
    # What answers by chance may find fewer now and then, but hardly nothing.
    finds_nothing = not known_after and known_at_first >= _ASKED_TWICE
    if (is_steady and finds_few) or finds_nothing:
        return failed(
            f"of {_ASKED_TWICE} facts {len(known_before)} were found at first and "
            f"{len(known_after)} after other questions: answering removes memories"
        )
    if is_steady:
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
    first_answers = await agent.answer_afresh(facts)
    second_answers = await agent.answer_afresh(facts)
    different = [
        fact
        for fact, first, second in zip(facts, first_answers, second_answers, strict=True)
        if not are_alike([first], [second])
    ]
    if different:
        return warning(
            f"two instances with the same history answer {len(different)} of {len(facts)} "
            "questions differently: a run cannot be reproduced; `repeat` shows the spread"
        )
    return passed("two instances with the same history give the same answers")
