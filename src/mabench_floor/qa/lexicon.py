"""What a history shows about words: which are verbs or nouns, and what names stand for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from mabench.text.stems import is_function_word, stem, tokens
from mabench_floor.index import Index

_BEFORE_NOUN = "the|an?|his|her|its|their|our|my|your|this|these|those|of|some|many|several|each"
_BEFORE_VERB = (
    "to|will|would|can|could|may|might|must|should|not|he|she|it|they|we|who|which|did|does"
)
_AFTER_NOUN = "of|in|is|was|are|were|and|to|for|that|which|has|had|on|by|from|with"
_PAIR = re.compile(rf"\b(?:({_BEFORE_NOUN})|(?:{_BEFORE_VERB})) ([a-z]+)\b")
_NOUN = re.compile(rf"\b(?:{_BEFORE_NOUN}) ([a-z]+)(?= (?:{_AFTER_NOUN})\b|[.,;:])")
_LOWER = re.compile(r"\b[a-z]+\b")
_SHORTEST_PARTICIPLE = 5
_MOST_PLACES = 30
_AROUND = 3
_REACH = 40  # Characters that are read on either side of a name.
_PRIOR, _USUAL = 2.0, 0.12  # As many mentions are added, with the usual share after such a word.
_TOKEN = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|[,;:()]")
_LOCATIVE_WORDS = """in at near from into across throughout toward towards outside"""
_LOCATIVE = frozenset(_LOCATIVE_WORDS.split())


class Standing(NamedTuple):
    """How a name stands in a history.

    Attributes:
        place: the share of its mentions that follow a preposition of place,
        modifier: and the share that stands before a noun, as in "Norman castles".
        near: the stems of the words around it.
    """

    place: float
    modifier: float
    near: frozenset[str]


class Lexicon:
    """Tells what words are from what stands before and after them in a history."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._standings: dict[str, Standing] = {}

    def is_common(self, words: str) -> bool:
        """Say whether a single word occurs in lower case too, so that its capital means little."""
        return words.lower() in self._common

    def is_verb(self, word: str) -> bool:
        """Say whether a word in lower case is rather a verb than a noun."""
        as_noun, as_verb = self._counts
        noun, verb = as_noun[word], as_verb[word]
        if word.endswith("ed") and len(word) >= _SHORTEST_PARTICIPLE:
            return noun <= 3 * verb + 3
        return verb > 2 * noun

    def is_noun(self, word: str) -> bool:
        """Say whether a word stands alone behind an article somewhere, or is a name."""
        return word in self._nouns or word.removesuffix("s") in self._nouns or not word.islower()

    def may_be_noun(self, word: str) -> bool:
        """Say whether what follows a name may be a noun that the name modifies."""
        return (
            word.isalpha()
            and word.islower()
            and not is_function_word(word)
            and not self.is_verb(word)
            and not word.endswith("ing")
            and self.is_noun(word)
        )

    def standing(self, name: str) -> Standing:
        """Return what stands around ``name`` in the first sentences that hold it."""
        if name not in self._standings:
            self._standings[name] = self._read(name)
        return self._standings[name]

    @cached_property
    def _common(self) -> frozenset[str]:
        return frozenset(w for text in self._texts for w in _LOWER.findall(text))

    @cached_property
    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        """Count how often a word follows what stands before nouns, and before verbs."""
        noun: Counter[str] = Counter()
        verb: Counter[str] = Counter()
        for text in self._texts:
            for before_noun, word in _PAIR.findall(text):
                (noun if before_noun else verb)[word] += 1
        return noun, verb

    @cached_property
    def _nouns(self) -> frozenset[str]:
        return frozenset(word for text in self._texts for word in _NOUN.findall(text))

    @property
    def _texts(self) -> Sequence[str]:
        return [sentence.text for sentence in self._index.sentences]

    def _read(self, name: str) -> Standing:
        placed, modifying, mentions = _PRIOR * _USUAL, 0.0, _PRIOR
        near: set[str] = set()
        words = [stem(word) for word in tokens(name)]
        for number in min(map(self._index.places, words), key=len, default=[])[:_MOST_PLACES]:
            text = self._index.sentences[number].text
            at = text.find(name)
            if at < 0:
                continue
            mentions += 1
            before = _TOKEN.findall(text, max(at - _REACH, 0), at)
            after = _TOKEN.findall(text, at + len(name), at + len(name) + _REACH)
            last = [word.lower() for word in before[-2:] if word.lower() != "the"]
            placed += bool(last) and last[-1] in _LOCATIVE
            modifying += bool(after) and self.may_be_noun(after[0])
            near.update(stem(word.lower()) for word in before[-_AROUND:] + after[:_AROUND])
        return Standing(placed / mentions, modifying / mentions, frozenset(near))
