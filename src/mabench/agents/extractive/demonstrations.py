"""Labelled demonstrations among the passages, and the label that the nearest agree on."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mabench.agents.extractive.weights import idf, total
from mabench.text.stems import stem, tokens

_BLANK_LINE = re.compile(r"\n[ \t]*\n")
# The line break before the name may have been lost, so any white space does.
_LABELLED = re.compile(r"(\S.*?)\s+([^\W\d]\w{0,20}): *([^\n:]{1,40})", re.DOTALL)
_FEWEST = 3
_MOSTLY = 0.7
_NEIGHBOURS = 20


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A text, the name and the value of its label, and the features of its wording."""

    name: str
    value: str
    features: frozenset[str]


def demonstrations_in(texts: Sequence[str]) -> list[Demonstration]:
    """Return the demonstrations of the passages; nothing where they are not mostly such.

    A demonstration is a block between blank lines that ends in ``name: value`` with a short
    value. At least 70 % of the blocks must end in the same name, and the values must recur.
    """
    passages = [_labelled_blocks(text) for text in texts]
    labelled = [block for passage in passages for block in passage if block]
    if len(labelled) < _FEWEST:
        return []
    [(name, count)] = Counter(block.name for block in labelled).most_common(1)
    found = [block for block in labelled if block.name == name]
    blocks = sum(map(len, passages))
    recur = len({block.value for block in found}) <= _MOSTLY * count
    return found if recur and count >= _MOSTLY * blocks else []


def majority_value(question: str, demonstrations: Sequence[Demonstration]) -> str:
    """Return the value that most of the 20 demonstrations nearest to ``question`` have.

    Nearness is the weight, by rarity, of the features in common over the square root of the
    demonstration's length; votes count by its fourth power. Equal votes go to the nearest.
    """
    asked = _features(question)
    weights = idf(asked, [shown.features for shown in demonstrations])

    def nearness(shown: Demonstration) -> float:
        return total(asked & shown.features, weights) / math.sqrt(len(shown.features) + 5)

    near = sorted(((nearness(shown), -i) for i, shown in enumerate(demonstrations)), reverse=True)
    votes: defaultdict[str, float] = defaultdict(float)
    for weight, place in near[:_NEIGHBOURS]:
        votes[demonstrations[-place].value] += weight**4
    return max(votes, key=lambda value: votes[value])


@lru_cache(maxsize=512)
def _labelled_blocks(passage: str) -> tuple[Demonstration | None, ...]:
    """Return a demonstration, or None, for each block of ``passage``."""
    blocks = (block.strip() for block in _BLANK_LINE.split(passage))
    return tuple(_demonstration(block) for block in blocks if block)


def _demonstration(block: str) -> Demonstration | None:
    match = _LABELLED.fullmatch(block)
    return match and Demonstration(match[2], match[3].strip(), _features(match[1]))


def _features(text: str) -> frozenset[str]:
    """Return the word stems, pairs of neighbouring stems and letter trigrams of ``text``."""
    words = [stem(word) for word in tokens(text)]
    pairs = {f"{first} {second}" for first, second in zip(["", *words], words, strict=False)}
    letters = f" {' '.join(words)} "
    trigrams = {letters[i : i + 3] for i in range(len(letters) - 2)}
    return frozenset(words) | pairs | trigrams
