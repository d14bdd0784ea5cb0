"""Whether some order of the accesses to one fact explains all that was shown of it.

The state of a fact is the values that it was given, with their times. A write takes effect at one
moment between its call and its return; one that failed may have taken effect at any moment since,
or never. A read is legal if some order of all accesses gives it, which keeps what ended before
something else began (Herlihy and Wing, 1990).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple


class Value(NamedTuple):
    """A value that a fact was given: which of its versions, and since when it holds."""

    version: int
    time: datetime | None = None
    until: datetime | None = None  # When it ceased to hold; None if nobody said.


State = tuple[Value, ...]  # The last one holds; empty if there is no text about the fact.
UNTOLD: State = ()


@dataclass(frozen=True, slots=True)
class Access:
    """What an operation did to one fact, or showed of it, between two moments in seconds."""

    kind: Literal[
        "add", "paraphrase", "replace", "correct", "retract", "bound", "update", "delete", "read"
    ]
    start: float
    end: float  # Infinite for a write that failed: it may take effect at any time.
    value: Value | None = None  # What is written.
    shown: int | None = None  # The version that a read showed; None for none.
    as_of: datetime | None = None  # The moment that a read asks about; None for the present.
    remembers: bool = False  # Whether a read must show what held before, if it is asked about that.

    def states_after(self, state: State) -> Iterator[State]:
        """Yield the states that it may leave; none if it cannot come after ``state``."""
        match self.kind, self.value:
            case "add", Value() as value:
                yield (*state, value)
            case "paraphrase", Value(version) as value:
                # It says once more what holds, or anew what was deleted, taken back or never told.
                says_what_holds = bool(state) and state[-1].version == version
                if says_what_holds:
                    yield state
                # What was bounded may be told to hold on.
                if not says_what_holds or state[-1].until is not None:
                    yield (*state, value)
            case "replace" | "update", Value() as value:
                # A text that was deleted may come back by it, or not.
                if value.time is None and state:
                    value = value._replace(time=state[-1].time)
                yield (*state, value)
                if not state:
                    yield state
            case "correct", Value() as value:
                yield (value,)  # What is corrected never held.
            case "bound", Value() as value:
                # It was told before that it holds; if that was deleted, this may tell it, or not.
                since = state[-1].time if state else value.time
                yield (*state[:-1], value._replace(time=since))
                if not state:
                    yield state
            case "delete" | "retract", _:
                yield UNTOLD
            case _:
                if self.is_legal_in(state):
                    yield state

    def is_legal_in(self, state: State) -> bool:
        """Return whether a read may show what it shows in a state of the fact.

        What held before and no longer holds may be forgotten, unless the read ``remembers``.
        """
        told_by_then = state
        if self.as_of is not None:
            told_by_then = tuple(
                each for each in state if each.time is None or each.time <= self.as_of
            )
        if not told_by_then:
            return self.shown is None
        holds = told_by_then[-1]
        if holds.until is not None:
            if self.as_of is None:  # Whether it is over depends on the clock of who is asked.
                return self.shown in (None, holds.version)
            if self.as_of >= holds.until:
                return self.shown is None
        if self.shown is None:
            is_past = holds != state[-1]
            return is_past and not self.remembers
        return holds.version == self.shown


def possible_states(accesses: Sequence[Access], before: Iterable[State] = (UNTOLD,)) -> set[State]:
    """Return the states in which an order that explains all accesses may leave a fact.

    ``before`` are the states in which it may have been. The result is empty if no order explains
    what was shown. It may take exponential time in the number of accesses that overlap.
    """
    ordered = sorted(accesses, key=lambda access: access.start)
    # A set of accesses is a number here, in which the bit at the place of each is 1.
    must_happen = sum(1 << place for place, each in enumerate(ordered) if each.end < math.inf)
    seen: set[tuple[int, State]] = set()
    waiting = [(0, state) for state in before]
    while waiting:
        done, state = waiting.pop()
        if (done, state) in seen:
            continue
        seen.add((done, state))
        left = [(place, each) for place, each in enumerate(ordered) if not done & (1 << place)]
        first_end = min((each.end for _, each in left), default=math.inf)
        may_follow = [(place, each) for place, each in left if each.start <= first_end]
        # A read that is legal now may as well come first: it leaves all as it was.
        legal_reads = (
            (place, each)
            for place, each in may_follow
            if each.kind == "read" and each.is_legal_in(state)
        )
        legal_read = next(legal_reads, None)
        for place, each in may_follow if legal_read is None else [legal_read]:
            waiting += [(done | (1 << place), after) for after in each.states_after(state)]
    return {state for done, state in seen if done & must_happen == must_happen}
