"""The skill for options: chooses by what the history says near the words of the question."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mabench.agents import as_answer, find_options, guess
from mabench.contract.interfaces import Answer, Query
from mabench_floor.sentences import Index, sentences_in, stems
from mabench_floor.skill import History

# The weight of a word of the question relative to one of the option.
_CONTEXT = 0.5
# How much more the last sentence of a history counts than the first.
_LATE = 0.5


class OptionSkill:
    """Chooses the option that has the best support in one place of the history."""

    def __init__(self, history: History) -> None:
        self._history = history

    def answer(self, query: Query) -> Answer | None:
        """Return an option, or a guess if nothing supports any; None if none is offered.

        A sentence supports an option by its own words (those that not all options share), divided
        by the square root of their total rarity, and by the words of the question in it.
        """
        options = find_options(query)
        if not options:
            return None
        wordings = [frozenset(stems(option.text)) for option in options]
        question = min(query.question, query.search_query, key=len)
        asked = frozenset(stems(question)).difference(*wordings)
        common = frozenset.intersection(*wordings)
        supports = [self._support(wording - common, asked) for wording in wordings]
        best = options[supports.index(max(supports))] if any(supports) else guess(options, query)
        return Answer(as_answer(best, query))

    @cached_property
    def _index(self) -> Index:
        return Index(sentences_in(self._history.text))

    def _support(self, own: frozenset[str], asked: frozenset[str]) -> float:
        """Return the best support of an option in any sentence.

        Later sentences count more, except among passages, whose order says nothing about time.
        """
        said = self._said(own)
        if not said.any():
            return 0.0
        said /= math.sqrt(self._index.total_rarity(own))
        last = 1.0 if self._history.passages else 1.0 + _LATE
        weights = np.linspace(1.0, last, len(said))
        supports = np.where(said > 0, said + _CONTEXT * self._said(asked), 0.0)
        return float(np.max(supports * weights))

    def _said(self, words: frozenset[str]) -> NDArray[Any]:
        """Return for each sentence the total rarity of these words in it."""
        said = np.zeros(len(self._index.sentences))
        for word in sorted(words):
            said[self._index.places(word)] += self._index.rarity(word)
        return said


learn = OptionSkill
