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
_AFTER_NOUN = "of|in|is|was|are|were|and|to|for|that|which|has|had|on|by|from|with"
_PAIR = re.compile(rf"\b(?:({_BEFORE_NOUN})|(?:{_BEFORE_VERB})) ([a-z]+)\b")
_NOUN = re.compile(rf"\b(?:{_BEFORE_NOUN}) ([a-z]+)(?= (?:{_AFTER_NOUN})\b|[.,;:])")
_LOWER = re.compile(r"\b[a-z]+\b")
_SHORTEST_PARTICIPLE = 5


class Lexicon:
    """Tells what words are from what stands before and after them in a history."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._texts = [sentence.text for sentence in sentences]

    def is_common(self, words: str) -> bool:
        """Return whether a single word occurs in lower case, so that its capital means little."""
        return words.lower() in self._common

    def is_verb(self, word: str) -> bool:
        """Return whether a word in lower case is rather a verb than a noun."""
        as_noun, as_verb = self._counts
        noun, verb = as_noun[word], as_verb[word]
        if word.endswith("ed") and len(word) >= _SHORTEST_PARTICIPLE:
            return noun <= 3 * verb + 3
        return verb > 2 * noun

    def is_noun(self, word: str) -> bool:
        """Return whether a word stands alone behind an article somewhere, or is a name."""
        return word in self._nouns or word.removesuffix("s") in self._nouns or not word.islower()

    @cached_property
    def _common(self) -> frozenset[str]:
        return frozenset(word for text in self._texts for word in _LOWER.findall(text))

    @cached_property
    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        """How often a word follows what stands before nouns, and before verbs."""
        noun: Counter[str] = Counter()
        verb: Counter[str] = Counter()
        for text in self._texts:
            for before_noun, word in _PAIR.findall(text):
                (noun if before_noun else verb)[word] += 1
        return noun, verb

    @cached_property
    def _nouns(self) -> frozenset[str]:
        return frozenset(word for text in self._texts for word in _NOUN.findall(text))
