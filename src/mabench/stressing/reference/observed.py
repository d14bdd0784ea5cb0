"""What histories did and showed, apart from what is wrong in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from mabench.stressing.operations import Operation
from mabench.stressing.reference.violations import EXPOSURES, Violation
from mabench.stressing.report import Exposure

# Features of histories that are no operations.
AS_OF, USERS, TWICE, COPIES = "search as of a time", "users", "told twice", "copies"


@dataclass(slots=True)
class Observed:
    """Counts what reads exposed, and remembers which operations histories had together."""

    reads: int = 0
    exposed: Counter[str] = field(default_factory=Counter)  # Reads, by what they exposed.
    histories: set[frozenset[str]] = field(default_factory=set)  # Each by its features.

    def note_read(self, violations: Sequence[Violation], shows_instruction: bool) -> None:
        """Count a read; a planted instruction is exposed though it may be shown."""
        kinds = {EXPOSURES[each.name] for each in violations if each.name in EXPOSURES}
        self.reads += 1
        self.exposed.update(kinds | {"planted"} if shows_instruction else kinds)

    def note_history(self, operations: Sequence[Operation]) -> None:
        """Remember what a history did, up to where it ended."""
        if any(each.reads for each in operations):
            self.histories.add(frozenset(features_of(operations)))

    def exposure(self) -> Exposure:
        """Return how many reads exposed what."""
        return Exposure(self.reads, **{kind: self.exposed[kind] for kind in EXPOSURES.values()})


def features_of(operations: Sequence[Operation]) -> set[str]:
    """Return which operations a history has, and in which ways."""
    features = {str(each.op) for each in operations}
    adds = [(each.user, fact) for each in operations if each.op == "add" for fact in each.facts]
    if any(each.op == "search" and each.time for each in operations):
        features.add(AS_OF)
    if len({each.user for each in operations if each.op != "ready"} - {None}) > 1:
        features.add(USERS)
    if len({*adds}) < len(adds):
        features.add(TWICE)
    if len({fact for _, fact in adds}) < len({*adds}):
        features.add(COPIES)
    return features
