"""An index of sentences by the words that they hold."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mabench_floor.sentences import Sentence


class Index:
    """Tells in which sentences a stem stands, and how rare it is.

    Attributes:
        sentences: the sentences, in the order of telling.
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        self._rarities: dict[str, float] = {}
        for place, sentence in enumerate(sentences):
            for word in sorted(set(sentence.words)):
                self._places[word].append(place)

    @property
    def words(self) -> Collection[str]:
        """All stems that were told."""
        return self._places.keys()

    def places(self, word: str) -> list[int]:
        """Return the numbers of the sentences that hold a stem, in order."""
        return self._places.get(word, [])

    def rarity(self, word: str) -> float:
        """Return the inverse document frequency of a stem, each sentence a document."""
        known = self._rarities.get(word)
        if known is None:
            size, count = len(self.sentences), len(self.places(word))
            known = math.log(1 + (size - count + 0.5) / (count + 0.5))
            self._rarities[word] = known
        return known

    def total_rarity(self, words: Iterable[str]) -> float:
        """Return the summed rarity of stems."""
        return math.fsum(self.rarity(word) for word in words)

    def stands(self, word: str) -> NDArray[Any]:
        """Say for each sentence whether a stem stands in it."""
        standing = np.zeros(len(self.sentences), dtype=bool)
        standing[self.places(word)] = True
        return standing

    def starts(self, word: str, window: int) -> NDArray[Any]:
        """Return the numbers of the sentences from which a window holds a stem, in order.

        A window is a sentence with the ``window - 1`` after it.
        """
        places = np.array(self.places(word), dtype=int)
        starts: NDArray[Any] = np.unique(places[:, None] - np.arange(window))
        return starts[starts >= 0]
