"""Whether an answer shows that a fact is known.

It does when the gold stands in one of the passages retrieved or in the answer itself: a reader
may answer wrongly although its memory found the right text.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

from mabench.check.calls import CallError, HangError
from mabench.check.examinee import Instance
from mabench.check.facts import Fact
from mabench.contract import Answer, Passage

# Of twenty facts that were all found, one more might not have been.
_SURE = 0.95
_RARE = 0.02


def knows(answer: Answer, gold: str) -> bool:
    """Whether the gold stands in the answer or in a passage, whatever the case and spacing."""
    return any(plain(gold) in plain(text) for text in texts_of(answer))


def texts_of(answer: Answer) -> list[str]:
    """Return the answer and the passages retrieved, as texts."""
    passages = (p.text if isinstance(p, Passage) else p for p in answer.retrieved)
    return [answer.text, *passages]


def plain(text: str) -> str:
    """Return a text so that composition, case and spacing do not matter."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def known_of(answers: Sequence[Answer], facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that the answers to their questions show to be known."""
    return [fact for answer, fact in zip(answers, facts, strict=True) if knows(answer, fact.gold)]


async def known(instance: Instance, facts: Sequence[Fact]) -> list[Fact]:
    """Ask for facts and return those that are known."""
    return known_of(await instance.ask_all(facts), facts)


async def answers_untold(instance: Instance, facts: Sequence[Fact]) -> list[Answer]:
    """Ask an instance that was told nothing; where it raises it has no answer, and that is fine.

    Raises:
        HangError: when it takes too long.
    """
    answers = []
    for fact in facts:
        try:
            answers.append(await instance.ask(fact.question))
        except HangError:
            raise
        except CallError:
            answers.append(Answer(""))
    return answers


async def known_untold(instance: Instance, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that an instance knows although it was told nothing."""
    return known_of(await answers_untold(instance, facts), facts)


def too_few(known_facts: Sequence[Fact], told: Sequence[Fact], expected: float) -> bool:
    """Whether so few facts are known that chance does not explain it.

    ``expected`` is the share that the agent knows of what it was told, where nothing disturbs
    it: a memory that finds half of its facts may now and then know none of three.
    """
    share = min(expected, _SURE)
    number = len(told)
    by_chance = sum(
        math.comb(number, k) * share**k * (1 - share) ** (number - k)
        for k in range(len(known_facts) + 1)
    )
    return by_chance < _RARE
