"""What a history shows about words: which are verbs, and which are nouns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from mabench_floor.sentences import Sentence

_BEFORE_NOUN = "the|an?|his|her|its|their|our|my|your|this|these|those|of|some|many|several|each"
_BEFORE_VERB = (
    "to|will|would|can|could|may|might|must|should|not|he|she|it|they|we|who|which|did|does"
)
_PAIR = re.compile(rf"\b(?:({_BEFORE_NOUN})|(?:{_BEFORE_VERB})) ([a-z]+)\b")
_SHORTEST_PARTICIPLE = 5


class Lexicon:
    """Tells what words are from what stands before and after them in a history."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._texts = [sentence.text for sentence in sentences]

    def is_verb(self, word: str) -> bool:
        """Return whether a word in lower case is rather a verb than a noun."""
        as_noun, as_verb = self._counts
        noun, verb = as_noun[word], as_verb[word]
        if word.endswith("ed") and len(word) >= _SHORTEST_PARTICIPLE:
            return noun <= 3 * verb + 3
        return verb > 2 * noun

    @cached_property
    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        """How often a word follows what stands before nouns, and before verbs."""
        noun: Counter[str] = Counter()
        verb: Counter[str] = Counter()
        for text in self._texts:
            for before_noun, word in _PAIR.findall(text):
                (noun if before_noun else verb)[word] += 1
        return noun, verb
