"""Tells from answers which facts an agent knows, and whether chance explains what it misses.

An answer shows that a fact is known if the gold is in it or in a retrieved passage: a reader may
answer wrongly although its memory found the right text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mabench.bench.facts import Fact
from mabench.bench.matching import normalize
from mabench.contract import Answer, passages_of

# An agent that found all of twenty facts may still have missed the next one.
_HIGHEST_SHARE = 0.95
# What is less likely than this is not taken for chance.
_UNLIKELY = 0.02


def known_facts(answers: Sequence[Answer], facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that an agent knows; ``answers`` are those to their questions, in order."""
    return [fact for answer, fact in zip(answers, facts, strict=True) if knows(answer, fact.gold)]


def knows(answer: Answer, gold: str) -> bool:
    """Return whether the answer or a passage holds the gold, whatever the case and spacing."""
    normalized_gold = normalize(gold)
    return any(normalized_gold in text for text in _normalized_texts(answer))


def are_alike(some: Sequence[Answer], others: Sequence[Answer]) -> bool:
    """Return whether answers and passages are the same, in the same order; scores may differ."""
    texts_of_some = [_normalized_texts(answer) for answer in some]
    texts_of_others = [_normalized_texts(answer) for answer in others]
    return texts_of_some == texts_of_others


def too_few(recalled: Sequence[Fact], facts: Sequence[Fact], expected: float) -> bool:
    """Return whether an agent knows fewer of some facts than chance explains.

    ``recalled`` are those that it knows. ``expected`` is the share of facts that it knows if
    nothing disturbs it: a memory that finds half of its facts may now and then know none of three.
    """
    share, count = min(expected, _HIGHEST_SHARE), len(facts)
    # The probability of no more than these by the binomial distribution.
    probability = sum(
        math.comb(count, k) * share**k * (1 - share) ** (count - k)
        for k in range(len(recalled) + 1)
    )
    return probability < _UNLIKELY


def _normalized_texts(answer: Answer) -> list[str]:
    """Return the text of an answer and then those of its passages, in one case and spacing."""
    texts = [answer.text, *(passage.text for passage in passages_of(answer.retrieved))]
    return [normalize(text) for text in texts]
