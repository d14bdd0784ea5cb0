"""What a memory may show after which operations: the reference that all results are held against.

Each fact is a register of its own: a history is legal exactly if that of each fact is, so that
small searches decide long histories (Herlihy and Wing, 1990). The state of a fact is the values
that it was given, with their times. A write takes effect at one moment between its call and its
return; one that failed may have taken effect at any moment since, or never. A read is legal if
some order of all that was done, which keeps what ended before something else began, gives it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from mabench.bench.versioned_facts import VersionedFacts
from mabench.stressing.operations import Abilities, Operation
from mabench.stressing.report import Severity


class _Value(NamedTuple):
    """A value that a fact was given: which of its versions, and since when it holds."""

    version: int
    time: datetime | None = None


_State = tuple[_Value, ...]  # The last one holds; empty where there is no such text.


@dataclass(frozen=True, slots=True)
class _Access:
    """What an operation did to one fact, or showed of it, between two moments in seconds."""

    kind: str  # ``add``, ``update``, ``delete`` or ``read``.
    start: float
    end: float  # A write that failed never ended.
    value: _Value | None = None  # What is written.
    shown: int | None = None  # The version that a read showed; None for none.
    as_of: datetime | None = None  # The moment that a read asks about; None for the present.

    def after(self, state: _State) -> Iterator[_State]:
        """Yield the states that it may leave; none where it cannot come after ``state``."""
        match self.kind, self.value:
            case "add", _Value() as value:
                yield (*state, value)
            case "update", _Value() as value:
                # A text that was deleted may come back by it, or not.
                if value.time is None and state:
                    value = value._replace(time=state[-1].time)
                yield (*state, value)
                if not state:
                    yield state
            case "delete", _:
                yield ()
            case _:
                if self.is_legal(state):
                    yield state

    def is_legal(self, state: _State) -> bool:
        """Return whether a read may show what it shows; what no longer held may be forgotten."""
        held = state
        if self.as_of is not None:
            held = tuple(each for each in state if each.time is None or each.time <= self.as_of)
        if self.shown is None:
            return not held or held[-1] != state[-1]
        return bool(held) and held[-1].version == self.shown


def _states_after(accesses: Sequence[_Access], states: Iterable[_State] = ((),)) -> set[_State]:
    """Return the states of a fact in which an order that explains all that was shown may end.

    There is none where no order explains it. It was in one of ``states`` before.
    """
    ordered = sorted(accesses, key=lambda access: access.start)
    everything = sum(1 << place for place, each in enumerate(ordered) if each.end < math.inf)
    seen: set[tuple[int, _State]] = set()
    waiting = [(0, state) for state in states]
    while waiting:
        done, state = waiting.pop()
        if (done, state) in seen:
            continue
        seen.add((done, state))
        left = [(place, each) for place, each in enumerate(ordered) if not done >> place & 1]
        first_end = min((each.end for _, each in left), default=math.inf)
        following = [(place, each) for place, each in left if each.start <= first_end]
        # A read that fits may as well come first: it leaves all as it was.
        fits = (pair for pair in following if pair[1].kind == "read" and pair[1].is_legal(state))
        for place, each in [*islice(fits, 1)] or following:
            waiting += [(done | 1 << place, after) for after in each.after(state)]
    return {state for done, state in seen if done & everything == everything}


@dataclass(slots=True)
class _Register:
    """What was done to one fact: the states that all before may have left it in, and the rest."""

    owner: str | None
    states: Iterable[_State] = ((),)
    accesses: list[_Access] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)  # That it was given.
    times: dict[int, datetime] = field(default_factory=dict)  # Of those that have one.
    was_deleted: bool = False

    def explains(self, read: _Access) -> bool:
        return bool(_states_after([*self.accesses, read], self.states))

    def rest(self) -> None:
        """Forget the order of what has ended; nothing is under way."""
        if self.accesses and all(each.end < math.inf for each in self.accesses):
            self.states, self.accesses = _states_after(self.accesses, self.states), []


@dataclass(slots=True)
class Event:
    """An operation as it was carried out between two moments, and what it returned."""

    operation: Operation
    start: float  # In seconds of one clock.
    end: float
    texts: list[str] = field(default_factory=list)  # What a search or a list showed, in order.
    scores: list[float | None] = field(default_factory=list)  # How well each fits, if it says so.
    error: str | None = None  # How it failed; None if it did not.
    hung: bool = False  # Whether it failed by taking too long.
    alone: bool = True  # Whether nothing else was under way.


class Violation(NamedTuple):
    """What no order of the operations explains."""

    name: str
    message: str
    fact: int | None = None
    severity: Severity = "fault"
    place: int = 0  # Of the operation that showed it, in its history.
    operation: Operation | None = None  # That, or one of many; None if none showed it.


_LATER = 1e18  # After everything.


@dataclass(slots=True)
class Model:
    """Judges each event of a history as it is told, in the order in which they ended."""

    facts: VersionedFacts  # What the words mean.
    abilities: Abilities  # With ``ready``, writes may be shown only once that has returned.
    _registers: dict[int, _Register] = field(default_factory=dict)
    _unready: list[tuple[int, int, float]] = field(default_factory=list)
    _seen: dict[Operation, Event] = field(default_factory=dict)  # Since the last write.

    def judge(self, event: Event) -> list[Violation]:
        """Return what is wrong with an event, which is remembered as far as it is legal."""
        operation = event.operation
        if operation.op in ("add", "update", "delete", "delete-user"):
            self._seen.clear()
            self._write(event)
        elif operation.op == "ready" and event.error is None:
            # The writes that had returned when it was called are done when it returned.
            for fact, place, returned in self._unready:
                if returned <= event.start:
                    accesses = self._registers[fact].accesses
                    accesses[place] = replace(accesses[place], end=event.end)
            self._unready = [each for each in self._unready if each[2] > event.start]
        elif operation.reads and event.error is None:
            shown = [each for text in event.texts for each in self.facts.versions_in(text)]
            wrong = [*self._misplaced(event, shown)]
            readings = [*self._readings(event, shown)]
            wrong += [each for each in readings if each.name != "lost-write"]
            # What should not be there may have taken the place of what should.
            return wrong or readings or self._reordered(event)
        return []

    def deleted(self) -> Iterator[tuple[int, int]]:
        """Yield versions, with their facts, of which nothing may be left: they were deleted."""
        for fact, register in self._registers.items():
            if register.was_deleted:
                none, *some = (
                    register.explains(_Access("read", _LATER, _LATER, shown=version))
                    for version in (None, *register.versions)
                )
                if none and not any(some):
                    yield from ((fact, version) for version in register.versions)

    def _write(self, event: Event) -> None:
        operation, kind = event.operation, event.operation.op
        facts: Iterable[int] = operation.facts
        if kind == "delete-user":
            owners = self._registers.items()
            facts = [fact for fact, each in owners if each.owner == operation.user]
            kind = "delete"
        value = None if kind == "delete" else _Value(operation.version or 0, operation.time)
        ready_later = "ready" in self.abilities.kinds
        end = math.inf if event.error is not None or ready_later else event.end
        for fact in facts:
            register = self._registers.setdefault(fact, _Register(operation.user))
            register.was_deleted |= kind == "delete"
            if value:
                register.versions.append(value.version)
                register.times |= {value.version: value.time} if value.time else {}
            if event.alone:
                register.rest()
            if event.error is None and ready_later:
                self._unready.append((fact, len(register.accesses), event.end))
            register.accesses.append(_Access(kind, event.start, end, value))

    def _readings(self, event: Event, shown: Sequence[tuple[int, int]]) -> Iterator[Violation]:
        operation = event.operation
        sought = {operation.fact} if operation.op == "search" else {*self._registers}
        as_of = operation.time if operation.op == "search" else None
        by_fact: dict[int, list[int]] = {}
        for fact, version in sorted({*shown}):
            by_fact.setdefault(fact, []).append(version)
        for fact in sorted(self._registers.keys() & {*sought, *by_fact}):
            register = self._registers[fact]
            if self.abilities.by_user and register.owner != operation.user:
                continue
            versions: list[int | None] = [*by_fact.get(fact, ())] or [None]
            all_shown = not register.was_deleted and {*register.versions} == {*versions}
            if all_shown and fact not in sought and as_of is None:  # It is legal at any time.
                continue
            if event.alone:
                register.rest()
            for each in versions:
                read = _Access("read", event.start, event.end, shown=each, as_of=as_of)
                # Where writes show later, they may do so here before there: no read is kept.
                if register.explains(read):
                    kept = fact in sought and "ready" not in self.abilities.kinds
                    register.accesses += [read] * kept
                else:
                    yield self._name(fact, register, read)

    def _name(self, fact: int, register: _Register, read: _Access) -> Violation:
        about, as_of = f"the text about {self.facts.subject(fact)}", read.as_of
        if read.shown is None:
            held = [v for v in register.versions if register.explains(replace(read, shown=v))]
            missing = " or ".join(self.facts.value(fact, version) for version in held)
            name = "lost-write" if as_of is None else "not-as-of"
            return Violation(name, f"{about} was not there, though {missing} was stored", fact)
        since, none = register.times.get(read.shown), replace(read, as_of=None, shown=None)
        if as_of is not None and since is not None and since > as_of:
            name, wrong = "not-as-of", "which holds only later"
        elif register.was_deleted and register.explains(none):
            name, wrong = "deleted-found", f"though {about} was deleted"
        elif as_of is None:
            name, wrong = "stale-after-update", f"though {about} was updated"
        else:
            name, wrong = "not-as-of", "which no longer held"
        when = f"as of {as_of.isoformat()}, " if as_of and name == "not-as-of" else ""
        value = self.facts.value(fact, read.shown)
        return Violation(name, f"{when}{value} was there, {wrong}", fact)

    def _misplaced(self, event: Event, shown: Sequence[tuple[int, int]]) -> Iterator[Violation]:
        """Yield what is of another user, and what is shown more often than it was stored."""
        user = event.operation.user
        doubles: list[Violation] = []
        for (fact, version), times in sorted(Counter(shown).items()):
            if (register := self._registers.get(fact)) is None:
                continue
            value = self.facts.value(fact, version)
            if self.abilities.by_user and register.owner != user:
                message = f"{value} was there for {user}, though it is of {register.owner}"
                yield Violation("other-user", message, fact)
            stored = register.versions.count(version)
            if times > stored:
                records = self.facts.count_records(fact, version, event.texts)
                most, times = max(records.values(), default=0), records.total()
                # One write may give several records, each of another text.
                if most > stored or times > stored * self.abilities.records:
                    message = f"{value} was there {times} times"
                    doubles.append(Violation("double-write", message, fact))
        yield from doubles

    def _reordered(self, event: Event) -> list[Violation]:
        if not event.alone or self._unready:
            return []
        before = self._seen.setdefault(replace(event.operation, step=0, client=1), event)
        if before.texts == event.texts:
            return []
        ties = None not in event.scores and event.scores == before.scores
        same = sorted(before.texts) == sorted(event.texts)
        seen = "same results came in another order" if same else "same search had other results"
        message = f"the {seen}, though nothing was written between"
        return [Violation("order-changes", message, severity="note" if ties else "fault")]
