"""The skill for EventQA: finds the place that the events so far have reached, and what follows."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mabench.agents import as_answer, find_options, guess
from mabench.contract.interfaces import Answer, Query
from mabench.installation import import_lock
from mabench_floor.sentences import Index, sentences_in, stems
from mabench_floor.skill import History

_EVENT = re.compile(r"^[ \t]*\d+\.[ \t]++(.*)$", re.MULTILINE)
# The mean distance of two events, as a share of the story.
_STEP = 0.03
# The share of an event's words that some sentence contains by chance.
_BY_CHANCE = 0.4
_LEAST_KEPT, _MOST_KEPT = 0.1, 0.8


class NextEventSkill:
    """Chooses the option that happens soonest after the events in a question."""

    def __init__(self, history: History) -> None:
        self._history = history

    def answer(self, query: Query) -> Answer | None:
        """Return an option; None unless the question numbers events and offers options."""
        options = find_options(query)
        events = [frozenset(stems(event)) for event in _EVENT.findall(query.question)]
        told = [words for words in events if words]
        if not options or not told or not self._index.sentences:
            return None
        kept = self._kept(told)
        reached = self._reached(told, kept)
        wordings = [frozenset(stems(option.text)) for option in options]
        with import_lock:  # Slow: only once the question is of this kind.
            from scipy.special import logsumexp

        supports = [float(logsumexp(reached + self._evidence(words, kept))) for words in wordings]
        if len(set(supports)) == 1:
            return Answer(as_answer(guess(options, query), query))
        return Answer(as_answer(options[supports.index(max(supports))], query))

    @cached_property
    def _index(self) -> Index:
        return Index(sentences_in(self._history.text))

    def _kept(self, told: Sequence[frozenset[str]]) -> float:
        """Estimate the share of a passage's words that a question keeps when it retells events.

        It is the share of each event's words in its best sentence, less that in an average
        sentence.
        """
        shares = []
        for words in told:
            words_in_common = np.zeros(len(self._index.sentences), dtype=int)
            for word in words:
                words_in_common[self._index.places(word)] += 1
            shares.append(float(words_in_common.max()) / len(words))
        kept = sum(shares) / len(shares) - _BY_CHANCE
        return min(max(kept, _LEAST_KEPT), _MOST_KEPT)

    def _evidence(self, words: frozenset[str], kept: float) -> NDArray[Any]:
        """Return for each sentence the log odds that it tells an event in these words.

        If it does, each word is kept with probability ``kept``, and otherwise occurs as often as
        anywhere. If it does not, each word occurs as often as anywhere.
        """
        evidence = np.zeros(len(self._index.sentences))
        for word in sorted(words):
            places = self._index.places(word)
            rate = max(len(places), 1) / len(evidence)  # The share of sentences with the word.
            log_odds = np.full(len(evidence), math.log(1 - kept))
            log_odds[places] = math.log(1 + kept * (1 - rate) / rate)
            evidence += log_odds
        return evidence

    def _reached(self, told: Sequence[frozenset[str]], kept: float) -> NDArray[Any]:
        """Return for each place the log weight that the next event is there.

        This is a hidden Markov model that only moves forward, with steps of geometric length.
        """
        stay = math.exp(-1 / max(_STEP * len(self._index.sentences), 1.0))
        with import_lock:
            from scipy.signal import lfilter

        reached = np.zeros(len(self._index.sentences))
        for words in told:
            here = reached + self._evidence(words, kept)
            # A filter that moves each weight ``n`` places on in the share (1 - stay) * stay**n.
            weights = lfilter([1 - stay], [1, -stay], np.exp(here - here.max()))
            reached = np.log(np.maximum(weights, np.finfo(float).tiny))
        return reached


learn = NextEventSkill
