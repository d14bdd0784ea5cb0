"""A history of facts; later ones contradict earlier ones.

It is told in chains, because it is asked about in chains: about somebody new, then that one's
partner, then the partner's partner, and so on. So most names are the subject of one relation and
occur once or twice, and a few (countries, languages) occur very often. A fact that contradicts
another begins a new chain, and a part of the old chain is told as well.

Facts are numbers in flat arrays, because a row of ten million tokens has 750,000 of them.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import exp
from random import Random
from typing import NamedTuple, TypeVar

from mabench_synthetic.world import RELATIONS

_T = TypeVar("_T")
# What chains begin with, and how many facts they have, by weight.
_STARTS = {"work": 4, "person": 4, "organisation": 2}
_LENGTHS = {2: 5, 3: 3, 4: 2}
# How soon the names of a kind repeat: of all objects of the kind, the share 1 / n ** exponent is
# one that is not among the n named most.
_REPEATS = {
    "person": 0.1, "organisation": 0.2, "city": 0.3, "country": 0.5, "continent": 1.0,
    "language": 0.6, "game": 0.6,
}  # fmt: skip
# The factor on the exponent for objects that contradict a fact, so that they repeat less often.
_UNLIKELY = 0.5
# The natural logarithm of the rank beyond which every name is new.
_RAREST = 40.0
# How often a subject also gets another relation.
_ANOTHER = 0.1
# How often an old chain is continued.
_OLD = 0.6
# Facts of old chains for each fact that is contradicted.
_LED_ON = 0.35


class StatedFact(NamedTuple):
    """A statement that ``subject`` has ``object`` by ``relation``; all are numbers."""

    relation: int
    subject: int
    object: int


class FactHistory:
    """Facts in the order in which they are stated, and what holds after the last one.

    A slot is a relation of a subject; each fact gives a slot an object.

    Args:
        rng: chooses what is stated.
        conflicts: the share of facts that contradict an earlier one.
        distance: the largest distance of a contradicted fact, as a share of the history.
        facts: the least number of facts.

    Attributes:
        counts: the number of entities of each kind.
        heads: the entities with which chains begin, by kind and number.
    """

    def __init__(self, rng: Random, *, conflicts: float, distance: float, facts: int) -> None:
        self._rng = rng
        self._updates = _updates(conflicts)
        self._distance = distance
        self._steps = _steps(rng)
        self.counts: Counter[str] = Counter()
        self.heads: list[tuple[str, int]] = []
        self._ranked: dict[tuple[str, int], int] = {}
        # For each slot, its relation, its subject and the end of its facts.
        self._relations = array("b")
        self._subjects = array("i")
        self._ends = array("i")
        self._slots: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        # For each fact, in the order of slots, its object and its place in the history (0 to 1).
        self._objects = array("i")
        self._places = array("d")
        while len(self._objects) < facts:
            self._tell_chain()

    def cut(self, slots: int) -> None:
        """Keep only the first slots."""
        facts = self._ends[slots - 1]
        del self._relations[slots:], self._subjects[slots:], self._ends[slots:]
        del self._objects[facts:], self._places[facts:]

    def facts(self) -> Iterator[StatedFact]:
        """Yield the facts in the order in which they are stated."""
        slots = array("i", (slot for slot in self.slots() for _ in self._facts_of(slot)))
        for number in self._order():
            slot = slots[number]
            yield StatedFact(self._relations[slot], self._subjects[slot], self._objects[number])

    def serials(self) -> array[int]:
        """Return for each slot the number of the fact that holds, in the order of ``facts``."""
        serials = array("i", [0]) * len(self._objects)
        for serial, number in enumerate(self._order()):
            serials[number] = serial
        return array("i", (serials[end - 1] for end in self._ends))

    def _order(self) -> list[int]:
        """Return the numbers of the facts in the order in which they are stated."""
        return sorted(range(len(self._objects)), key=self._places.__getitem__)

    def slots(self) -> range:
        """Return the slots, by number."""
        return range(len(self._ends))

    def stated(self, slot: int) -> Iterator[StatedFact]:
        """Yield the objects that are stated of a slot, the newest last."""
        for number in self._facts_of(slot):
            yield StatedFact(self._relations[slot], self._subjects[slot], self._objects[number])

    def holds(self, slot: int) -> StatedFact:
        """Return the object of a slot after the last fact."""
        return StatedFact(
            self._relations[slot], self._subjects[slot], self._objects[self._ends[slot] - 1]
        )

    def is_updated(self, slot: int) -> bool:
        """Return whether a later fact contradicts the first one of a slot."""
        return len(self._facts_of(slot)) > 1

    def slots_of(self, kind: str, subject: int) -> list[int]:
        """Return the slots of a subject."""
        return [slot for slot in self._slots.get((kind, subject), ()) if slot < len(self._ends)]

    def _facts_of(self, slot: int) -> range:
        """Return the numbers of the facts of a slot: they begin where those of the last one end."""
        start = self._ends[slot - 1] if slot > 0 else 0
        return range(start, self._ends[slot])

    def _tell_chain(self) -> None:
        """State facts about somebody new, then about whom each fact leads to, or once led to."""
        kind = _drawn(self._rng, _STARTS)
        subject = self._new(kind)
        self.heads.append((kind, subject))
        former: list[int] = []  # What the last slot led to before a newer fact replaced it.
        for _ in range(_drawn(self._rng, _LENGTHS)):
            if kind not in self._steps:
                break
            slot = self._slot(kind, subject)
            relation = self._relations[slot]
            is_untold = bool(former) and not self._slots.get((kind, former[0]))
            if is_untold and self._rng.random() < _OLD:
                self._state(kind, former[0], relation, times=1)
            kind = RELATIONS[relation].object
            *former, subject = (fact.object for fact in self.stated(slot))

    def _slot(self, kind: str, subject: int) -> int:
        """Return a slot of a subject: usually one that was stated, else one that is stated now."""
        stated = self._slots.get((kind, subject))
        if stated and self._rng.random() >= _ANOTHER:
            return self._rng.choice(stated)
        relation = _drawn(self._rng, self._steps[kind])
        again = [slot for slot in stated or () if self._relations[slot] == relation]
        if again:
            return again[0]
        return self._state(kind, subject, relation, times=1 + self._some_updates())

    def _state(self, kind: str, subject: int, relation: int, times: int) -> int:
        """State a slot several times, each time with another object; return the slot."""
        slot = len(self._ends)
        barred = [subject] if RELATIONS[relation].object == kind else []
        for turn in range(times):
            number = self._object(RELATIONS[relation].object, barred, likely=turn == 0)
            self._objects.append(number)
            barred = [*barred[-1:], number]  # The last two.
        self._places.extend(self._times(times))
        self._relations.append(relation)
        self._subjects.append(subject)
        self._ends.append(len(self._objects))
        self._slots[kind, subject].append(slot)
        return slot

    def _times(self, count: int) -> list[float]:
        """Return random times for the statements of a slot, in order.

        The first one may be anywhere in the history. The others are moved towards it, to the share
        ``distance`` of the way.
        """
        first, *others = (self._rng.random() for _ in range(count))
        near = [first + self._distance * (other - first) for other in others]
        return sorted([first, *near])

    def _some_updates(self) -> int:
        """Return how often a fact is contradicted: a whole number with the wanted mean."""
        whole = int(self._updates)
        is_more = self._rng.random() < self._updates - whole
        return whole + 1 if is_more else whole

    def _object(self, kind: str, barred: list[int], *, likely: bool) -> int:
        """Return a random object that is not barred: a frequent one, or a rare one."""
        exponent = _REPEATS[kind] if likely else _REPEATS[kind] * _UNLIKELY
        while True:
            number = self._object_at_rank(kind, self._rng.expovariate(exponent))
            if number not in barred:
                return number

    def _object_at_rank(self, kind: str, log_rank: float) -> int:
        """Return the object at a rank by frequency, whose logarithm is given; a new one if rare."""
        if log_rank > _RAREST:
            return self._new(kind)
        key = kind, int(exp(log_rank))
        if key not in self._ranked:
            self._ranked[key] = self._new(kind)
        return self._ranked[key]

    def _new(self, kind: str) -> int:
        """Return the number of a new entity of a kind."""
        self.counts[kind] += 1
        return self.counts[kind] - 1


def _updates(conflicts: float) -> float:
    """Return how often a fact of a chain is contradicted, from the share of all such facts."""
    if conflicts * (2 + _LED_ON) < 1:
        return conflicts / (1 - conflicts * (1 + _LED_ON))
    return conflicts * (1 + _LED_ON) / (1 - conflicts)


def _steps(rng: Random) -> dict[str, dict[int, float]]:
    """Return the relations of each kind with weights: one is frequent, the others are rare."""
    steps: dict[str, dict[int, float]] = {}
    for kind in sorted({relation.subject for relation in RELATIONS}):
        numbers = [n for n, relation in enumerate(RELATIONS) if relation.subject == kind]
        ranked = rng.sample(numbers, len(numbers))
        steps[kind] = {number: 1 / rank for rank, number in enumerate(ranked, start=1)}
    return steps


def _drawn(rng: Random, weights: Mapping[_T, float]) -> _T:
    """Return a random key; its value is its weight."""
    (drawn,) = rng.choices(list(weights), list(weights.values()))
    return drawn
