"""Whether two frames say the same, by their words, their names and their grammar."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from mabench_floor.facts.frames import Frame
from mabench_floor.facts.grammar import acting_slot, key_slot, kind_of_second
from mabench_floor.likeness import content_stems, likeness

Slot = tuple[Frame, int]
Pairs = Sequence[tuple[str, str]]

_ALIKE = 0.25  # The share of names in common that shows two slots to be of one kind,
_ONE_KIND = 0.5  # and the share among the names of that kind.
_WORDS = 6.0  # What a full likeness of words counts for, beside the evidence of the names.
_UNLIKE = 0.3  # The likeness of words that says nothing.
_MOST = 6.0  # The most that the evidence of the names counts for, for or against.
_GRAMMAR = 2.0  # What counts against it when another slot acts, or is the one that it is about.
_OTHER_KINDS = -2.0
_COMMON = 0.3  # What the noun of a kind counts for when several frames have it.


class Sameness:
    """Compares frames by the names that each reads in its slots.

    Args:
        read: the pairs of names that each frame reads.
    """

    def __init__(self, read: Mapping[Frame, Pairs]) -> None:
        self._names = {
            (frame, slot): Counter(pair[slot] for pair in pairs)
            for frame, pairs in read.items()
            for slot in (0, 1)
        }
        self._stems = {frame: content_stems(frame.words) for frame in read}
        self._weights = _weights(self._stems)
        self._kind = cache(self._names_of_kind)
        self._fits = cache(self._fits_kind)
        self._slots = list(self._names)
        self._common = _common(list(self._names.values()))

    def scores(self, one: Frame, other: Frame) -> tuple[float, float]:
        """Return how surely two frames say the same, read alike and with one of them turned.

        Above 0 speaks for it. What is said once is seldom said again in other words; if it is,
        as often as in the same words. Names that stand in both frames by chance tell that they
        say different things.
        """
        return self._score(one, other, turned=False), self._score(one, other, turned=True)

    def _score(self, one: Frame, other: Frame, *, turned: bool) -> float:
        slots = [((one, slot), (other, slot ^ turned)) for slot in (0, 1)]
        if not all(self._are_of_one_kind(*pair) for pair in slots):
            return _OTHER_KINDS
        names = max(self._evidence(*pair) for pair in slots)
        words = _WORDS * (self._likeness(one, other) - _UNLIKE)
        return words + max(-_MOST, min(_MOST, names)) + _grammar(one, other, turned=turned)

    def _are_of_one_kind(self, one: Slot, other: Slot) -> bool:
        return self._fits(one, self._kind(other)) and self._fits(other, self._kind(one))

    def _fits_kind(self, slot: Slot, kind: frozenset[str]) -> bool:
        names = self._names[slot]
        return sum(names[name] for name in names.keys() & kind) >= _ONE_KIND * names.total()

    def _evidence(self, one: Slot, other: Slot) -> float:
        """Return the log likelihood ratio of the number of names that both slots have.

        Expected are, of frames that say the same, as many as the names said twice in one of
        them tell; else, as many as chance brings together among the names of the kind. Both
        numbers are taken for Poisson means.
        """
        first, second = self._names[one], self._names[other]
        size = max(len(self._kind(one)), len(self._kind(other)))
        by_chance = 0.5 + len(first) * len(second) / size
        again = sum(count > 1 for names in (first, second) for count in names.values())
        uses = first.total(), second.total()
        same = 0.5 + again * 2 * uses[0] * uses[1] / (uses[0] ** 2 + uses[1] ** 2)
        return len(first.keys() & second.keys()) * math.log(same / by_chance) - same + by_chance

    def _names_of_kind(self, slot: Slot) -> frozenset[str]:
        """Return the names in ``slot``, and in all slots that have many of its names."""
        shares = self._common[self._slots.index(slot)]
        alike = (self._names[self._slots[place]] for place in (shares >= _ALIKE).nonzero()[0])
        return frozenset().union(self._names[slot], *alike)

    def _likeness(self, one: Frame, other: Frame) -> float:
        """Return the share of the words, by weight, that are alike."""
        both = (self._stems[one], self._stems[other]), (self._stems[other], self._stems[one])
        total = sum(self._weights[word] for words, _ in both for word in words)
        alike = sum(
            self._weights[word] * max((likeness(word, near) for near in others), default=0.0)
            for words, others in both
            for word in words
        )
        return alike / total if total else 0.0


def _common(slots: Sequence[Counter[str]]) -> NDArray[np.float64]:
    """Return for every two slots how many names of the one with fewer are in the other."""
    places = {name: place for place, name in enumerate({name: 0 for s in slots for name in s})}
    columns = [places[name] for names in slots for name in names]
    sizes = np.array([len(names) for names in slots])
    uses = [count for names in slots for count in names.values()]
    counts = csr_matrix((uses, columns, [0, *np.cumsum(sizes)]), (len(slots), len(places)))
    within = (counts @ (counts > 0).T).toarray() / counts.sum(axis=1).A
    # Of two slots of one size, the first is the one with fewer.
    first = np.subtract.outer(sizes, sizes) <= 0
    common: NDArray[np.float64] = np.where(first, within, within.T)
    return common


def _grammar(one: Frame, other: Frame, *, turned: bool) -> float:
    """Return what counts against reading two frames so, by the slots that act and are told of."""
    slots = ((acting_slot(one), acting_slot(other)), (key_slot(one), key_slot(other)))
    return -_GRAMMAR * sum(
        first is not None and second is not None and first != second ^ turned
        for first, second in slots
    )


def _weights(stems: Mapping[Frame, Sequence[str]]) -> dict[str, float]:
    """Return how telling each word is: rare ones more, nouns that name a common kind less."""
    counts = Counter(word for words in stems.values() for word in words)
    kinds = Counter(map(kind_of_second, stems))
    return {
        word: math.log(1 + len(stems) / count) * (_COMMON if kinds[word] > 1 else 1.0)
        for word, count in counts.items()
    }
