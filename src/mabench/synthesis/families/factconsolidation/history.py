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


class Fact(NamedTuple):
    """One statement: ``subject`` has ``object`` by ``relation``."""

    relation: Relation
    subject: str
    object: str


class FactHistory:
    """States facts about entities one after the other, and knows what holds after the last.

    Args:
        rng: draws what is stated.
        entities: the names of each kind.
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
        *,
        conflicts: float,
        distance: float,
        facts: int,
    ) -> None:
        self._rng = rng
        self._entities = entities
        self._conflicts = conflicts
        self._window = max(1, round(distance * facts))
        # A slot is a relation of a subject; those of a relation stand in a row.
        sizes = [len(entities[relation.subject]) for relation in RELATIONS]
        self._starts = list(accumulate(sizes, initial=0))
        self._objects = array("i", [_UNSTATED]) * self._starts[-1]
        self._unstated = array("i", rng.sample(range(self._starts[-1]), self._starts[-1]))
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

    def _may_update(self) -> bool:
        return bool(self._stated) and self._rng.random() < self._conflicts

    def _update(self) -> Fact:
        """Contradict a fact that was stated lately enough."""
        latest = len(self._stated)
        slot = self._stated[self._rng.randrange(max(0, latest - self._window), latest)]
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
            new = int(self._rng.random() * len(self._entities[relation.object]))
        self._objects[slot] = new
        self._stated.append(slot)
        return self._fact(number, subject, new)

    def _place(self, slot: int) -> tuple[int, int]:
        relation = bisect_right(self._starts, slot) - 1
        return relation, slot - self._starts[relation]

    def _fact(self, relation: int, subject: int, object_: int) -> Fact:
        kinds = RELATIONS[relation]
        return Fact(
            kinds, self._entities[kinds.subject][subject], self._entities[kinds.object][object_]
        )
