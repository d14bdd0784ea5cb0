"""A summary made of sentences of the passages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from mabench.agents.extractive.statements import Statement, statements_in
from mabench.contract.interfaces import Query
from mabench.text import estimate_tokens

_SUMMARY = re.compile(r"\b(?:summar(?:y|i[sz]e|i[sz]ing)|synopsis)\b", re.IGNORECASE)
_LONG_ANSWER = 300


def asks_for_summary(query: Query) -> bool:
    """Say whether a query asks for a summary and has a budget of hundreds of tokens for it."""
    return query.max_tokens >= _LONG_ANSWER and bool(_SUMMARY.search(query))


def extract(texts: Sequence[str], max_tokens: int) -> str:
    """Return the most telling sentences of each passage, in order, within ``max_tokens``.

    Every passage gets an equal share of the budget. A sentence tells as much as its words are
    frequent in all passages, on average (after SumBasic: Nenkova and Vanderwende, 2005).
    """
    passages = [statements_in(text) for text in texts]
    frequency = Counter(word for passage in passages for s in passage for word in s.words)
    share = max_tokens / max(len(texts), 1)
    parts = [_most_telling(passage, frequency, share) for passage in passages]
    return "\n".join(part for part in parts if part)


def _most_telling(passage: Sequence[Statement], frequency: Counter[str], budget: float) -> str:
    def weight(place: int) -> float:
        words = passage[place].words
        return sum(frequency[word] for word in words) / (len(words) + 5)  # Spares short ones.

    chosen: list[int] = []
    for place in sorted(range(len(passage)), key=lambda place: (-weight(place), place)):
        cost = estimate_tokens(passage[place].text) + 1
        if cost <= budget:
            budget -= cost
            chosen.append(place)
    return " ".join(passage[place].text for place in sorted(chosen))
