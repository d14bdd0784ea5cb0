"""Summaries: an ordered extract that covers the whole history and its main characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import chain, pairwise

from mabench.contract.interfaces import Answer, Query
from mabench.text import estimate_tokens
from mabench_floor.answer_types import NAME
from mabench_floor.sentences import Sentence, sentences_in, stems
from mabench_floor.skill import History

_SUMMARY = re.compile(r"\b(?:summar(?:y|i[sz]e|i[sz]ing)|synopsis)\b", re.IGNORECASE)
_LONG_ANSWER = 300  # Tokens of a budget that leaves room for a summary.
_LENGTH = re.compile(
    r"(\d[\d,]{0,11})(?:(?: to | and | or |[-\u2013])(\d[\d,]{0,11}))? words", re.IGNORECASE
)
_SHORTEST, _LONGEST = 5, 40  # Words of a sentence.
_CHARACTERS = 12
_NAMED = 1.0  # How much more a sentence counts for each main character in it, up to two.
_FEWER = 0.95  # By what factor to take fewer sections while the extract is too long.


class SummarySkill:
    """Picks the most telling sentence of every section, in order."""

    def __init__(self, history: History) -> None:
        self._history = history

    def answer(self, query: Query) -> Answer | None:
        """Return sentences of about the length asked for; None unless a summary is asked for."""
        if query.max_tokens < _LONG_ANSWER or not _SUMMARY.search(query) or not self._sentences:
            return None
        words = _words_asked(query) or query.max_tokens
        sections = min(words // _SHORTEST, len(self._sentences))
        while sections:
            text = self._extract(sections)
            if len(text.split()) <= words and estimate_tokens(text) <= query.max_tokens:
                return Answer(text)
            sections = int(_FEWER * sections)
        return None

    def _extract(self, sections: int) -> str:
        """Join the most telling sentence of each of ``sections`` equal parts."""
        edges = [part * len(self._sentences) // sections for part in range(sections + 1)]
        weights = self._weights
        best = (weights.index(max(weights[a:b]), a, b) for a, b in pairwise(edges))
        return " ".join(self._sentences[place].text for place in best)

    @cached_property
    def _sentences(self) -> list[Sentence]:
        """The sentences of fair length; all where there are none."""
        told = sentences_in(self._history.text)
        # One space stands between two words of a sentence.
        return [s for s in told if _SHORTEST <= s.text.count(" ") + 1 <= _LONGEST] or told

    @cached_property
    def _weights(self) -> list[float]:
        """How telling each sentence is: its words are frequent, and it names main characters."""
        own = [frozenset(sentence.words) for sentence in self._sentences]
        frequency = Counter(chain.from_iterable(own))
        characters = _characters(self._sentences)
        weights = []
        for words in own:
            telling = sum(map(frequency.__getitem__, words)) / (len(words) + _SHORTEST)
            weights.append(telling * (1 + _NAMED * min(len(words & characters), 2)))
        return weights


def _characters(sentences: Sequence[Sentence]) -> frozenset[str]:
    """Return the stems of the names that come up most."""
    names = Counter(
        name.group()
        for sentence in sentences
        # The first letter tells no name; most sentences have no other capital.
        if not (sentence.text.isascii() and sentence.text[1:].islower())
        for name in NAME.finditer(sentence.text)
        if name.start()
    )
    words: Counter[str] = Counter()
    for name, count in names.items():
        for word in stems(name):
            words[word] += count
    return frozenset(word for word, _ in words.most_common(_CHARACTERS))


def _words_asked(prompt: str) -> int | None:
    """Return how many words a summary may have, the larger number of a range."""
    asked = _LENGTH.search(prompt)
    numbers = [int(number.replace(",", "")) for number in asked.groups() if number] if asked else []
    return max(numbers, default=0) or None


learn = SummarySkill
