"""A history of facts, of which later ones contradict earlier ones.

Facts are kept as numbers in flat arrays: a row of ten million tokens has three quarters of a
million of them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from random import Random
from typing import NamedTuple

from mabench.synthesis.world.relations import RELATIONS, Relation

_UNSTATED = -1
_LOOKS = 8  # How often a fact not yet contradicted is looked for.
_TWICE = 0.1  # How many entities outside the core are the subject of two facts.
_NEVER = 0.35  # How many of them are objects alone.
# Objects are drawn with this power of a uniform number, so that few are objects of many.
_SKEW = 2


class Fact(NamedTuple):
    """One statement: ``subject`` has ``object`` by ``relation``."""

    relation: Relation
    subject: str
    object: str


class FactHistory:
    """States facts about entities one after the other, and knows what holds after the last.

    Args:
        rng: draws what is stated.
        entities: the names of each kind; the first ones are the core.
        core: how many of each kind belong to the core. All relations of these are stated; every
            other entity is the subject of one or two facts.
        conflicts: the share of facts that contradict an earlier one.
        distance: how far back a contradicted fact lies at most, as a share of ``facts``.
        facts: about how many facts there will be.

    Attributes:
        updated: the slots that were stated more than once.
    """

    def __init__(
        self,
        rng: Random,
        entities: dict[str, tuple[str, ...]],
        core: dict[str, int],
        *,
        conflicts: float,
        distance: float,
        facts: int,
    ) -> None:
        self._rng = rng
        self._entities = entities
        self._core = core
        self._conflicts = conflicts
        self._window = max(1, round(distance * facts))
        # A slot is a relation of a subject; those of a relation stand in a row.
        sizes = [len(entities[relation.subject]) for relation in RELATIONS]
        self._starts = list(accumulate(sizes, initial=0))
        self._objects = array("i", [_UNSTATED]) * self._starts[-1]
        slots = array("i", self._chosen())
        self._unstated = array("i", rng.sample(slots, len(slots)))
        self._stated = array("i")
        self.updated: set[int] = set()

    def facts(self) -> Iterator[Fact]:
        """State one fact after the other, until nothing new is left to state."""
        while self._unstated:
            yield self._update() if self._may_update() else self._state(self._unstated.pop())

    def slots(self) -> list[int]:
        """Return the slots that were stated, by number."""
        return sorted({*self._stated})

    def slot(self, relation: int, subject: int) -> int:
        """Return the slot of a relation of a subject, both by number."""
        return self._starts[relation] + subject

    def fact(self, slot: int) -> Fact | None:
        """Return what holds of a slot, or None when nothing was stated of it."""
        number = self._objects[slot]
        return None if number == _UNSTATED else self._fact(*self._place(slot), number)

    def object_of(self, slot: int) -> int | None:
        """Return the number of the object that holds of a slot, or None."""
        number = self._objects[slot]
        return None if number == _UNSTATED else number

    def _chosen(self) -> Iterator[int]:
        """Yield the slots to be stated: all of the core, one of each other entity, rarely two."""
        by_kind: dict[str, list[int]] = {}
        for start, relation in zip(self._starts, RELATIONS, strict=False):
            by_kind.setdefault(relation.subject, []).append(start)
        for kind, starts in by_kind.items():
            for subject in range(len(self._entities[kind])):
                if subject < self._core[kind]:
                    yield from (start + subject for start in starts)
                elif self._rng.random() >= _NEVER:
                    first = int(self._rng.random() * len(starts))
                    yield starts[first] + subject
                    if self._rng.random() < _TWICE and len(starts) > 1:
                        yield starts[first - 1] + subject

    def _may_update(self) -> bool:
        return bool(self._stated) and self._rng.random() < self._conflicts

    def _update(self) -> Fact:
        """Contradict a fact stated lately enough, rather one that was not contradicted before."""
        latest = len(self._stated)
        oldest = max(0, latest - self._window)
        for _ in range(_LOOKS):
            slot = self._stated[oldest + int(self._rng.random() * (latest - oldest))]
            if slot not in self.updated:
                break
        self.updated.add(slot)
        return self._state(slot)

    def _state(self, slot: int) -> Fact:
        """Give a slot an object that is neither its present one nor its subject."""
        number, subject = self._place(slot)
        relation = RELATIONS[number]
        itself = subject if relation.subject == relation.object else _UNSTATED
        barred = (self._objects[slot], itself)
        new = _UNSTATED
        while new in barred or new == _UNSTATED:
            new = self._object(relation.object)
        self._objects[slot] = new
        self._stated.append(slot)
        return self._fact(number, subject, new)

    def _object(self, kind: str) -> int:
        """Draw an object: anybody, where there are many; else one that is the object of many."""
        if self._core[kind] < len(self._entities[kind]):
            return int(self._rng.random() * len(self._entities[kind]))
        return int(self._rng.random() ** _SKEW * self._core[kind])

    def _place(self, slot: int) -> tuple[int, int]:
        relation = bisect_right(self._starts, slot) - 1
        return relation, slot - self._starts[relation]

    def _fact(self, relation: int, subject: int, object_: int) -> Fact:
        kinds = RELATIONS[relation]
        return Fact(
            kinds, self._entities[kinds.subject][subject], self._entities[kinds.object][object_]
        )
