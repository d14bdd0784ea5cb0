"""What answers show: which facts an agent knows, and whether chance explains the others.

An answer shows that a fact is known if the gold is in it or in a retrieved passage: a reader may
answer wrongly although its memory found the right text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mabench.bench.facts import Fact
from mabench.bench.matching import normalize
from mabench.contract import Answer, passages_of

# An agent that found all of twenty facts may still have missed one more.
_HIGHEST_SHARE = 0.95
_UNLIKELY = 0.02


def known_facts(answers: Sequence[Answer], facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that are known by the answers to their questions, given in order."""
    return [fact for answer, fact in zip(answers, facts, strict=True) if knows(answer, fact.gold)]


def knows(answer: Answer, gold: str) -> bool:
    """Return whether the answer or a passage holds the gold, whatever the case and spacing."""
    return any(normalize(gold) in text for text in _normalized_texts(answer))


def are_alike(some: Sequence[Answer], others: Sequence[Answer]) -> bool:
    """Return whether answers and passages are the same, in the same order; scores may differ."""
    return [*map(_normalized_texts, some)] == [*map(_normalized_texts, others)]


def too_few(recalled: Sequence[Fact], facts: Sequence[Fact], expected: float) -> bool:
    """Return whether chance does not explain that no more of the facts are known.

    ``expected`` is the share of facts that the agent knows if nothing disturbs it: a memory that
    finds half of its facts may now and then know none of three.
    """
    share, count = min(expected, _HIGHEST_SHARE), len(facts)
    by_chance = sum(
        math.comb(count, k) * share**k * (1 - share) ** (count - k)
        for k in range(len(recalled) + 1)
    )
    return by_chance < _UNLIKELY


def _normalized_texts(answer: Answer) -> list[str]:
    """Return what an answer and its passages say, normalized."""
    passages = passages_of(answer.retrieved)
    return [normalize(text) for text in (answer.text, *(passage.text for passage in passages))]
