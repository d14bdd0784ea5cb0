"""What was done to one fact so far, and which reads of it that explains."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from mabench.stressing.reference.linearizability import (
    UNTOLD,
    Access,
    State,
    Value,
    possible_states,
)

_AFTER_EVERYTHING = 1e18  # Seconds.


@dataclass(slots=True)
class Register:
    """The accesses to one fact of one user.

    They are kept as the states that older ones may have left it in, and the newer accesses.
    """

    versions: list[int] = field(default_factory=list)  # That it was given.
    times: dict[int, datetime] = field(default_factory=dict)  # Of those that have one.
    versions_since_deletion: set[int] = field(default_factory=set)
    was_deleted: bool = False
    # Whether it was corrected or retracted: then nobody can say what held at a time before.
    was_taken_back: bool = False
    last_write: str = "add"  # The kind of the last write.
    planted: str | None = None  # The operation that planted it; nothing planted has to be found.
    # Whether another fact was changed that was told in the same text.
    was_beside_change: bool = False
    copies: int = 0  # How often its text may be there: it was told that often since it was deleted.
    _is_deleted: bool = False  # Whether it was not told again since.
    _states: Iterable[State] = (UNTOLD,)
    _accesses: list[Access] = field(default_factory=list)

    def add(self, access: Access) -> int:
        """Add an access; return its number, by which ``end_write`` knows it until ``settle``."""
        if access.kind != "read" and not self._tells_again(access):
            self.last_write = access.kind
        self.was_taken_back |= access.kind in ("correct", "retract")
        if access.kind == "delete":
            self.was_deleted = self._is_deleted = True
            self.versions_since_deletion.clear()
        elif access.kind in ("add", "paraphrase"):
            self.copies = 1 if self._is_deleted else self.copies + 1
            self._is_deleted = False
        if access.value:
            self.versions.append(access.value.version)
            self.versions_since_deletion.add(access.value.version)
            self._note_time(access.value, is_first=access.kind != "paraphrase")
        self._accesses.append(access)
        return len(self._accesses) - 1

    def _tells_again(self, access: Access) -> bool:
        """Return whether an access tells once more what holds, in whatever words."""
        is_gone = self._is_deleted or self.last_write == "retract"
        if is_gone or access.value is None or access.kind not in ("add", "paraphrase"):
            return False
        return access.value.version in self.versions[-1:]

    def _note_time(self, value: Value, *, is_first: bool) -> None:
        """Note since when a version holds; a paraphrase of it changes nothing of that."""
        if value.time and (is_first or value.version not in self.times):
            self.times[value.version] = value.time

    def end_write(self, number: int, end: float) -> None:
        """Let a write have taken effect by a moment."""
        self._accesses[number] = replace(self._accesses[number], end=end)

    def settle(self) -> None:
        """Forget the order of what has ended; to be called while nothing is under way."""
        if self._accesses and all(each.end < math.inf for each in self._accesses):
            self._states, self._accesses = possible_states(self._accesses, self._states), []

    def explains(self, read: Access) -> bool:
        """Return whether some order of the accesses gives what a read shows."""
        return bool(possible_states([*self._accesses, read], self._states))

    def held_before(self, version: int, as_of: datetime | None) -> bool:
        """Return whether a version may have held once, and by a moment if one is given."""
        since = self.times.get(version)
        if as_of is not None and since is not None and since > as_of:
            return False
        states = possible_states(self._accesses, self._states)
        return any(version == each.version for state in states for each in state)

    def must_be_gone(self) -> bool:
        """Return whether it was deleted, and no order leaves any of its versions."""
        if not self.was_deleted:
            return False

        def may_show(version: int | None) -> bool:
            late = _AFTER_EVERYTHING
            return self.explains(Access("read", start=late, end=late, shown=version))

        return may_show(None) and not any(map(may_show, self.versions))
